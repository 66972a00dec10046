"""What a job is given beside its request, and what it gives back.

request, Host --> run --> Outcome --> a command prints it, a page draws it, a script takes the answer
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.runtime.lazy import call

if TYPE_CHECKING:
    from confide.core.errors import ConfideError
    from confide.core.figures import Study
    from confide.core.jobs.request import Request
    from confide.core.release import Release

__all__ = ["QUIET", "Host", "Outcome", "Row", "Rows", "Say", "Writer"]

Row = Mapping[str, Any]
Rows = Callable[[], Iterable[Row]]
"""Makes the rows when somebody wants to see them."""
Writer = Callable[[Path, bool], str]
"""Writes a file, overwriting it or not, and returns what to tell the person."""
Say = Callable[[str], None]
"""Hears a sentence for the person while a job runs."""


def _keep_quiet(text: str) -> None:
    """Whoever calls a job from Python reads its notes afterwards."""


def _refuse(question: str) -> bool:
    """Whoever cannot be asked has not agreed."""
    return False


def _know_no_secret(question: str, new: bool) -> str | None:
    """Whoever cannot be asked has no passphrase to give."""
    return None


@dataclass(frozen=True, kw_only=True)
class Host:
    """Who runs a job: hears what it says meanwhile, answers what it asks, and knows what will be done with the outcome.

    `output` is where a release will be written, which records that are not in memory need to know, and `trial` that it
    will not be after all; `owner` says that the owner's part of it is wanted, and `page` a page for everybody. `secret`
    asks for a passphrase, twice for a new one, and gives None where nobody can be asked. A job that writes while it
    runs overwrites files if `replace` says so, and signs with `key`.
    """

    say: Say = _keep_quiet
    ask: Callable[[str], bool] = _refuse
    secret: Callable[[str, bool], str | None] = _know_no_secret
    output: Path | None = None
    owner: bool = False
    page: bool = False
    trial: bool = False
    replace: bool = False
    key: Any = None


QUIET = Host()
"""A script: nobody listens, nobody answers."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a job.

    `release` is a verified release, or `answer` what was asked for (itemsets, a tree, a plan), in the type that the
    function of the same name gives in Python; `save` writes it, where its type alone does not say how, and returns what
    to tell the person. `files` does the same for each further file that the job's delivery has a field for (`mapping`,
    `lattice`), by the name of that field. For standard output there is `document`, one JSON value, or `rows` (and
    `reading`, the same for people, under `title`, with a `legend` beside it), or `words`, lines that may quote files
    and are shown as they are. `summary` names the answer in a few words. `notes` are sentences for the person who
    asked. `page` makes a page about it. `ok` is False where a check failed: the command then ends with 1. `failure` is
    what to raise once everything is shown; `tables` are tables for reading, by title, where one would not do. `repeat`
    is the request that gives the same again, where the one that was asked left something to time.
    """

    release: "Release[Any] | None" = None
    answer: Any = None
    save: Writer | None = None
    files: Mapping[str, Writer] = field(default_factory=dict)
    document: Mapping[str, Any] | Sequence[Any] | None = None
    rows: Rows = tuple
    reading: Rows | None = None
    tables: Mapping[str, Rows] = field(default_factory=dict)
    title: str = ""
    legend: str = ""
    summary: str = ""
    words: tuple[str, ...] = ()
    ok: bool = True
    failure: "ConfideError | None" = None
    notes: tuple[str, ...] = ()
    page: "Callable[[], Study] | None" = None
    repeat: "Request | None" = None

    def _repr_html_(self) -> str:
        """For notebooks: the release or answer as it looks by itself, and the notes."""
        return str(call("confide.report.notebook:outcome_html", self))
