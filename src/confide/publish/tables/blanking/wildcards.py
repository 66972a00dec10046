"""What it would take if a blank matched anything, as sdcMicro counts, and whom that would expose. For comparison only.

"(blank, 30), (F, 30)" then counts as two rows alike. Who looks for (M, 30) has one row left.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from confide.publish.tables.coding import CodedTable

__all__ = ["Wildcards", "count_wildcards"]

_MOST = 5_000  # different combinations of values


@dataclass(frozen=True, kw_only=True)
class Wildcards:
    """The `blanks` it takes, in how many `rows`; of these rows, how many have true values that fewer than k released
    rows fit (`exposed`), or one alone (`alone`)."""

    blanks: int
    rows: int
    exposed: int
    alone: int

    def note(self, k: int) -> str:
        """One sentence for the owner."""
        share = self.exposed / max(1, self.rows)
        return (
            f"if a blank matched anything, {self.blanks:,} blanks in {self.rows:,} rows would do for k={k}; but the "
            f"true values of {share:.0%} of these rows fit fewer than {k} released rows, of {self.alone:,} only one"
        )


def count_wildcards(table: CodedTable, k: int) -> Wildcards | None:
    """Blank the fewest values of each row that has too few matches; None where there are too many kinds of rows.

    A set of blanks of a row is the first, by size and then by how many match, with which k rows match.
    """
    codes = np.stack([column.maps[column.lowest][column.codes] for column in table.quasi], axis=1)
    combos, counts = np.unique(codes, axis=0, return_counts=True)
    if len(combos) > _MOST:
        return None
    rows, many = combos.astype(np.int64), counts.astype(np.int64)  # what is released; -1 is a blank
    sets = [blank for size in range(1, rows.shape[1] + 1) for blank in combinations(range(rows.shape[1]), size)]
    true: list[NDArray[np.int64]] = []
    blanks = 0
    for combo, count in zip(combos.astype(np.int64), counts.tolist(), strict=True):
        for _ in range(count):
            if _matches(rows, many, combo) >= k:
                break
            chosen: tuple[int, ...] = sets[-1]
            for size in range(1, rows.shape[1] + 1):
                tried = [(_matches(rows, many, _with(combo, blank)), blank) for blank in sets if len(blank) == size]
                most, best = max(tried, key=lambda pair: pair[0])
                if most >= k:
                    chosen = best
                    break
            place = int(np.flatnonzero((rows == combo).all(axis=1))[0])
            many[place] -= 1
            rows, many = np.vstack([rows, _with(combo, chosen)]), np.append(many, 1)
            true.append(combo)
            blanks += len(chosen)
    fitting = [int(many[((rows == own) | (rows < 0)).all(axis=1)].sum()) for own in true]
    return Wildcards(
        blanks=blanks,
        rows=len(true),
        exposed=sum(count < k for count in fitting),
        alone=sum(count == 1 for count in fitting),
    )


def _with(combo: NDArray[np.int64], blank: tuple[int, ...]) -> NDArray[np.int64]:
    found = combo.copy()
    found[list(blank)] = -1
    return found


def _matches(rows: NDArray[np.int64], many: NDArray[np.int64], row: NDArray[np.int64]) -> int:
    """How many rows match, where a blank on either side matches anything."""
    asked = row >= 0
    same = (rows[:, asked] == row[asked]) | (rows[:, asked] < 0)
    return int(many[same.all(axis=1)].sum())
