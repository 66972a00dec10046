"""What threads of a search share and give back, as the kernels take it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Found", "Seen"]


class Found(NamedTuple):
    """The records of one worker and the groups they are in; see `_record_kernels`."""

    records: NDArray[np.uint64]
    groups: NDArray[np.int64]
    universes: NDArray[np.int32]
    ends: NDArray[np.int64]  # of each group's records
    sizes: NDArray[np.float64]  # of what each group stands for: itemsets, and items in them


class Seen(NamedTuple):
    """Maximal sets that threads have found: `found[t, : n_found[t]]` by thread t; this one is number `thread`.

    Rows have a fixed size, and a full one takes no more.
    """

    found: NDArray[np.uint64]
    n_found: NDArray[np.int64]
    thread: int
