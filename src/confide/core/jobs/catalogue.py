"""Jobs by the words of the command line: `confide mine itemsets` is the job "mine itemsets".

    STAGE/jobs.py: JOBS = (Job(name="mine itemsets", ...), ...) --> command line, request files, forms, reference
                   GROUPS = {"mine": "Find frequent itemsets and rules."}     help of the words in front

Which modules hold the jobs of a word stands in `core/stages.py`, so that nothing is imported before it is needed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any, Generic, TypeVar

from confide.core.errors import UsageError
from confide.core.jobs.delivery import AnswerFiles, Delivery
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.jobs.request import Request
from confide.core.stages import OTHER_JOBS, STAGES, named

__all__ = ["Job", "all_jobs", "groups_of", "job_named", "jobs_of"]

R = TypeVar("R", bound=Request)
Runs = Callable[[Any, Host], Outcome]


@dataclass(frozen=True, kw_only=True)
class Job(Generic[R]):
    """One job: its words on the command line, the request it takes, who runs it, and where its outcome goes.

    A `live` job talks to other programs, serves, or asks the person: it cannot be begun a second time. A `remote` one
    speaks to other machines, or lets them ask: the studio, from which nothing leaves the machine, never runs it.
    `stray` is what to tell somebody who names a file where the command takes none; braces stand for the file.
    `at` is the dotted path of the function that runs it, imported when it is needed: whoever lists jobs, or shows help,
    reads requests alone. Calling a job runs it: `MINE_ITEMSETS(MineItemsets(records="baskets.csv", min_support=0.01))`.
    """

    name: str
    request: type[R]
    at: str
    delivery: type[Delivery] = AnswerFiles
    examples: tuple[str, ...] = ()
    stray: str = ""
    live: bool = False
    remote: bool = False

    def __call__(self, request: R, host: Host = QUIET) -> Outcome:
        run: Runs = named(self.at)
        return run(request, host)

    @property
    def help(self) -> str:
        """What the job does: the docstring of its request."""
        return cleandoc(self.request.__doc__ or "")

    @property
    def summary(self) -> str:
        """The first sentence of the help."""
        return " ".join(self.help.split("\n\n")[0].split())


def jobs_of(module: str) -> tuple[Job[Any], ...]:
    """The jobs that a module of requests lists as `JOBS`."""
    listed: tuple[Job[Any], ...] = named(f"{module}:JOBS")
    return listed


def groups_of(module: str) -> Mapping[str, str]:
    """The help of each group of commands that a module of requests lists as `GROUPS`: "search", "search profile"."""
    listed: Mapping[str, str] = named(f"{module}:GROUPS")
    return listed


def all_jobs() -> list[Job[Any]]:
    """Every job: those of the stages in the order in which data changes hands, then the others."""
    modules = [module for stage in STAGES.values() for module in stage.jobs]
    return [job for module in dict.fromkeys((*modules, *OTHER_JOBS.values())) for job in jobs_of(module)]


def job_named(name: str) -> Job[Any]:
    """The job of these words, or an error that lists those there are."""
    known = {job.name: job for job in all_jobs()}
    if name not in known:
        raise UsageError(f"no job is called {name[:60]!r}; jobs are: {', '.join(sorted(known))}")
    return known[name]
