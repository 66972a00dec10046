"""`confide report PASSPORT`: the page of a release, made again from its passport."""

from pathlib import Path

import click

from confide.cli.options import EXISTING, NEW, note

__all__ = ["report"]


@click.command(
    epilog="""\b
Example:
  confide report people.csv.passport.json -o people.html
"""
)
@click.argument("passport", metavar="PASSPORT", type=EXISTING)
@click.option("-o", "--output", type=NEW, required=True, help="Write the page here.")
@click.option("--artefact", type=EXISTING, help="The released file, if it is not beside its passport.")
@click.option("--replace", is_flag=True, help="Overwrite files that exist.")
def report(passport: Path, output: Path, artefact: Path | None, replace: bool) -> None:
    """Verify a release from its passport, and write its page. Charts are not in a passport, so the page has none.

    Exit status 1 when a check fails: the page is written, and says so.
    """
    from confide.audit.verify import verify
    from confide.core.file_groups import check_outputs
    from confide.core.passport import Passport
    from confide.core.release import Release
    from confide.report import write

    check_outputs([output], inputs=[passport, artefact], replace=replace)
    outcome = verify(passport, artefact=artefact)
    release = Release.described(Passport.read(passport), verification=outcome)
    write(release, output, replace=replace)
    note(f"page written to {output}: {outcome.summary()}")
    if not outcome.ok:
        raise click.exceptions.Exit(1)
