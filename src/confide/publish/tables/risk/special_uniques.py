"""Special uniques: the smallest combinations of values that single out a row, and scores of who is most at risk.

A combination of values that only one row has is *minimal* if no part of it is such. With items "column=value" these are
the minimal moles of k = 2 without private items, and the same search finds them. A row with many of them, of few
values each, is at risk whatever an attacker happens to know: so says its SUDA score, the sum over its combinations of

    (N - s) (N - s - 1) ... (N - M)        s values, N columns, M the most values looked at

DIS-SUDA turns scores into chances, given the share of the population that is in the table: on average over the rows
that are unique, the chance that a match with one of them is right is f U / (f U + (1 - f) P), for U unique rows and P
rows in pairs (Skinner, Elliot 2002); rows of a higher score get more of it (Elliot et al. 2005, as sdcMicro has it).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.core.figures import ShownFields
from confide.core.requirements import Coherence
from confide.core.runtime.threads import answers_ctrl_c, in_threads
from confide.core.tables.schema import SchemaLike, schema_of
from confide.core.transactions.container import Transactions

__all__ = ["KNOWN_ROLES", "SpecialUniques", "coded_column", "find_special_uniques", "special_uniques"]

KNOWN_ROLES = ("quasi-identifier", "insensitive")
"""Columns that somebody may know: insensitive ones can single a row out, too."""
_PIECE = 1 << 18
_SHOWN = 20


@dataclass(frozen=True, kw_only=True, eq=False)
class SpecialUniques(ShownFields):
    """Minimal combinations of up to `most` values that one row alone has, and what follows from them.

    `scores` has a number for each row, `by_column` and `by_value` the share of all scores to which a column (a value)
    contributes. `unique` rows look like no other in all `columns`, `paired` ones like one other.
    """

    columns: tuple[str, ...]
    most: int
    labels: tuple[tuple[str, str], ...]  # column and value of each item
    items: Mapping[int, NDArray[np.int32]]
    rows: Mapping[int, NDArray[np.int32]]
    scores: NDArray[np.float64]
    unique: int
    paired: int

    @property
    def counts(self) -> dict[int, int]:
        """How many combinations there are of each size."""
        return {size: len(rows) for size, rows in self.rows.items()}

    def of_row(self, row: int) -> list[dict[str, str]]:
        """The combinations that single out a row (counted from 0)."""
        return [
            dict(self.labels[item] for item in self.items[size][place])
            for size, rows in self.rows.items()
            for place in np.flatnonzero(rows == row)
        ]

    @property
    def by_value(self) -> dict[tuple[str, str], float]:
        """For each column and value the share of all scores to which it contributes, the largest first."""
        weights = np.zeros(len(self.labels))
        for size, items in self.items.items():
            counts = np.bincount(items.ravel(), minlength=len(weights))
            weights += score_of(size, len(self.columns), self.most) * counts
        total = self.scores.sum()
        order = np.argsort(-weights, kind="stable")
        return {self.labels[item]: float(weights[item] / total) for item in order if weights[item] > 0}

    @property
    def by_column(self) -> dict[str, float]:
        """For each column the share of all scores to which it contributes, the largest first."""
        shares = dict.fromkeys(self.columns, 0.0)
        for (column, _), share in self.by_value.items():
            shares[column] += share
        return dict(sorted(shares.items(), key=lambda pair: -pair[1]))

    def chance(self, fraction: float) -> float:
        """DIS: the chance that a match with a unique row is right, if the table is this share of the population."""
        if not 0 < fraction <= 1:
            raise UsageError(
                f"fraction={fraction} is not a share of the population; use a number above 0, up to 1",
                parameter="fraction",
                value=fraction,
            )
        right = fraction * self.unique
        return right / (right + (1 - fraction) * self.paired) if self.unique else 0.0

    def chances(self, fraction: float) -> NDArray[np.float64]:
        """DIS-SUDA: for each row the chance that a match with it is right; 0 where nothing singles it out."""
        chance = self.chance(fraction)
        scored = self.scores > 0
        found = np.zeros(len(self.scores))
        if not scored.any() or chance in (0.0, 1.0):
            found[scored] = chance
            return found
        power = self.scores[scored] ** (1 + (8 - len(self.columns)) / 20)
        odds = self.unique * (1 / chance - 1) / (power * (1 / power).sum())
        found[scored] = 1 / (1 + odds)
        return found

    def to_dict(self, *, fraction: float | None = None) -> dict[str, Any]:
        """Plain data for the owner: the rows (counted from 1), columns and values that contribute most."""
        worst = [int(row) for row in np.argsort(-self.scores, kind="stable")[:_SHOWN] if self.scores[row] > 0]
        chances = None if fraction is None else self.chances(fraction)
        rows = [
            {"row": row + 1, "score": float(self.scores[row])}
            | ({} if chances is None else {"chance": round(float(chances[row]), 4)})
            for row in worst
        ]
        values = [
            {"column": column, "value": value, "share": round(share, 4)}
            for (column, value), share in list(self.by_value.items())[:_SHOWN]
        ]
        return {
            "values_at_most": self.most,
            "combinations": {str(size): count for size, count in self.counts.items()},
            "rows": int((self.scores > 0).sum()),
            **({} if fraction is None else {"chance": round(self.chance(fraction), 4)}),
            "worst_rows": rows,
            "by_column": {name: round(share, 4) for name, share in self.by_column.items()},
            "by_value": values,
        }

    def line(self) -> str:
        """One sentence for the owner; names columns, no values."""
        singled = int((self.scores > 0).sum())
        if not singled:
            return f"no row is singled out by {self.most} values or fewer"
        first, share = next(iter(self.by_column.items()))
        return (
            f"{singled:,} of {len(self.scores):,} rows are singled out by {self.most} values or fewer; {first!r} "
            f"contributes to {share:.0%} of the scores"
        )


def score_of(size: int, columns: int, most: int) -> float:
    """The SUDA score of a combination: how many larger ones it makes unique, up to `most` values."""
    return float(prod(columns - i for i in range(size, min(most, columns - 1) + 1)))


def special_uniques(frame: Any, schema: SchemaLike, *, most: int = 3) -> SpecialUniques:
    """Find the smallest combinations of values in quasi-identifiers and insensitive columns that single out a row.

    A larger `most` finds more, and takes a multiple of the time for each. Rows are counted, also where people have
    several. For the owner: it says what is in the table.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [30, 30, 41, 41], "sex": ["f", "m", "m", "m"], "job": ["a", "b", "b", "b"]})
    >>> found = special_uniques(people, {name: {"role": "quasi-identifier"} for name in people.column_names})
    >>> found.of_row(0), found.of_row(1), found.scores.tolist()
    ([{'sex': 'f'}, {'job': 'a'}], [{'age': '30', 'sex': 'm'}, {'age': '30', 'job': 'b'}], [4.0, 2.0, 0.0, 0.0])
    """
    from confide.core.tables.frames import to_table

    given = schema_of(schema)
    table, known = given.read_texts(to_table(frame)), given.named(*KNOWN_ROLES)
    missing = [name for name in known if name not in table.column_names]
    if missing:
        raise UsageError(f"no column {missing[0]!r}; columns are: {', '.join(table.column_names)}")
    if not known:
        raise UsageError("no column has the role quasi-identifier, so nothing can single a row out")
    return find_special_uniques(known, [coded_column(table.column(name)) for name in known], most=most)


def coded_column(column: Any) -> tuple[NDArray[np.int64], list[str]]:
    """The column's values as numbers, and what they are called."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    coded = pc.dictionary_encode(column.combine_chunks(), null_encoding="encode")
    codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return codes, ["" if value is None else str(value) for value in coded.dictionary.to_pylist()]


