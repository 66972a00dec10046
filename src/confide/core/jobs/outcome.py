"""What a job is given beside its request, and what it gives back.

request, Host --> run --> Outcome --> a command prints it, a page draws it, a script takes the answer
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from confide.core.figures import Study
    from confide.core.release import Release

__all__ = ["QUIET", "Host", "Outcome", "Row", "Rows", "Say"]

Row = Mapping[str, Any]
Rows = Callable[[], Iterable[Row]]
"""Makes the rows when somebody wants to see them."""
Say = Callable[[str], None]
"""Hears a sentence for the person while a job runs."""


def _keep_quiet(text: str) -> None:
    """Whoever calls a job from Python reads its notes afterwards."""


def _refuse(question: str) -> bool:
    """Whoever cannot be asked has not agreed."""
    return False


@dataclass(frozen=True, kw_only=True)
class Host:
    """Who runs a job: hears what it says meanwhile, answers what it asks, and knows what will be done with the outcome.

    `output` is where a release will be written, which records that are not in memory need to know; `owner` says that
    the owner's part of it is wanted.
    """

    say: Say = _keep_quiet
    ask: Callable[[str], bool] = _refuse
    output: Path | None = None
    owner: bool = False


QUIET = Host()
"""A script: nobody listens, nobody answers."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a job.

    `release` is a verified release, or `answer` what was asked for (itemsets, a tree, a plan), in the type that the
    function of the same name gives in Python; `save` writes it, where its type alone does not say how, and returns what
    to tell the person. For standard output there is `document`, one JSON value, or `rows` (and `reading`, the same for
    people, under `title`, with a `legend` beside it). `summary` names the answer in a few words. `notes` are sentences
    for the person who asked. `page` makes a page about it.
    """

    release: "Release[Any] | None" = None
    answer: Any = None
    save: Callable[[Path, bool], str] | None = None
    document: Mapping[str, Any] | None = None
    rows: Rows = tuple
    reading: Rows | None = None
    title: str = ""
    legend: str = ""
    summary: str = ""
    notes: tuple[str, ...] = ()
    page: "Callable[[], Study] | None" = None
