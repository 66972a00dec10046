"""`confide passport keys|sign|show`: Ed25519 keys and signatures for passports."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import click

from confide.cli.options import EXISTING, NEW, note, print_rows

__all__ = ["passport"]


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
    from confide.core.artefacts.keys import make_keys

    private, beside = make_keys(private)
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
    from confide.audit.signing import sign_release
    from confide.core.artefacts.keys import read_private_key

    note(f"{file} signed by key {sign_release(file, read_private_key(key))[:16]}")


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
    note(f"what the passport says, unchecked; check it with: confide verify {file}", reword=False)
    _say(
        found.words_of(Requirement.from_dict(found.requirement)).promise
    )  # in our words: the file's own could say more
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
