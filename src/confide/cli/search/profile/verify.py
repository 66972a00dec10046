"""`confide search profile verify`: the owner checks an exposed profile against the profile."""

from pathlib import Path

import click

from confide.cli.options import EXISTING, note
from confide.cli.search.passphrases import open_profile, passphrase_option

__all__ = ["verify"]


@click.command(
    epilog="""\b
Example:
  confide search profile verify my.profile exposed.json.passport.json
"""
)
@click.argument("source", metavar="PROFILE", type=EXISTING)
@click.argument("passport", metavar="PASSPORT", type=EXISTING)
@click.option("--hide", metavar="BRANCH", multiple=True, help="A branch that was to stay here. Once for each.")
@passphrase_option
def verify(source: Path, passport: Path, hide: tuple[str, ...], passphrase_file: Path | None) -> None:
    """Check that an exposed profile holds what your profile allows, and nothing else. Only you can do so.

    Exit status 0 if every check holds, 1 if one fails.
    """
    from confide.audit.verify import verify as check
    from confide.core.errors import InputError

    if not passport.is_file():
        raise InputError("no such file", source=passport)
    profile, _ = open_profile(source, passphrase_file)
    outcome = check(passport, evidence=profile.evidence(hide=hide))
    note(f"{passport}: {outcome.verdict()}")
    for text in outcome.lines():
        note(f"  {text}", reword=False)
    if not outcome.ok:
        raise click.exceptions.Exit(1)
