"""What a job gives back, whoever asked: a command prints it, a page draws it, a script takes the answer."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from confide.core.figures import Figures, Table
from confide.core.figures.charts import Chart

if TYPE_CHECKING:
    from confide.core.release import Release

__all__ = ["Outcome", "Row", "Rows", "Say", "keep_quiet"]

Row = Mapping[str, Any]
Rows = Callable[[], Iterable[Row]]
"""Makes the rows when somebody wants to see them."""
Say = Callable[[str], None]
"""Hears a sentence for the person while a job runs."""


def keep_quiet(text: str) -> None:
    """The `say` of whoever does not listen."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a job.

    `release` is a verified release, or `answer` what was asked for (itemsets, a tree, a plan), in the type that the
    function of the same name gives in Python. `rows` are the answer for programs, `reading` the same for people, under
    `title`. `notes` are sentences for the person who asked. `figures`, `charts` and `tables` are data for a page.
    """

    release: "Release[Any] | None" = None
    answer: Any = None
    rows: Rows = tuple
    reading: Rows | None = None
    title: str = ""
    summary: str = ""
    notes: tuple[str, ...] = ()
    figures: Figures = field(default_factory=Figures)
    charts: tuple[Chart, ...] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
