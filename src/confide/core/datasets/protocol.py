"""How something is computed on records that need not be in memory.

A *source* is a data set in *shards*, each a stretch of records that can be read on its own, anywhere, in *batches*. A
*pass* is what somebody wants to know of it: what a batch adds to a state, and how two states become one. An *engine*
runs the pass: it reads shards where and when it likes, and gives the state of all records.

                  begin() --add(batch)--add(batch)--+
    shard, shard                                    +-- merge --> state       fold: any number of states, any order
                  begin() --add(batch)--------------+

    fold(source, job)            the state of all records
    groups(source, job, solve)   the same, but the state is laid out as a table with a column `group`; `solve` gets all
                                 rows of some groups, never a part of a group, and may run anywhere
    each(source, work)           one result for each shard, in the order of the shards: for writing parts

    StreamEngine   one machine: threads take batches, states are one a thread, or one for all (`shared`)
    Spark          tasks take shards; what is sent to them (source, job, solve, work) and back is pickled

What an engine may rely on, and every job must keep to:

- `merge` is associative and commutative, and `begin()` changes nothing it is merged with. So the state depends on the
  records alone, not on how they were cut into batches, nor on who read them;
- sources, jobs, solvers and results can be pickled, and states can, unless the job is `shared`;
- a job draws no randomness of its own in `begin`; a job that perturbs draws from the system where it runs, in `add`.

`core` runs functions it is given and knows none of them: `mining` and `publish` hand in theirs, and `audit` its own.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["RecordEngine", "GroupPass", "Pass", "Source"]

B = TypeVar("B")
B_co = TypeVar("B_co", covariant=True)
B_contra = TypeVar("B_contra", contravariant=True)
S = TypeVar("S")
R = TypeVar("R")


class Source(Protocol[B_co]):
    """A data set in shards."""

    @property
    def shards(self) -> Sequence[Any]:
        """The shards, in the order of the records: small things that can be pickled."""
        ...

    def read(self, shard: Any) -> Iterator[B_co]:
        """The batches of one shard, in order; from the first again with every call."""
        ...


class Pass(Protocol[B_contra, S]):
    """What is to be known of all records, as a state that batches add to.

    `shared` says that one state serves all threads of a machine: `add` then sees to it that two threads do not disturb
    each other, and what it returns is the state it was given.
    """

    @property
    def shared(self) -> bool:
        """Whether threads of one machine add to one and the same state."""
        ...

    def begin(self) -> S:
        """The state of no records."""
        ...

    def add(self, state: S, batch: B_contra) -> S:
        """The state with these records added; it may be changed in place."""
        ...

    def merge(self, one: S, other: S) -> S:
        """The state of the records of both; either may be changed in place."""
        ...


class GroupPass(Pass[B_contra, S], Protocol[B_contra, S]):
    """A pass whose state can be cut into groups."""

    def table(self, state: S) -> "pa.Table":
        """The state as a table: a column `group` of whole numbers, ascending, and whatever the solver needs."""
        ...


class RecordEngine(Protocol):
    """Runs passes over sources; see this module."""

    @property
    def name(self) -> str:
        """stream or spark."""
        ...

    def fold(self, source: Source[B], job: Pass[B, S], *, label: str) -> S:
        """The state of all records. Progress is told under `label`."""
        ...

    def groups(
        self, source: Source[B], job: GroupPass[B, S], solve: "Callable[[pa.Table], R]", *, label: str
    ) -> list[R]:
        """What `solve` makes of tables of whole groups: one result a call, in any order, none for no group."""
        ...

    def each(self, source: Source[B], work: Callable[[int, Iterator[B]], R], *, label: str) -> list[R]:
        """`work(number of the shard, its batches)` for each shard; results in the order of the shards."""
        ...
