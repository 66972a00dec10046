"""`confide share anonymize`: a tree that may not be published becomes one that may."""

from pathlib import Path
from typing import cast

import click

from confide.cli.options import EXISTING, note, print_json
from confide.cli.release_files import ReleaseFiles, release_options
from confide.cli.share.promise import promise_options, promised

__all__ = ["anonymize"]


@click.command(
    epilog="""\b
Example:
  confide share anonymize learned.json --k 20 -o published.json
"""
)
@click.argument("source", metavar="TREE", type=EXISTING)
@release_options()
@promise_options
@click.option(
    "--mode", type=click.Choice(["exact", "estimated", "sound"]), default="exact", show_default=True,
    help="exact needs class counts; the others are for trees that give hit and miss only.",
)  # fmt: skip
@click.option("--schema", type=EXISTING, help="Roles of the attributes: a split on a sensitive one is refused.")
@click.option("--allow-sensitive", metavar="NAME", multiple=True, help="... unless it is named here. Once for each.")
@click.option("--dry-run", is_flag=True, help="Say what would be left, and write nothing but reports.")
def anonymize(
    source: Path,
    k: int | None,
    l: int | None,  # noqa: E741 - the paper's letter
    c: float | None,
    mode: str,
    schema: Path | None,
    allow_sensitive: tuple[str, ...],
    dry_run: bool,
    output: Path | None,
    report: Path | None,
    owner_report: Path | None,
    sign: Path | None,
    replace: bool,
) -> None:
    """Prune TREE (JSON, as confide share train or DecisionTree.to_json write it) until every leaf keeps the promise.

    TREE may also be a set of disjoint rules (JSON, as RuleSet.to_json writes it): rules are merged until each keeps it.
    Rules that overlap are refused.
    """
    from confide.core.errors import UsageError
    from confide.core.tables.schema import Schema
    from confide.share.anonymization.leaf_tests import Mode
    from confide.share.tasks.anonymize import AnonymizingRequest
    from confide.share.tasks.anonymize import anonymize as anonymize_any
    from confide.share.tasks.trees import read_tree_or_rules

    if output is None and not dry_run:
        raise UsageError("say where the tree goes with -o FILE, or --dry-run to see what would be left")
    files = ReleaseFiles.checked(
        None if dry_run else output, report=report, owner_report=owner_report, sign=sign, replace=replace,
        inputs=[source, schema],
    )  # fmt: skip
    request = AnonymizingRequest(
        requirement=promised(k, l, c),
        mode=cast(Mode, mode),
        schema=None if schema is None else Schema.read(schema),
        allow_sensitive=allow_sensitive,
    )
    done = anonymize_any(read_tree_or_rules(source), request)
    files.hand_out(done.release)
    for text in done.notes:
        note(text)
    print_json({"requirement": request.requirement.to_dict(), "loss": dict(done.release.loss), "written": not dry_run})
