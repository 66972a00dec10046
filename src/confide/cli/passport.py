"""`confide passport keys|sign|show`: Ed25519 keys and signatures for passports."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from confide.cli.options import EXISTING, NEW, note, print_rows
from confide.core.errors import InputError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

__all__ = ["passport", "read_private_key", "read_public_key"]


@click.group(
    epilog="""\b
Example:
  confide passport keys signing.pem
"""
)
def passport() -> None:
    """Make keys, sign and show passports."""


@passport.command(
    epilog="""\b
Example:
  confide passport keys signing.pem
"""
)
@click.argument("private", metavar="PRIVATE", type=NEW)
def keys(private: Path) -> None:
    """Make an Ed25519 key: PRIVATE (keep it, mode 600) and PRIVATE.pub (hand it out)."""
    import os

    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from confide.core.errors import UsageError
    from confide.core.files import write_text

    key = Ed25519PrivateKey.generate()
    secret = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    public = key.public_key().public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo)
    beside = private.with_name(private.name + ".pub")
    if beside.exists():
        raise UsageError(f"{beside} exists; a key is never overwritten, choose another name")
    try:
        # Made with mode 600 from the start: no moment at which others could read it.
        descriptor = os.open(private, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise UsageError(f"{private} exists; a key is never overwritten, choose another name") from None
    except OSError as error:
        raise UsageError(f"cannot write {private}: {error.strerror}") from None
    with open(descriptor, "wb") as file:
        file.write(secret)
    write_text(beside, public.decode())
    note(f"private key: {private} (keep it)\npublic key:  {beside} (hand it out)")


@passport.command(
    epilog="""\b
Example:
  confide passport sign people.csv.passport.json --key signing.pem
"""
)
@click.argument("file", metavar="PASSPORT", type=EXISTING)
@click.option("--key", type=EXISTING, required=True, help="Private key (PEM) made by `confide passport keys`.")
def sign(file: Path, key: Path) -> None:
    """Sign PASSPORT in place, after checking that it still holds."""
    from confide.audit.verify import fingerprint, verify
    from confide.core.errors import VerificationError
    from confide.core.passport import Passport

    secret = read_private_key(key)
    known = Passport.read(file)  # read once: what is verified is what is signed
    if known.artefact is None:
        raise VerificationError("not signed: the passport names no file")
    outcome = verify(known, artefact=file.parent / known.artefact.name)
    if not outcome.ok:
        raise VerificationError(f"not signed, since the passport does not hold: {outcome.summary()}")
    signed = known.sign(secret)
    signed.write(file, replace=True)
    assert signed.signature is not None
    note(f"{file} signed by key {fingerprint(signed.signature.public_key)[:16]}")


@passport.command(
    epilog="""\b
Example:
  confide passport show people.csv.passport.json
"""
)
@click.argument("file", metavar="PASSPORT", type=EXISTING)
def show(file: Path) -> None:
    """Print what a passport says, in words."""
    from confide.audit.verify import fingerprint
    from confide.core.passport import Passport
    from confide.core.requirements import Requirement

    found = Passport.read(file)
    _say(found.words_of(Requirement.from_dict(found.requirement))[0])  # in our words: the file's own could say more
    _say(f"stage: {found.stage}, by {found.algorithm}; made {found.created}")
    if found.artefact:
        _say(f"file: {found.artefact.name}, {found.artefact.bytes:,} bytes, sha256 {found.artefact.sha256[:16]}...")
    _say("\n  - ".join(("protects against:", *found.protects_against)))
    _say("\n  - ".join(("does not protect against:", *found.does_not_protect_against)))
    for name, value in found.loss.items():
        _print_loss(name.replace("_", " "), value, found.units.get(name))
    _say(f"randomness: {_plain(found.randomness.get('source'))}")
    _say(f"signed by: {'key ' + fingerprint(found.signature.public_key)[:16] if found.signature else 'nobody'}")


def _say(text: str) -> None:
    """A line of the passport on stdout, without what a terminal would act on."""
    from confide.core.runtime.terminal import safe_text

    print(safe_text(text))


def _print_loss(name: str, value: Any, unit: Any) -> None:
    """One figure of what a release cost, in its unit: a line, or a table where it is one."""
    from confide.core.figures import Unit
    from confide.report.formats import scalar

    if isinstance(value, list) and value and all(isinstance(row, Mapping) for row in value):
        print_rows(value, form="table", title=f"loss, {name}")
    elif isinstance(value, Mapping):
        _say(f"loss, {name}:")
        for key, part in value.items():
            _say(f"  {key}: {_plain(part)}")
    elif isinstance(value, int | float) and isinstance(unit, str) and abs(value) < 1 << 63:
        _say(f"loss, {name}: {scalar(value, cast(Unit, unit))}")
    else:
        _say(f"loss, {name}: {_plain(value)}")


def _plain(value: Any) -> str:
    """A value in words: numbers with their thousands apart, lists without brackets, nested ones in one line."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_plain(part)}" for key, part in value.items())
    if isinstance(value, list):
        return ", ".join(_plain(part) for part in value)
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def read_private_key(path: Path) -> "Ed25519PrivateKey":
    """An Ed25519 private key from a PEM file."""
    from cryptography.exceptions import InternalError, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    from confide.core.files import read_regular

    try:
        key = load_pem_private_key(read_regular(path, max_bytes=1 << 20), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm, InternalError):
        raise InputError("not a private key in PEM form without a password", source=path) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise InputError("the key is not an Ed25519 key; make one with: confide passport keys FILE", source=path)
    return key


def read_public_key(path: Path) -> "Ed25519PublicKey":
    """An Ed25519 public key from a PEM file."""
    from cryptography.exceptions import InternalError, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    from confide.core.files import read_regular

    try:
        key = load_pem_public_key(read_regular(path, max_bytes=1 << 20))
    except (ValueError, UnsupportedAlgorithm, InternalError):
        raise InputError("not a public key in PEM form", source=path) from None
    if not isinstance(key, Ed25519PublicKey):
        raise InputError("the key is not an Ed25519 key", source=path)
    return key
