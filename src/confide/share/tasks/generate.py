"""Pseudo-data from one published tree: the paper's PGEN, or its BASEGEN to compare with."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from confide.core.errors import UsageError
from confide.core.randomness import Randomness
from confide.core.trees.published import PublishedTree
from confide.share.generation.baseline import generate_baseline
from confide.share.generation.pseudo_data import CAVEAT, Absent, Numbers
from confide.share.generation.pseudo_data import generate as generate_rows

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Generated", "GenerationRequest", "generate"]


@dataclass(frozen=True, kw_only=True)
class GenerationRequest:
    """What to make; the fields are those of `confide.share.generate`. `seed` repeats a run.

    `baseline` asks for random rows that the tree labels (BASEGEN), which have no place for `numbers` and `absent`.
    """

    rows: int | float | None = None
    class_column: str = "class"
    numbers: Numbers = "uniform"
    absent: Absent = "uniform"
    baseline: bool = False
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.baseline and (isinstance(self.rows, float) or (self.numbers, self.absent) != ("uniform", "uniform")):
            raise UsageError("baseline= takes a number of rows, not a multiple, and neither absent= nor numbers=")


@dataclass(frozen=True, kw_only=True)
class Generated:
    """The rows, and notes for whoever uses them."""

    table: "pa.Table"
    notes: tuple[str, ...]


def generate(tree: PublishedTree, request: GenerationRequest) -> Generated:
    """Make rows that the tree could have been learned from."""
    randomness = None if request.seed is None else Randomness.seeded(request.seed)
    if request.baseline:
        # A multiple of the tree's records was refused above.
        rows = None if request.rows is None else int(request.rows)
        table = generate_baseline(tree, rows=rows, class_column=request.class_column, randomness=randomness)
    else:
        table = generate_rows(
            tree,
            rows=request.rows,
            class_column=request.class_column,
            numbers=request.numbers,
            absent=request.absent,
            randomness=randomness,
        )
    return Generated(table=table, notes=(f"{table.num_rows:,} rows; {CAVEAT}",))
