"""Jobs by the words of the command line: `confide mine itemsets` is the job "mine itemsets".

    STAGE/jobs.py: @job("mine itemsets", ...) --> Job --> command line, request files, forms, reference, studio

Which module holds the jobs of a word stands in `core/stages.py`, so that nothing is imported before it is needed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from inspect import cleandoc, signature
from typing import Any, Generic, TypeVar, get_type_hints

from confide.core.errors import UsageError
from confide.core.jobs.delivery import AnswerFiles, Delivery
from confide.core.jobs.outcome import Outcome
from confide.core.jobs.request import Request
from confide.core.stages import STAGES

__all__ = ["Job", "job", "job_named", "jobs_of"]

R = TypeVar("R", bound=Request)
Runs = Callable[..., Outcome]


@dataclass(frozen=True, kw_only=True)
class Job(Generic[R]):
    """One job: its words on the command line, the request it takes, who runs it, and where its outcome goes.

    Calling a job runs it: `mine_itemsets(MineItemsets(records="baskets.csv", min_support=0.01))`.
    """

    name: str
    request: type[R]
    run: Runs
    delivery: type[Delivery] = AnswerFiles
    examples: tuple[str, ...] = ()

    def __call__(self, request: R, **listening: Any) -> Outcome:
        return self.run(request, **listening)

    @property
    def help(self) -> str:
        """What the job does: the docstring of its request."""
        return cleandoc(self.request.__doc__ or "")

    @property
    def summary(self) -> str:
        """The first sentence of the help."""
        return " ".join(self.help.split("\n\n")[0].split())


def job(name: str, *examples: str, delivery: type[Delivery] = AnswerFiles) -> Callable[[Runs], Job[Any]]:
    """Make a job of a function `run(request, *, say) -> Outcome`; its request's type is the first argument's."""

    def make(run: Runs) -> Job[Any]:
        first = next(iter(signature(run).parameters))
        return Job(name=name, request=get_type_hints(run)[first], run=run, delivery=delivery, examples=examples)

    return make


def jobs_of(module: str) -> Iterator[Job[Any]]:
    """The jobs that a module defines, in its order."""
    return (value for value in vars(import_module(module)).values() if isinstance(value, Job))


def job_named(name: str) -> Job[Any]:
    """The job of these words, or an error that lists those there are."""
    known = {found.name: found for stage in STAGES.values() if stage.jobs for found in jobs_of(stage.jobs)}
    if name not in known:
        raise UsageError(f"no job is called {name[:60]!r}; jobs are: {', '.join(sorted(known))}")
    return known[name]
