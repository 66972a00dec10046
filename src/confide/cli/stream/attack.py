"""`confide stream attack`: the adversaries, against a recorded stream; for its owner."""

from pathlib import Path
from typing import Any

import click

from confide.cli.options import EXISTING, NEW, note, print_json

__all__ = ["attack"]


@click.command(
    epilog="""\b
Examples:
  confide stream attack clicks.jsonl --min-support 25 --window 1000 --every 500
  confide stream attack clicks.jsonl --published frequent.jsonl
"""
)
@click.argument("source", metavar="IN", type=EXISTING)
@click.option(
    "--published", type=EXISTING, help="A run that was released from IN: windows and promise are taken from it."
)
@click.option("--min-support", metavar="C", type=int, help="Itemsets in at least C records are frequent.")
@click.option(
    "--vulnerable", metavar="K", type=int, default=5, show_default=True, help="Patterns of up to K records are rare."
)
@click.option("--window", "records", type=int, help="A window of the last so many records.")
@click.option("--every", type=int, default=100, show_default=True, help="Records between two windows.")
@click.option("--between", is_flag=True, help="Also what follows from two neighbouring windows (slower).")
@click.option("--limit", type=click.IntRange(1), help="End after so many windows.")
@click.option("--owner-report", type=NEW, help="Write a page for the owner only here.")
@click.option("--replace", is_flag=True, help="Overwrite files that exist.")
def attack(source: Path, **given: Any) -> None:  # fmt: skip
    """Play the adversary against IN: which rare patterns would raw supports give away, and what is left to guess.

    The answer holds true counts: it is the owner's, and not a proof.
    """
    from confide.cli.stream.adversary import attack_stream
    from confide.core.errors import UsageError
    from confide.core.file_groups import check_outputs

    check_outputs([given["owner_report"]], inputs=[source, given["published"]], replace=given["replace"])
    if given["published"] is None and (given["min_support"] is None or given["records"] is None):
        raise UsageError("give --published RUN.jsonl, or --min-support and --window")
    found = attack_stream(source, **{k: v for k, v in given.items() if k not in ("owner_report", "replace")})
    for text in found.notes:
        note(text)
    if given["owner_report"] is not None:
        from confide import report

        report.write_study(
            given["owner_report"],
            found.title,
            lead=found.lead,
            facts=found.facts(),
            charts=found.charts(),
            tables={},
            private=True,
            replace=given["replace"],
        )
        note(f"page written to {given['owner_report']}")
    print_json(found.answer)
