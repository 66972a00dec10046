"""`confide stream look`: what a published run says, with the bounds that the noise leaves."""

from dataclasses import asdict
from pathlib import Path

import click

from confide.cli.options import EXISTING, SHARE, form_options, print_rows

__all__ = ["look"]


@click.command(
    epilog="""\b
Examples:
  confide stream look frequent.jsonl --top 5 --table
  confide stream look frequent.jsonl --release 1 --rules 50% --table
"""
)
@click.argument("run", metavar="RUN.jsonl", type=EXISTING)
@click.option("--release", "number", type=click.IntRange(1), help="Which release [the last].")
@click.option("--top", type=click.IntRange(1), help="The so many largest sets [20].")
@click.option("--rules", "confidence", type=SHARE, help="Instead: association rules that may reach this confidence.")
@form_options
def look(run: Path, number: int | None, top: int | None, confidence: float | None, form: str) -> None:
    """Read a release of a published run: its largest sets, or association rules, each with what is certain of it.

    Anybody can do this: bounds follow from the first line of the run. Verify the run first (confide verify).
    """
    from confide.core.errors import UsageError
    from confide.core.streams.run import StreamRun
    from confide.stream.results.bounds import PublishedBounds
    from confide.stream.results.ranking import top_published
    from confide.stream.results.rules import published_rules

    if top is not None and confidence is not None:
        raise UsageError("--top and --rules are two questions; ask one at a time")
    found = StreamRun.read(run)
    chosen = found.release(number)
    bounds = PublishedBounds(found.header)
    title = f"release {chosen.number}, after {chosen.offset:,} records"
    if confidence is not None:
        rules = published_rules(chosen.data, bounds, min_confidence=confidence)
        print_rows([asdict(rule) for rule in rules], form=form, title=title)
        return
    ranked = top_published(chosen.data, bounds, k=top or 20)
    print_rows([asdict(one) for one in ranked], form=form, title=title)
