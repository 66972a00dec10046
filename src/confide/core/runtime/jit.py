"""The one door to numba: every kernel of the package is made by `kernel`, compiled or interpreted.

    _kernels modules --> jit --> compiled      by numba: seconds once on a machine, then fast
                             --> interpreted   as the Python they are: at once, and slow

Which of the two, is decided once for a process, before the first kernel is imported: never from call to call, since
threads of one job share arrays, and the two differ in when an array's entry is seen to have changed.
"""

import os
from collections.abc import Callable
from typing import Any

__all__ = [
    "INTERPRETED",
    "VARIABLE",
    "claim",
    "interpreted_as",
    "kernel",
    "load_word",
    "popcount",
    "prefetch",
    "stopped",
    "trailing_zeros",
]

VARIABLE = "CONFIDE_KERNELS"
"""The environment variable that says how kernels of this process and its children are run: "interpreted", or not."""

INTERPRETED = os.environ.get(VARIABLE) == "interpreted"

if INTERPRETED:
    from confide.core.runtime.interpreted import (
        claim,
        kernel,
        load_word,
        popcount,
        prefetch,
        stopped,
        trailing_zeros,
    )
else:
    from confide.core.runtime.compiled import (
        claim,
        kernel,
        load_word,
        popcount,
        prefetch,
        stopped,
        trailing_zeros,
    )


def interpreted_as(plain: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A kernel that numpy does in a few calls: `plain` is used where kernels are interpreted, the kernel elsewhere."""
    return lambda function: plain if INTERPRETED else kernel(function)
