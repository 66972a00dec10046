"""Answers in any form in which a miner has them, counted: in memory, as a frame, in files."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

from confide.collect.answers.answer_files import COLUMNS, Answers, read_answers
from confide.collect.designs.design_estimates import SupportTally
from confide.collect.designs.field_blocks import Block
from confide.core.datasets.intake import as_rows
from confide.core.datasets.loading import load_rows
from confide.core.datasets.spark.frames import is_spark_frame
from confide.core.datasets.stored_table import StoredColumns
from confide.core.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["collect_answers", "count_answers"]


def count_answers(blocks: Sequence[Block], perturbed: Any) -> SupportTally:
    """The tally of `Answers`, of lists [question, number, ...], or of a table with the columns of `answer_files`.

    Tables in files are read batch by batch.
    """
    rows = as_rows(perturbed) if isinstance(perturbed, str | PathLike) or is_spark_frame(perturbed) else perturbed
    if not hasattr(rows, "engine"):
        return SupportTally.count(blocks, collect_answers(rows))
    source = StoredColumns(rows, COLUMNS, COLUMNS)
    tally: SupportTally = rows.engine.fold(source, _CountAnswers(tuple(blocks)), label="counting answers")
    return tally


def collect_answers(perturbed: Any) -> Answers:
    """Answers of any form as `Answers`, all of them in memory."""
    if isinstance(perturbed, Answers):
        return perturbed
    if isinstance(perturbed, list | tuple):
        if any(not isinstance(one, list | tuple) or any(type(code) is not int for code in one) for one in perturbed):
            raise InputError("an answer must be a list of whole numbers, as perturb gives it")
        return Answers.from_wire(perturbed)
    return read_answers(load_rows(as_rows(perturbed)) if isinstance(perturbed, str | PathLike) else perturbed)


@dataclass(frozen=True)
class _CountAnswers:
    """The pass that counts answers in files."""

    blocks: tuple[Block, ...]

    shared = False

    def begin(self) -> SupportTally:
        """Nothing counted yet."""
        return SupportTally.empty(self.blocks)

    def add(self, state: SupportTally, batch: "tuple[int, pa.RecordBatch]") -> SupportTally:
        """These answers too."""
        return state.add(SupportTally.count(self.blocks, read_answers(batch[1])))

    def merge(self, one: SupportTally, other: SupportTally) -> SupportTally:
        """Both tallies together."""
        return one.add(other)
