"""What a join will be like, before any training: shared values, dangling records, and the exact number of records."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.core.figures import ShownFields
from confide.join.graph.certainty import Certain, count_certain
from confide.join.graph.join_values import SharedKeys, share_keys
from confide.join.graph.split_columns import CheckedColumn, check_columns, infinite_of
from confide.join.graph.summary_order import level_order

if TYPE_CHECKING:
    from confide.join.graph.join_graph import Join, JoinGraph

__all__ = [
    "TOO_LARGE",
    "CheckedJoin",
    "CheckedTable",
    "JoinCheck",
    "Prepared",
    "check_graph",
    "fault_of",
    "prepare",
    "refuse_unusable",
]

EXACT_FLOAT = 2.0**53
TOO_LARGE = (
    "the join has more than 2**62 records, more than can be counted here; drop a table or use finer join columns"
)


@dataclass(frozen=True, kw_only=True)
class CheckedJoin:
    """One join: the types compared, the distinct values of each side, and those both have."""

    join: str
    types: tuple[str, ...]
    left_values: int
    right_values: int
    shared_values: int


@dataclass(frozen=True, kw_only=True)
class CheckedTable:
    """One table: its records, those of them that are in no joined record, and the columns of the others."""

    table: str
    rows: int
    dangling_rows: int
    columns: tuple[CheckedColumn, ...] = ()

    @property
    def dangling_share(self) -> float:
        """The share of records that are in no joined record."""
        return self.dangling_rows / self.rows if self.rows else 0.0


@dataclass(frozen=True, kw_only=True)
class JoinCheck(ShownFields):
    """What `JoinGraph.check` found.

    `joined_rows` and `class_counts` (of the joined records) are exact, however large. `fault` says in one line why no
    tree can be grown over this join; None if one can. `certain` says, for every way along a join, what the owner of one
    table could tell about people in the other if the tables were at sites of their own (`certainty`).
    """

    tables: tuple[CheckedTable, ...]
    joins: tuple[CheckedJoin, ...]
    joined_rows: int
    class_counts: dict[str, int]
    fault: str | None
    certain: tuple[Certain, ...] = ()

    @property
    def source_rows(self) -> int:
        """The records of all tables together: what a join tree reads."""
        return sum(table.rows for table in self.tables)

    @property
    def summary(self) -> str:
        """The join in one line."""
        return f"{self.source_rows:,} records in {len(self.tables)} tables join to {self.joined_rows:,}"

    def as_dict(self) -> dict[str, Any]:
        """The findings as plain data, for JSON."""
        return {
            "joined_rows": self.joined_rows,
            "source_rows": self.source_rows,
            "class_counts": self.class_counts,
            "fault": self.fault,
            "tables": [
                {"table": t.table, "rows": t.rows, "dangling_rows": t.dangling_rows, "dangling_share": t.dangling_share}
                for t in self.tables
            ],
            "columns": [column.as_dict() for t in self.tables for column in t.columns],
            "joins": [
                {
                    "join": j.join,
                    "types": list(j.types),
                    "left_values": j.left_values,
                    "right_values": j.right_values,
                    "shared_values": j.shared_values,
                }
                for j in self.joins
            ],
            "certain": [c.as_dict() for c in self.certain],
        }


@dataclass(frozen=True, eq=False)
class Prepared:
    """Join values coded, dangling records known, joined records of each target record counted.

    `alive[table]` marks the records that are in some joined record. `target_rows` are those of the target table, and
    `fan_out` in how many joined records each of them is: floats, whole and exact, or Python integers where they are
    larger than floats can tell apart.
    """

    keys: dict["Join", SharedKeys]
    alive: dict[str, NDArray[np.bool_]]
    target_rows: NDArray[np.int64]
    fan_out: NDArray[Any]

    @property
    def joined_rows(self) -> int:
        """The exact number of joined records."""
        return _whole_sum(self.fan_out)

    def keys_of(self, table: str) -> dict[str, NDArray[np.int32]]:
        """{neighbour: join values of the table's records}, -1 in every record that is in no joined record."""
        found = {}
        for join, shared in self.keys.items():
            if table in (join.left, join.right):
                codes = shared.left if table == join.left else shared.right
                found[join.right if table == join.left else join.left] = np.where(
                    self.alive[table], codes, np.int32(-1)
                )
        return found

    def count_shared(self, table: str) -> dict[str, int]:
        """{neighbour: how many join values the two tables share}."""
        return {
            (join.right if table == join.left else join.left): shared.shared
            for join, shared in self.keys.items()
            if table in (join.left, join.right)
        }


def prepare(graph: "JoinGraph") -> Prepared:
    """Code the join values and count the join: once up the graph to the target, once down."""
    keys: dict[Join, SharedKeys] = {}
    of: dict[tuple[str, str], tuple[NDArray[np.int32], int]] = {}
    for join in graph.joins:
        left, right = graph.tables[join.left], graph.tables[join.right]
        found = share_keys(
            [left.column(name) for name in join.left_columns], [right.column(name) for name in join.right_columns]
        )
        keys[join] = found
        of[join.left, join.right] = found.left, found.shared
        of[join.right, join.left] = found.right, found.shared
    alive = {name: np.ones(table.num_rows, dtype=np.bool_) for name, table in graph.tables.items()}
    for (name, _), (codes, _) in of.items():
        alive[name] &= codes >= 0
    steps = level_order(graph.neighbours, graph.target)
    for sender, receiver in steps:
        codes, width = of[sender, receiver]
        present = np.zeros(width + 1, dtype=np.bool_)
        present[codes[alive[sender]]] = True
        present[width] = False  # where -1 falls
        alive[receiver] &= present[of[receiver, sender][0]]
    weights = _fan_outs(graph, of, alive, steps[: len(graph.joins)], exact=False)
    if weights is None:
        weights = _fan_outs(graph, of, alive, steps[: len(graph.joins)], exact=True)
        assert weights is not None
    return Prepared(keys, alive, np.flatnonzero(alive[graph.target]), weights)


def refuse_unusable(prepared: Prepared) -> None:
    """Raise when the join is empty or too large to count."""
    fault = fault_of(prepared)
    if fault is not None:
        raise InputError(fault)


def fault_of(prepared: Prepared, classes: int = 2) -> str | None:
    """Why no tree can be grown, in one line; None if one can."""
    rows = prepared.joined_rows
    if rows == 0:
        for join, shared in prepared.keys.items():
            if shared.shared == 0:
                return f"no join value is in both tables of {join}, so the join is empty; check the join columns"
        return "the join is empty: no record finds a partner in every table; check the join columns"
    if rows > 2**62:
        return TOO_LARGE
    return "all joined records are of one class; there is nothing to learn" if classes < 2 else None


def check_graph(graph: "JoinGraph", *, categorical: Iterable[str] = (), exclude: Iterable[str] = ()) -> JoinCheck:
    """See `JoinGraph.check`."""
    prepared = prepare(graph)
    labelled, excluded = set(categorical), set(exclude)
    tables = tuple(
        CheckedTable(
            table=name,
            rows=len(alive),
            dangling_rows=int(len(alive) - alive.sum()),
            columns=_columns(graph, name, alive, labelled, excluded),
        )
        for name, alive in prepared.alive.items()
    )
    joins = tuple(
        CheckedJoin(
            join=str(join),
            types=tuple(str(graph.tables[join.left].schema.field(name).type) for name in join.left_columns),
            left_values=shared.left_values,
            right_values=shared.right_values,
            shared_values=shared.shared,
        )
        for join, shared in prepared.keys.items()
    )
    from confide.join.graph.classes import code_classes

    if not graph.class_column:  # new records, to be predicted
        return JoinCheck(
            tables=tables, joins=joins, joined_rows=prepared.joined_rows, class_counts={}, fault=fault_of(prepared)
        )
    labels, codes = code_classes(graph, prepared.target_rows)
    counts = {str(label): _whole_sum(prepared.fan_out[codes == c]) for c, label in enumerate(labels.tolist())}
    return JoinCheck(
        tables=tables,
        joins=joins,
        joined_rows=prepared.joined_rows,
        class_counts=counts,
        fault=fault_of(prepared, len(counts)) or infinite_of([column for table in tables for column in table.columns]),
        certain=_certain(graph, prepared, excluded),
    )


def _certain(graph: "JoinGraph", prepared: Prepared, excluded: set[str]) -> tuple[Certain, ...]:
    splits = {
        name: any(f"{name}.{column}" not in excluded for column in graph.attributes(name)) for name in graph.tables
    }
    ways = [way for join in graph.joins for way in ((join.left, join.right), (join.right, join.left))]
    return count_certain(graph, prepared, hidden={way: splits[way[0]] for way in ways})


def _columns(
    graph: "JoinGraph", table: str, alive: NDArray[np.bool_], categorical: set[str], exclude: set[str]
) -> tuple[CheckedColumn, ...]:
    """The columns a tree may split on, in the records that join."""
    import pyarrow as pa

    names = [name for name in graph.attributes(table) if f"{table}.{name}" not in exclude]
    taken = graph.tables[table].select(names)
    joining = taken if alive.all() else taken.filter(pa.array(alive))
    labels = [name for name in names if f"{table}.{name}" in categorical]
    return check_columns(joining, names, categorical=labels, prefix=f"{table}.")


def _fan_outs(
    graph: "JoinGraph",
    of: Mapping[tuple[str, str], tuple[NDArray[np.int32], int]],
    alive: Mapping[str, NDArray[np.bool_]],
    upward: list[tuple[str, str]],
    *,
    exact: bool,
) -> NDArray[Any] | None:
    """In how many joined records each target record (of those in any) is; None where floats cannot tell exactly.

    The joined records of a record with the tables below it are the product, over those tables, of the sums at its
    join values.
    """
    rows = {name: np.flatnonzero(mask) for name, mask in alive.items()}
    weights: dict[str, NDArray[Any]] = {
        name: np.ones(len(kept), dtype=object if exact else np.float64) for name, kept in rows.items()
    }
    for sender, receiver in upward:
        codes, width = of[sender, receiver]
        sums = _sum_by_key(codes[rows[sender]], weights[sender], width, exact)
        weights[receiver] = weights[receiver] * sums[of[receiver, sender][0][rows[receiver]]]
        if not exact and (sums.max(initial=0.0) > EXACT_FLOAT or weights[receiver].max(initial=0.0) > EXACT_FLOAT):
            return None
    found = weights[graph.target]
    return None if not exact and found.sum() > EXACT_FLOAT else found


def _sum_by_key(codes: NDArray[np.int32], weights: NDArray[Any], width: int, exact: bool) -> NDArray[Any]:
    if not exact:
        return np.bincount(codes, weights=weights, minlength=width)
    sums = np.zeros(width, dtype=object)
    order = np.argsort(codes, kind="stable")
    present, begin = np.unique(codes[order], return_index=True)
    if len(present):
        sums[present] = np.add.reduceat(weights[order], begin)
    return sums


def _whole_sum(fan_out: NDArray[Any]) -> int:
    return int(fan_out.sum()) if len(fan_out) else 0
