"""Kernels that write one array into another of the same length, entry by entry.

Where a kernel says `target[a:b] = source` or `rows[i] += row`, numba compiles the wording of the error for unequal
shapes with it: 1.7 s a process.
"""

from typing import Any

from confide.core.runtime.jit import kernel


@kernel
def copy_into(target: Any, source: Any) -> None:
    """Write `source` over the beginning of `target`."""
    for i in range(len(source)):
        target[i] = source[i]


@kernel
def add_into(target: Any, source: Any) -> None:
    """Add `source` to the beginning of `target`."""
    for i in range(len(source)):
        target[i] += source[i]
