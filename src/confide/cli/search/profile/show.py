"""`confide search profile show`: the owner's view of a profile."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from confide.cli.options import EXISTING, SHARE, form_options, note, print_json, print_rows
from confide.cli.search.passphrases import open_profile, passphrase_option

if TYPE_CHECKING:
    from confide.search import Interest, Profile

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
    inside = None if exposed is None else {id(interest) for interest in exposed.interests}
    print_rows(_rows(profile, profile.root, depth, inside), form=form)
    note(f"{profile.n_documents:,} documents, {len(profile):,} interests")
    if exposed is not None:
        note(
            f"at min_detail {min_detail:g}: {len(exposed.pairs):,} interests exposed, expRatio {exposed.exp_ratio:.3f}"
        )


def _rows(profile: "Profile", root: "Interest", depth: int, inside: set[int] | None) -> list[dict[str, object]]:
    from confide.search.profile.entropy import self_information

    rows: list[dict[str, object]] = []

    def add(interest: "Interest", level: int) -> None:
        for child in interest.children:
            row: dict[str, object] = {
                "interest": ". " * level + child.label,
                "support": round(child.support, 3),
                "share": round(child.units / profile.root.units, 4),
                "self_information": round(self_information(child.units, profile.root.units), 3),
            }
            state = "hidden" if child.hidden else "" if inside is None else "exposed" if id(child) in inside else "kept"
            rows.append({**row, "state": state})
            if level + 1 < depth:
                add(child, level + 1)

    add(root, 0)
    return rows
