"""`confide search profile expose`: exactly what a search service would get, checked against the profile."""

from pathlib import Path

import click

from confide.cli.options import EXISTING, SHARE, note, print_json
from confide.cli.release_files import ReleaseFiles, release_options
from confide.cli.search.passphrases import open_profile, passphrase_option

__all__ = ["expose"]


@click.command(
    epilog="""\b
Example:
  confide search profile expose my.profile --min-detail 2% --hide illness
"""
)
@click.argument("source", metavar="PROFILE", type=EXISTING)
@click.option(
    "--min-detail", type=SHARE, required=True, help="Smallest share of an exposed interest; larger exposes less."
)
@click.option("--hide", metavar="BRANCH", multiple=True, help="Keep this branch here too. Once for each.")
@click.option("--query", metavar="WORDS", help="Expose only what has to do with this query.")
@release_options()
@passphrase_option
def expose(
    source: Path,
    min_detail: float,
    hide: tuple[str, ...],
    query: str | None,
    output: Path | None,
    report: Path | None,
    owner_report: Path | None,
    sign: Path | None,
    replace: bool,
    passphrase_file: Path | None,
) -> None:
    """Show what would leave the machine: interests of at least --min-detail, as words with a weight, and expRatio.

    With -o the pairs are written to a file, with a passport that you, who have the profile, can verify.
    """
    files = ReleaseFiles.checked(
        output, report=report, owner_report=owner_report, sign=sign, replace=replace, inputs=[source, passphrase_file]
    )
    profile, _ = open_profile(source, passphrase_file)
    exposed = profile.expose(min_detail=min_detail, hide=hide, query=query, verify=False)
    release = profile.release(min_detail=min_detail, hide=hide, query=query)
    files.hand_out(release)
    note(release.requirement.promise())
    note(release.passport.headline)
    for text in exposed.notes:
        note(text)
    print_json(exposed.to_dict())
