"""`confide stream plan`: from wanted precision to parameters."""

from typing import Any

import click

from confide.cli.options import EXISTING, NEW, NUMBER, SHARE, note, print_json

__all__ = ["plan"]


@click.command(
    epilog="""\b
Examples:
  confide stream plan --min-support 25 --vulnerable 5 --error 15%
  confide stream plan --min-support 25 --delta 0.4 --sample clicks.jsonl --window 1000 --report plan.html
"""
)
@click.option(
    "--min-support", metavar="C", type=int, required=True, help="Itemsets in at least C records are frequent."
)
@click.option(
    "--vulnerable", metavar="K", type=int, default=5, show_default=True, help="Patterns of up to K records are rare."
)
@click.option("--error", type=SHARE, help="Wanted precision: how far off a support of C may be (15%).")
@click.option("--epsilon", type=NUMBER, help="The same as a relative squared error (0.0225).")
@click.option("--delta", type=NUMBER, help="Wanted protection [the most that precision leaves; else 0.4].")
@click.option(
    "--noise", type=click.Choice(["uniform", "triangular", "rademacher"]), default="uniform", show_default=True
)
@click.option("--sample", type=EXISTING, help="Records to try every scheme on (.dat, .jsonl, .csv, .parquet).")
@click.option(
    "--window",
    "records",
    type=click.IntRange(1),
    default=2000,
    show_default=True,
    help="Records of a window of the sample.",
)
@click.option("--report", type=NEW, help="Write a page with the trade-off here.")
@click.option("--replace", is_flag=True, help="Overwrite files that exist.")
def plan(**given: Any) -> None:  # fmt: skip
    """Choose epsilon and delta for a stream, and see what each scheme keeps.

    The answer goes to stdout as JSON. With --sample it says what lambda buys: pairs of itemsets whose order, and whose
    ratio, is kept. Exit status 1 when no noise fits within the precision that is asked for.
    """
    from confide.core.errors import UsageError
    from confide.core.file_groups import check_outputs
    from confide.core.transactions.container import Transactions
    from confide.stream.planning.plan import plan_stream

    if given["error"] is not None and given["epsilon"] is not None:
        raise UsageError("--error and --epsilon say the same; give one")
    check_outputs([given["report"]], inputs=[given["sample"]], replace=given["replace"])
    sample = None if given["sample"] is None else Transactions.read(given["sample"])
    asked = {
        name: given[name] for name in ("min_support", "vulnerable", "epsilon", "delta", "error", "noise", "records")
    }
    done = plan_stream(**asked, sample=sample)
    if given["report"] is not None:
        from confide import report

        report.write_study(
            given["report"],
            "A plan for a stream",
            lead=done.requirement.promise(),
            facts=done.facts(),
            charts=done.charts(),
            private=sample is not None,
            replace=given["replace"],
        )
        note(f"page written to {given['report']}")
    print_json(done.answer)
