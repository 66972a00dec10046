"""`confide search profile show`: the owner's view of a profile."""

from pathlib import Path

import click

from confide.cli.options import EXISTING, SHARE, form_options, note, print_json, print_rows
from confide.cli.search.passphrases import open_profile, passphrase_option

__all__ = ["show"]


@click.command(
    epilog="""\b
Example:
  confide search profile show my.profile --min-detail 2% --table
"""
)
@click.argument("source", metavar="PROFILE", type=EXISTING)
@click.option("--min-detail", type=SHARE, help="Mark what would be exposed at this share.")
@click.option("--depth", type=click.IntRange(min=1), default=2, show_default=True, help="Levels to show.")
@click.option("--documents", is_flag=True, help="List the documents instead, by name and source.")
@click.option("--export", is_flag=True, help="Print the whole tree as one JSON value instead.")
@passphrase_option
@form_options
def show(
    source: Path,
    min_detail: float | None,
    depth: int,
    documents: bool,
    export: bool,
    passphrase_file: Path | None,
    form: str,
) -> None:
    """Show your profile: interests with their weight and how surprising they are. For your eyes only."""
    from confide.core.errors import UsageError
    from confide.search.profile.rows import interest_rows

    if documents and export:
        raise UsageError("--documents and --export exclude each other")
    profile, _ = open_profile(source, passphrase_file)
    if export:
        print_json(profile.export())
        return
    if documents:
        kept = profile.collection
        if kept is None or not kept.names:
            raise UsageError("this profile keeps no names of documents")
        print_rows(({"name": n, "source": s} for n, s in zip(kept.names, kept.sources, strict=True)), form=form)
        return
    exposed = None if min_detail is None else profile.expose(min_detail=min_detail, verify=False)
    print_rows(interest_rows(profile, depth=depth, exposed=exposed), form=form)
    note(f"{profile.n_documents:,} documents, {len(profile):,} interests")
    if exposed is not None:
        note(f"at min_detail {min_detail:g}: {exposed.headline()}")
