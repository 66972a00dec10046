"""The protocol of sources: batches of records, in order, and how to read on from one.

A source of your own needs `name`, `replayable` and `batches`; `confide.stream.release_stream` takes it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from confide.core.transactions.container import Transactions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Batch", "RecordSource"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Batch:
    """Some records; `times` are their time stamps in seconds, where there are any.

    `place` is plain data that leads back to the first of them: `batches(place, ...)` begins there. None where the
    source cannot go back.
    """

    rows: Transactions
    times: "NDArray[np.float64] | None" = None
    place: dict[str, Any] | None = None


class RecordSource(Protocol):
    """Something to read records from."""

    @property
    def name(self) -> str:
        """For messages."""
        ...

    @property
    def replayable(self) -> bool:
        """Whether `batches` can begin at an earlier place: if not, a window fills afresh after a restart."""
        ...

    def batches(self, place: dict[str, Any] | None, stopped: Callable[[], bool]) -> Iterator[Batch | None]:
        """Batches from a place on (None: from the beginning); None in between says that nothing has come for now.

        It ends when there is no more to come, or soon after `stopped()` is true.
        """
        ...
