"""Tables that join in a chain, whose class only all of them together give away.

Thesis, section 3.4.1, "Synthetic Datasets". T1 holds the class and joins T2, which joins T3, and so on:

    T1(j1, x1.., c1.., class) -- T2(j1, j2, x1.., c1..) -- T3(j2, x1.., c1..)      k tables of N records

All tables consist of the same V groups. Group j has S_j records in every table and the j-th join value in all
its join columns, so it joins to S_j**k records: 4 on average makes 4**k, while the tables only grow as k. Of
the k * X numeric attributes of a joined record, h_j have a value in the top half of their domain; h_j is
shared out among the tables at random. The class is "Yes" where that is at least half of them, which no table
can see alone.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import RequirementError
from confide.core.samples._draws import Draws

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ChainTables", "chain_tables"]

_CATEGORIES = 20
_LARGEST_DOMAIN = 10_000


class ChainTables(NamedTuple):
    """Tables by name, the column pairs they join on, and the class column: `JoinGraph(**chain._asdict())`."""

    tables: "dict[str, pa.Table]"
    joins: list[tuple[str, str]]
    target: str


def chain_tables(
    k: int = 3, *, rows: int = 1000, attributes: int = 5, group_size: float = 4.0, seed: int = 1
) -> ChainTables:
    """Generate `k` tables that join in a chain.

    `rows` (N): records of each table. `attributes` (X): numeric attributes of each table, and as many
    categorical ones of no meaning. `group_size` (lambda, mean records of a group): a larger one blows the
    join up, to more than `rows * group_size**(k - 1)` records. `seed`: another seed gives an independent test
    set.

    The thesis has every table hold exactly N records and every S_j Poisson; Poisson sizes given their sum are
    what dealing N records out to V groups at random gives, so that is done. Which of its numeric attributes
    are in the top half is drawn anew for each record. Numeric values are whole numbers from 1 to min(N,
    10000).

    >>> chain = chain_tables(k=3, rows=1000)
    >>> chain.joins, chain.target
    ([('T1.j1', 'T2.j1'), ('T2.j2', 'T3.j2')], 'T1.class')
    """
    import pyarrow as pa

    _check(k, rows, attributes, group_size)
    groups = max(1, round(rows / group_size))
    draws = Draws(seed, "chain shape")
    group = np.sort(draws.below(groups, rows))
    high = _top_half_counts(draws, groups, k, attributes)
    label = np.where(2 * high.sum(axis=1) >= k * attributes, "Yes", "No")
    categories = np.array([f"v{number:02}" for number in range(_CATEGORIES)])
    tables = {}
    for i in range(1, k + 1):
        values = Draws(seed, f"chain table {i}")
        order = np.argsort(values.uniforms(rows), kind="stable")
        columns: dict[str, NDArray[np.generic]] = {}
        for j in range(max(1, i - 1), min(i, k - 1) + 1):
            columns[f"j{j}"] = group
        columns |= _numeric(values, high[group, i - 1], attributes)
        for number in range(1, attributes + 1):
            columns[f"c{number}"] = categories[values.below(_CATEGORIES, rows)]
        if i == 1:
            columns["class"] = label[group]
        tables[f"T{i}"] = pa.table({name: pa.array(column[order]) for name, column in columns.items()})
    return ChainTables(tables, [(f"T{i}.j{i}", f"T{i + 1}.j{i}") for i in range(1, k)], "T1.class")


def _top_half_counts(draws: Draws, groups: int, k: int, attributes: int) -> NDArray[np.int64]:
    """For each group and table, how many numeric attributes are in the top half of their domain."""
    slots = k * attributes
    h = draws.below(slots + 1, groups)
    rank = _ranks(draws, groups, slots)
    counts: NDArray[np.int64] = (rank < h[:, None]).reshape(groups, k, attributes).sum(axis=2)
    return counts


def _numeric(draws: Draws, high: NDArray[np.int64], attributes: int) -> dict[str, NDArray[np.generic]]:
    """Columns x1, x2, ...: in each record, `high` of them, chosen at random, are in the top half."""
    rows = len(high)
    domain = min(rows, _LARGEST_DOMAIN)
    half = domain // 2
    top = _ranks(draws, rows, attributes) < high[:, None]
    columns: dict[str, NDArray[np.generic]] = {}
    for number in range(attributes):
        share = draws.uniforms(rows)
        upper = half + 1 + (share * (domain - half)).astype(np.int64)
        lower = 1 + (share * half).astype(np.int64)
        columns[f"x{number + 1}"] = np.where(top[:, number], upper, lower)
    return columns


def _ranks(draws: Draws, rows: int, columns: int) -> NDArray[np.int64]:
    """A random permutation of 0 to columns - 1 in every row."""
    return np.argsort(draws.uniforms(rows * columns).reshape(rows, columns), axis=1, kind="stable")


def _check(k: int, rows: int, attributes: int, group_size: float) -> None:
    if not 2 <= k <= 100:
        raise RequirementError(f"k={k} tables; a chain has from 2 to 100", parameter="k", value=k)
    if not 2 <= rows <= 100_000_000:
        raise RequirementError(f"rows={rows} is outside 2 to 100,000,000", parameter="rows", value=rows)
    if not 1 <= attributes <= 1000:
        raise RequirementError(
            f"attributes={attributes} is outside 1 to 1000", parameter="attributes", value=attributes
        )
    if not 0 < group_size <= rows:
        raise RequirementError(
            f"group_size={group_size} must be above 0 and at most the number of rows ({rows})",
            parameter="group_size",
            value=group_size,
        )
