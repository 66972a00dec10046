"""The jobs `passport keys|sign|show`: Ed25519 keys and signatures for passports."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import Delivery, DocumentOnly, WordsOnly
from confide.core.jobs.fields import setting, source
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.jobs.request import Request

__all__ = ["GROUPS", "JOBS", "KeyFiles", "PassportKeys", "PassportShow", "PassportSign", "loss_lines"]


@dataclass(frozen=True, kw_only=True)
class KeyFiles(Delivery):
    """Where a private key goes; the public one goes beside it."""

    private: Path = source(help="The private key's file; PRIVATE.pub is the public one's.", metavar="PRIVATE")


@dataclass(frozen=True, kw_only=True)
class PassportKeys(Request):
    """Make an Ed25519 key: PRIVATE (keep it, mode 600) and PRIVATE.pub (hand it out)."""


def passport_keys(request: PassportKeys, host: Host = QUIET) -> Outcome:
    """Nothing is drawn before a file is there to hold it."""
    from confide.core.artefacts.signing_keys import make_keys

    def save(path: Path, replace: bool) -> str:
        private, public = make_keys(path)
        return f"private key: {private} (keep it)\npublic key:  {public} (hand it out)"

    return Outcome(files={"private": save})


@dataclass(frozen=True, kw_only=True)
class PassportSign(Request):
    """Sign PASSPORT in place, after checking that it still holds."""

    passport: Path = source(help="The passport to sign.", metavar="PASSPORT")
    key: Path = setting(help="Private key (PEM) made by `confide passport keys`.")


def passport_sign(request: PassportSign, host: Host = QUIET) -> Outcome:
    """Sign the file; the answer is the fingerprint of the key."""
    from confide.audit.signing import sign_release
    from confide.core.artefacts.signing_keys import read_private_key

    signer = sign_release(request.passport, read_private_key(request.key))
    return Outcome(answer=signer, notes=(f"{request.passport} signed by key {signer[:16]}",))


@dataclass(frozen=True, kw_only=True)
class PassportShow(Request):
    """Print what a passport says, in words."""

    passport: Path = source(help="The passport to show.", metavar="PASSPORT")


def passport_show(request: PassportShow, host: Host = QUIET) -> Outcome:
    """Read the passport; nothing in it is checked."""
    from confide.core.passport import Passport

    known = Passport.read(request.passport)
    host.say(f"what the passport says, unchecked; check it with: confide verify {request.passport}")
    return Outcome(answer=known, words=tuple(_lines(known)))


def _lines(passport: Any) -> Iterator[str]:
    from confide.audit.verify import fingerprint
    from confide.core.requirements import Requirement

    requirement = Requirement.from_dict(passport.requirement)
    yield passport.words_of(requirement).promise  # in our words: the file's own could say more
    yield f"stage: {passport.stage}, by {passport.algorithm}; made {passport.created}"
    if passport.artefact:
        file = passport.artefact
        yield f"file: {file.name}, {file.bytes:,} bytes, sha256 {file.sha256[:16]}..."
    yield "\n  - ".join(("protects against:", *passport.protects_against))
    yield "\n  - ".join(("does not protect against:", *passport.does_not_protect_against))
    for name, value in passport.loss.items():
        yield from loss_lines(name.replace("_", " "), value, passport.units.get(name))
    yield f"randomness: {_plain(passport.randomness.get('source'))}"
    signature = passport.signature
    yield f"signed by: {'key ' + fingerprint(signature.public_key)[:16] if signature else 'nobody'}"


def loss_lines(name: str, value: Any, unit: Any) -> Iterator[str]:
    """A figure in its unit, a table as one, anything else in words; a stranger's passport may hold anything."""
    from confide.cli.options import table_text
    from confide.core.figures import Unit
    from confide.report.formats import scalar

    if isinstance(value, list) and value and all(isinstance(row, Mapping) for row in value):
        yield table_text(value, title=f"loss, {name}")
    elif isinstance(value, Mapping):
        yield f"loss, {name}:"
        yield from (f"  {key}: {_plain(part)}" for key, part in value.items())
    elif isinstance(value, int | float) and isinstance(unit, str) and abs(value) < 1 << 63:
        yield f"loss, {name}: {scalar(value, cast(Unit, unit))}"
    else:
        yield f"loss, {name}: {_plain(value)}"


def _plain(value: Any) -> str:
    """A value in words: numbers with their thousands apart, lists without brackets, nested ones in one line."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_plain(part)}" for key, part in value.items())
    if isinstance(value, list):
        return ", ".join(_plain(part) for part in value)
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


GROUPS = {"passport": "Make keys, sign and show passports."}

JOBS = (
    Job(
        name="passport keys",
        request=PassportKeys,
        at="confide.cli.jobs.passports:passport_keys",
        delivery=KeyFiles,
        examples=("confide passport keys signing.pem",),
    ),
    Job(
        name="passport sign",
        request=PassportSign,
        at="confide.cli.jobs.passports:passport_sign",
        delivery=DocumentOnly,
        live=True,
        examples=("confide passport sign people.csv.passport.json --key signing.pem",),
    ),
    Job(
        name="passport show",
        request=PassportShow,
        at="confide.cli.jobs.passports:passport_show",
        delivery=WordsOnly,
        examples=("confide passport show people.csv.passport.json",),
    ),
)
