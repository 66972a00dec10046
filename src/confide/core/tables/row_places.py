"""Where in a table something was found, in words: how many rows, and the first of them.

The value itself is left out, since it may be somebody's; the owner finds it in that row.
"""

from typing import Any

import numpy as np

__all__ = ["name_rows"]


def name_rows(found: Any, times: Any = None) -> str:
    """Count the rows that `found` (true or false for each row) marks, and name the first, counted from 1.

    With `times`, each row stands for so many, of which nobody knows where they were.

    >>> name_rows([False, True, False, True])
    'in 2 of 4 rows, first in row 2'
    >>> name_rows([False, True, False, True], times=[10, 5, 1, 1])
    'in 6 of 17 rows'
    """
    marked = np.flatnonzero(np.asarray(found))
    if times is not None:
        return f"in {np.asarray(times)[marked].sum():,} of {np.sum(times):,} rows"
    return f"in {len(marked):,} of {len(found):,} rows, first in row {marked[0] + 1:,}"
