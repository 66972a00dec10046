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
    width = rows.shape[1]
    bits = 1 << np.arange(width)
    sets = [list(combinations(range(width), size)) for size in range(width + 1)]
    true: list[NDArray[np.int64]] = []
    blanks = 0
    for place, (combo, count) in enumerate(zip(rows, counts.tolist(), strict=True)):
        for _ in range(count):
            differs = ((rows != combo) & (rows >= 0)) @ bits
            chosen = _fewest_blanks(differs, many, sets, k)
            if not chosen:
                break
            many[place] -= 1
            released = combo.copy()
            released[list(chosen)] = -1
            rows, many = np.vstack([rows, released]), np.append(many, 1)
            true.append(combo)
            blanks += len(chosen)
    fitting = [int(many[((rows == own) | (rows < 0)).all(axis=1)].sum()) for own in true]
    return Wildcards(
        blanks=blanks,
        rows=len(true),
        exposed=sum(count < k for count in fitting),
        alone=sum(count == 1 for count in fitting),
    )


def _fewest_blanks(
    differs: NDArray[np.int64], many: NDArray[np.int64], sets: list[list[tuple[int, ...]]], k: int
) -> tuple[int, ...]:
    """The columns to blank so that k rows match; `differs` has a bit for each column in which a released row does not.

    Where no set will do, all columns.
    """
    for of_a_size in sets:
        masks = np.array([sum(1 << column for column in blank) for blank in of_a_size])
        matches = ((differs & ~masks[:, None]) == 0) @ many
        best = int(matches.argmax())
        if matches[best] >= k:
            return of_a_size[best]
    return sets[-1][-1]
