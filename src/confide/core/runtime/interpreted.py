"""Kernels as the Python they are, for a job that is done before numba would have compiled them. `jit` hands them out.

Numpy's own scalars must then mean what numba's do. They differ in two things that our kernels meet: sums of unsigned
words that wrap are what a hash wants, so no warning is given; and what is added to a small type stays small, which a
kernel avoids by widening what it reads.
"""

import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["claim", "kernel", "load_word", "popcount", "prefetch", "stopped", "trailing_zeros"]

warnings.filterwarnings("ignore", message="overflow encountered", category=RuntimeWarning)

_LOCK = threading.Lock()


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself."""
    return function


def popcount(word: Any) -> int:
    """Count the set bits of an unsigned 64-bit word."""
    bits: int = word.bit_count()
    return bits


def trailing_zeros(word: Any) -> int:
    """Number of zero bits below the lowest set bit of an unsigned 64-bit word; 64 for zero."""
    value = int(word)
    return (value & -value).bit_length() - 1 if value else 64


def load_word(text: Any, position: int) -> np.uint64:
    """The eight bytes from `position` of a contiguous byte array as one word, lowest byte first."""
    return np.uint64(int.from_bytes(text[position : position + 8].tobytes(), "little"))


def prefetch(table: Any, row: int, column: int) -> None:
    """Nothing: there is no cache line to ask for."""


def claim(counter: Any) -> int:
    """Give `counter[0]` and raise it by one; no two threads get the same number."""
    with _LOCK:
        number = int(counter[0])
        counter[0] += 1
        return number


def stopped(flag: Any) -> bool:
    """Whether `flag[0]` has been set."""
    return bool(flag[0] != 0)