@answers_ctrl_c
def find_special_uniques(
    names: Sequence[str], coded: Sequence[tuple[NDArray[Any], Sequence[str]]], *, most: int
) -> SpecialUniques:
    """As `special_uniques`, for columns that are numbers with labels already."""
    from confide.publish.tables.risk._unique_row_kernels import find_rows
    from confide.publish.transactions.declaration import Declared

    if most < 1:
        raise UsageError(f"most={most} is no number of values; use 1 or more", parameter="most", value=most)
    codes, widths = [column for column, _ in coded], [len(labels) for _, labels in coded]
    n, count = len(codes[0]), len(names)
    starts = np.concatenate([[0], np.cumsum(widths)])
    cells = np.stack(
        [column.astype(np.int64) + start for column, start in zip(codes, starts[:-1], strict=True)], axis=1
    )
    # items in the order of how many rows have them: then a combination names its rarest first
    supports = np.bincount(cells.ravel(), minlength=int(starts[-1]))
    order = np.argsort(supports, kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    cells = np.ascontiguousarray(rank[cells])
    column_of = np.repeat(np.arange(count, dtype=np.int32), widths)[order]
    labels = [(name, label) for name, (_, texts) in zip(names, coded, strict=True) for label in texts]
    indptr = np.arange(0, n * count + 1, count, dtype=np.int64)
    tx = Transactions.from_arrays(indptr, cells.ravel(), [f"{item:09d}" for item in range(len(order))])
    moles = Declared.of(tx, ()).find_moles(Coherence(h=1, k=2, p=most))
    holders = np.argsort(cells.T.ravel(), kind="stable") % max(n, 1)
    at = np.concatenate([[0], np.cumsum(supports[order])]).astype(np.int64)
    items: dict[int, NDArray[np.int32]] = {}
    rows: dict[int, NDArray[np.int32]] = {}
    for size in range(1, most + 1):
        found = moles.level(size)
        if not len(found):
            continue
        found = found[_order_of(found, len(order))]
        pieces = [found[low : low + _PIECE] for low in range(0, len(found), _PIECE)]
        parts = in_threads(lambda piece: find_rows(piece, at, holders.astype(np.int32), cells, column_of), pieces)
        items[size], rows[size] = found, np.concatenate(list(parts))
    scores = np.zeros(n)
    for size, of in rows.items():
        scores += score_of(size, count, most) * np.bincount(of, minlength=n)
    whole = np.unique(cells, axis=0, return_counts=True)[1] if n else np.zeros(0, dtype=np.int64)
    return SpecialUniques(
        columns=tuple(names),
        most=most,
        labels=tuple(labels[item] for item in order),
        items=items,
        rows=rows,
        scores=scores,
        unique=int((whole == 1).sum()),
        paired=2 * int((whole == 2).sum()),
    )


def _order_of(items: NDArray[np.int32], width: int) -> NDArray[np.int64]:
    """The places of combinations in the order of their items."""
    if width ** items.shape[1] < 1 << 62:
        key = np.zeros(len(items), dtype=np.int64)
        for column in items.T:
            key = key * width + column
        return np.argsort(key, kind="stable")
    return np.lexsort(items.T[::-1])
