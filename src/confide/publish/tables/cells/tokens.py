"""What the cells of a table hold, as a group test must know it; a kernel can read it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Tokens"]


class Tokens(NamedTuple):
    """What cells hold: those of cell i are `tokens[ptr[i] : ptr[i + 1]]`, `counts` times each; nothing without slots.

    `slot[token]` is the place of its value in a histogram of `width` values, or `width` if it stands for a person. With
    `distinct` a token counts once in a group, however many of its cells hold it.
    """

    ptr: NDArray[np.int64]
    tokens: NDArray[np.int32]
    counts: NDArray[np.int64]
    slot: NDArray[np.int32]
    width: int
    distinct: bool
