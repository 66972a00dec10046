"""Least squares under what is known of sets inside each other: the nearest supports that some records could have.

For a set I and items a, b outside it, no pattern has fewer than 0 records:

    T(I) - T(Ia) >= 0          T(I) - T(Ia) - T(Ib) + T(Iab) >= 0

By projected gradients of the dual problem, accelerated (Beck and Teboulle 2009): a multiplier of 0 or more for each
line.
"""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

__all__ = ["project_supports"]

Floats = NDArray[np.float64]
_MOST_ROUNDS = 2000
_STILL = 1e-5


def project_supports(known: Mapping[frozenset[str], float], *, records: int) -> dict[frozenset[str], float]:
    """The nearest supports under which no pattern of two absent items or one has fewer than 0 records."""
    sets = [*known, frozenset[str]()]
    place = {items: i for i, items in enumerate(sets)}
    rows: list[tuple[int, int, int, int]] = []
    for items in known:
        for a in items:
            rest = items - {a}
            if rest in place:
                rows.append((place[rest], place[items], -1, -1))
        for a, b in combinations(sorted(items), 2):
            parts = items - {a, b}, items - {b}, items - {a}, items
            if all(part in place for part in parts):
                rows.append((place[parts[0]], place[parts[1]], place[parts[2]], place[parts[3]]))
    values = np.array([*known.values(), float(records)])
    if rows:
        values = _nearest(values, np.array(rows, dtype=np.int64))
    return {items: float(values[i]) for items, i in place.items() if items}


def _nearest(values: Floats, rows: NDArray[np.int64]) -> Floats:
    """The nearest point to `values` with row[0] - row[1] - row[2] + row[3] >= 0 in each row; -1 is left out. The last
    value, the size of the window, is public and stays."""
    from scipy.sparse import csr_matrix

    there = rows >= 0
    signs = np.broadcast_to([1.0, -1.0, -1.0, 1.0], rows.shape)[there]
    lines = np.broadcast_to(np.arange(len(rows))[:, None], rows.shape)[there]
    whole = csr_matrix((signs, (lines, rows[there])), shape=(len(rows), len(values)))
    free = whole[:, :-1]
    start = whole @ values
    length = np.abs(free).sum(axis=0).max() * np.abs(free).sum(axis=1).max()  # at least the largest eigenvalue
    multipliers, ahead, pace = np.zeros(len(rows)), np.zeros(len(rows)), 1.0
    for _ in range(_MOST_ROUNDS):
        slack = start + free @ (free.T @ ahead)
        new = np.maximum(ahead - slack / length, 0.0)
        faster = (1 + np.sqrt(1 + 4 * pace * pace)) / 2
        ahead, moved = new + (pace - 1) / faster * (new - multipliers), float(np.abs(new - multipliers).max())
        multipliers, pace = new, faster
        if moved < _STILL:
            break
    found: Floats = values + np.append(free.T @ multipliers, 0.0)
    return found
