"""`confide search index`: an index of texts on this machine, to search without a network."""

from pathlib import Path

import click

from confide.cli.options import NEW, note
from confide.cli.search.sources import named_sources, source_options

__all__ = ["index"]


@click.command(
    epilog="""\b
Example:
  confide search index --documents notes -o mine.sqlite
"""
)
@source_options
@click.option("-o", "--output", type=NEW, required=True, help="Where the index goes; only you can read the file.")
@click.option("--replace", is_flag=True, help="Overwrite files that exist.")
def index(
    documents: tuple[Path, ...],
    mail: tuple[Path, ...],
    history: tuple[Path, ...],
    bookmarks: tuple[Path, ...],
    output: Path,
    replace: bool,
) -> None:
    """Index files of your own, so that they can be searched with --engine FILE. The index holds their texts."""
    from confide.core.file_groups import check_outputs
    from confide.core.runtime.progress import on_terminal
    from confide.search import LocalIndex

    check_outputs([output], inputs=[], replace=replace)
    sources = named_sources(documents, mail, history, bookmarks)
    with on_terminal():
        made = LocalIndex.build(sources.read(skipped=note), output, replace=replace)
    note(f"{len(made):,} documents indexed in {output}")
