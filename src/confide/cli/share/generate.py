"""`confide share generate`: pseudo-data from one tree."""

from pathlib import Path
from typing import Any, cast

import click

from confide.cli.options import EXISTING, NEW, note

__all__ = ["ROWS", "generate"]


class _Rows(click.ParamType[int | float]):
    """A number of rows (5000), or a multiple of the tree's records (10x)."""

    name = "rows"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | float:
        if isinstance(value, int | float):
            return value
        text = str(value).strip().lower()
        try:
            return float(text[:-1]) if text.endswith("x") else int(text)
        except ValueError:
            self.fail(f"{value!r} is neither a number of rows (5000) nor a multiple (10x)", param, ctx)


ROWS = _Rows()


@click.command(
    epilog="""\b
Example:
  confide share generate north.json -o pseudo.csv --rows 5000
"""
)
@click.argument("source", metavar="TREE", type=EXISTING)
@click.option("-o", "--output", type=NEW, required=True, help="Where to write the rows (.csv, .parquet).")
@click.option("--rows", type=ROWS, help="How many, or a multiple such as 10x; default: the tree's own number.")
@click.option("--class-column", default="class", show_default=True, help="The name of the class column.")
@click.option(
    "--numbers", type=click.Choice(["uniform", "middle", "end"]), default="uniform", show_default=True,
    help="Where in its interval a number lies.",
)  # fmt: skip
@click.option(
    "--absent", type=click.Choice(["uniform", "marginals"]), default="uniform", show_default=True,
    help="Values that a path does not ask about.",
)  # fmt: skip
@click.option("--baseline", is_flag=True, help="Random rows labelled by the tree instead (the paper's BASEGEN).")
@click.option("--seed", type=click.IntRange(min=0), help="Repeat a run.")
@click.option("--replace", is_flag=True, help="Overwrite a file that exists.")
def generate(
    source: Path,
    output: Path,
    rows: int | float | None,
    class_column: str,
    numbers: str,
    absent: str,
    baseline: bool,
    seed: int | None,
    replace: bool,
) -> None:
    """Make rows that TREE could have been learned from, for learning other models.

    Pseudo-data carries no guarantee of its own. Publish the tree, not the rows.
    """
    from confide.core.file_groups import check_outputs
    from confide.core.tables.frames import write_table
    from confide.share.generation.pseudo_data import Absent, Numbers
    from confide.share.tasks.generate import GenerationRequest
    from confide.share.tasks.generate import generate as make
    from confide.share.tasks.trees import checked_trees

    check_outputs([output], inputs=[source], replace=replace)
    request = GenerationRequest(
        rows=rows,
        class_column=class_column,
        numbers=cast(Numbers, numbers),
        absent=cast(Absent, absent),
        baseline=baseline,
        seed=seed,
    )
    read = checked_trees([source])
    made = make(read.trees[0], request)
    write_table(made.table, output, replace=replace)
    for text in (*read.notes, f"written to {output}", *made.notes):
        note(text)
