"""The engine for several machines: Apache Spark's tasks take shards, and run the same passes as threads do here.

    driver                               tasks, anywhere
    source, job --pickled-->             begin, add, add, ... over the shards of one task
                                         merge, two by two (Spark's tree)  --pickled--> the state of all

Files are read where the tasks run, so every machine must see the same paths, and have Confide installed. A task that
dies with its machine is run again by Spark, from the first record of its shards: states depend on records alone, and
parts are written under names of their own and then renamed, so nothing is counted or written twice.

A task uses one core. What goes wrong in one comes back as the one line it would be here.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from confide.core.datasets.protocol import GroupPass, Pass, Source
from confide.core.errors import ConfideError, UnreachableError
from confide.core.runtime import progress
from confide.core.runtime.threads import limited_cores

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SparkEngine", "spark_engine"]

B = TypeVar("B")
S = TypeVar("S")
R = TypeVar("R")

_TASKS_A_CORE = 3  # so that a slow task does not hold up a pass, yet few states are merged
_LOOK = 0.2  # seconds between looks at the progress


@dataclass(frozen=True)
class _Failed:
    """An error of a task, as it crosses to the driver."""

    kind: type[ConfideError]
    text: str

    def error(self) -> ConfideError:
        made: ConfideError = self.kind.__new__(self.kind)
        Exception.__init__(made, self.text)
        return made


@dataclass(frozen=True)
class _Done:
    """What a task made."""

    value: Any


@dataclass
class SparkEngine:
    """Runs passes on a Spark session."""

    session: Any
    passes: int = field(default=0, compare=False)

    @property
    def name(self) -> str:
        """The word for it."""
        return "spark"

    def __reduce__(self) -> tuple[Any, ...]:
        # A source that is sent to a task has its engine along, where nobody asks it anything.
        return (_nowhere, ())

    def fold(self, source: Source[B], job: Pass[B, S], *, label: str) -> S:
        """The state of all records."""
        shards = list(source.shards)
        if not shards:
            return job.begin()
        slices = min(len(shards), _TASKS_A_CORE * self.session.sparkContext.defaultParallelism)

        def count(own: Iterable[Any]) -> Iterator[_Done | _Failed]:
            yield _guarded(lambda: _folded(source, job, own))

        def joined(one: _Done | _Failed, other: _Done | _Failed) -> _Done | _Failed:
            for each in (one, other):
                if isinstance(each, _Failed):
                    return each
            assert isinstance(one, _Done)
            assert isinstance(other, _Done)
            mine, theirs = one.value, other.value
            return _guarded(lambda: job.merge(mine, theirs))

        def work() -> _Done | _Failed:
            states = self.session.sparkContext.parallelize(shards, slices).mapPartitions(count)
            found: _Done | _Failed = states.treeReduce(joined)
            return found

        state: S = _value(self._run(work, slices, label))
        return state

    def groups(
        self, source: Source[B], job: GroupPass[B, S], solve: "Callable[[pa.Table], R]", *, label: str
    ) -> list[R]:
        """What `solve` makes of all groups, at the driver."""
        table = job.table(self.fold(source, job, label=label))
        return [solve(table)] if table.num_rows else []

    def each(self, source: Source[B], work: Callable[[int, Iterator[B]], R], *, label: str) -> list[R]:
        """One result for each shard: a task each."""
        shards = list(enumerate(source.shards))
        if not shards:
            return []

        def one(numbered: tuple[int, Any]) -> _Done | _Failed:
            number, shard = numbered

            def run() -> R:
                with limited_cores(1):
                    return work(number, source.read(shard))

            return _guarded(run)

        def all_of() -> list[_Done | _Failed]:
            made: list[_Done | _Failed] = self.session.sparkContext.parallelize(shards, len(shards)).map(one).collect()
            return made

        return [_value(found) for found in self._run(all_of, len(shards), label)]

    def _run(self, work: Callable[[], R], tasks: int, label: str) -> R:
        """Run a job in a thread, so that this one tells the progress and answers Ctrl-C."""
        self.passes += 1
        context, group = self.session.sparkContext, str(uuid4())
        done: Future[R] = Future()

        def job() -> None:
            try:
                context.setJobGroup(group, f"confide: {label}", True)
                done.set_result(work())
            except BaseException as error:  # raised where the result is asked for
                done.set_exception(error)

        with progress.task(f"pass {self.passes}: {label}", total=tasks) as step:
            threading.Thread(target=job, daemon=True).start()
            said = 0
            try:
                while True:
                    try:
                        return done.result(timeout=_LOOK)
                    except TimeoutError:
                        if done.done():
                            raise
                    now = min(tasks, self._finished(group))
                    if now > said:
                        step(now - said)
                        said = now
            except ConfideError:
                raise
            except Exception as error:
                raise _explained(error) from None
            finally:
                if not done.done():
                    context.cancelJobGroup(group)

    def _finished(self, group: str) -> int:
        """Tasks of the first stage that are done."""
        tracker = self.session.sparkContext.statusTracker()
        stages = [
            stage
            for job in tracker.getJobIdsForGroup(group)
            if (info := tracker.getJobInfo(job)) is not None
            for stage in info.stageIds
        ]
        found = tracker.getStageInfo(min(stages)) if stages else None
        return 0 if found is None else int(found.numCompletedTasks)


def spark_engine(master: str | None) -> SparkEngine:
    """The engine on the Spark session that runs already, else on one of its own; see `spark_session`."""
    from confide.core.datasets.spark.spark_session import spark_session

    return SparkEngine(spark_session(master))


def _nowhere() -> Any:
    from confide.core.datasets.stream_engine import StreamEngine

    return StreamEngine(threads=1)


def _folded(source: Source[B], job: Pass[B, S], shards: Iterable[Any]) -> S:
    with limited_cores(1):
        state = job.begin()
        for shard in shards:
            for batch in source.read(shard):
                state = job.add(state, batch)
    return state


def _guarded(work: Callable[[], Any]) -> _Done | _Failed:
    """What `work` gives, or its error if that is one of ours; anything else is a bug, or lets Spark try again."""
    try:
        return _Done(work())
    except ConfideError as error:
        return _Failed(type(error), str(error))


def _value(found: _Done | _Failed) -> Any:
    if isinstance(found, _Failed):
        raise found.error()
    return found.value


def _explained(error: Exception) -> Exception:
    """Spark's errors are pages long; what a person needs of them is one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = next((line for line in lines if "Error" in line or "Exception" in line), lines[0] if lines else "no reason")
    if any("SparkContext" in line and ("stopped" in line or "shut down" in line) for line in lines):
        return UnreachableError("the Spark session was stopped while a pass ran; start the run again")
    if type(error).__module__.startswith(("pyspark", "py4j")):
        return UnreachableError(f"Spark gave a pass up: {told[:300]}")
    return error
