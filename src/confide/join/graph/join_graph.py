"""JoinGraph: which tables join on which columns, and where the class is. Checked once, before any work.

The graph must be a tree: every table is joined to the others, and in one way only (thesis, section 3.1.1). Tables are
taken as they are, from pandas, polars or Arrow; nothing is copied or joined.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from confide.core.errors import InputError, UsageError
from confide.join.graph.key_types import key_type

if TYPE_CHECKING:
    import pyarrow as pa

    from confide.core.randomness import Randomness
    from confide.join.graph.forecast import JoinCheck

__all__ = ["Join", "JoinGraph", "Reference"]

Reference = str | Sequence[str]
"""A column "T1.j1", or several columns of one table that are compared together: ("T1.a", "T1.b")."""


@dataclass(frozen=True)
class Join:
    """Two tables and the columns on which they are equal, pair by pair."""

    left: str
    right: str
    left_columns: tuple[str, ...]
    right_columns: tuple[str, ...]

    def __str__(self) -> str:
        pairs = zip(self.left_columns, self.right_columns, strict=True)
        return " and ".join(f"{self.left}.{a} = {self.right}.{b}" for a, b in pairs)


class JoinGraph:
    """Tables that join, the columns they join on, and the class to predict.

    Parameters
        tables   {name: frame}; pandas, polars or Arrow. Their order breaks ties between equal splits.
        joins    pairs of columns, ("T1.j1", "T2.j1"); of lists of columns for composite keys. Two pairs that name
                 the same two tables are one composite key.
        target   the class column, "T1.class"; or only its table, "T1", for new records whose classes nobody knows
                 yet: such a graph can be predicted, not learned from.

    A record whose join value is missing (in any part) or not found in the neighbouring table is dangling: it is in no
    joined record. Join columns of different types are refused rather than converted: 7 and "7" are not equal.

    Nothing is computed here beyond looking at names and types; `check()` looks at the data.

    >>> import pyarrow as pa
    >>> people = pa.table({"town": ["A", "A", "B"], "ill": ["yes", "no", "no"]})
    >>> towns = pa.table({"name": ["A", "B", "C"], "air": [7, 2, 5]})
    >>> graph = JoinGraph(
    ...     tables={"people": people, "towns": towns}, joins=[("people.town", "towns.name")], target="people.ill"
    ... )
    >>> graph
    JoinGraph(people.town = towns.name; target people.ill)
    >>> graph.check().joined_rows
    3

    Source: thesis, section 3.1.1.
    """

    def __init__(self, *, tables: Mapping[str, Any], joins: Iterable[tuple[Reference, Reference]], target: str):
        if not tables:
            raise UsageError("a join needs at least one table")
        self.tables: dict[str, pa.Table] = {}
        for name, frame in tables.items():
            if not isinstance(name, str) or not name:
                raise UsageError(f"a table needs a name, not {name!r}")
            self.tables[name] = _table(name, frame)
        self.target, self.class_column = self._class_column(target)
        self.joins = self._merge_joins(list(joins))
        self._check_tree()
        for join in self.joins:
            self._check_types(join)

    @property
    def neighbours(self) -> dict[str, list[str]]:
        """For each table the tables it joins, in the order of `joins`."""
        found: dict[str, list[str]] = {name: [] for name in self.tables}
        for join in self.joins:
            found[join.left].append(join.right)
            found[join.right].append(join.left)
        return found

    def attributes(self, table: str) -> list[str]:
        """The columns a tree may split on: all but the class."""
        names: list[str] = list(self.tables[table].column_names)
        return [name for name in names if table != self.target or name != self.class_column]

    def check(self, *, categorical: Iterable[str] = (), exclude: Iterable[str] = ()) -> "JoinCheck":
        """Look at the data before any training: shared join values, joined and dangling records, kinds of columns.

        `categorical` and `exclude` as in `JoinTree`.
        """
        from confide.join.graph.forecast import check_graph

        return check_graph(self, categorical=categorical, exclude=exclude)

    def sample(self, rows: int, *, randomness: "Randomness | None" = None) -> "pa.Table":
        """Joined records drawn uniformly and with replacement, without making the join; columns are "table.column".

        For a look at the join, or for a model that needs one table. The records are real: they are for whoever may see
        all the tables. Takes time in proportion to the records of the tables and of the sample.

        >>> import pyarrow as pa
        >>> from confide import Randomness
        >>> tables = {"people": pa.table({"town": ["A", "A", "B"]}), "towns": pa.table({"name": ["A", "B"], "air": [7, 2]})}
        >>> graph = JoinGraph(tables=tables, joins=[("people.town", "towns.name")], target="people")
        >>> drawn = graph.sample(100, randomness=Randomness.seeded(1))
        >>> drawn.column_names, drawn["people.town"].to_pylist() == drawn["towns.name"].to_pylist()
        (['people.town', 'towns.name', 'towns.air'], True)
        """  # noqa: E501 - one call
        from confide.core.randomness import Randomness
        from confide.join.graph.join_samples import sample_join

        return sample_join(self, rows, Randomness.system() if randomness is None else randomness)

    def __repr__(self) -> str:
        joins = "; ".join(str(join) for join in self.joins)
        target = f"{self.target}.{self.class_column}" if self.class_column else self.target
        return f"JoinGraph({joins}{'; ' if joins else ''}target {target})"

    # -- what may be wrong ----------------------------------------------------------------------------------------

    def _place(self, reference: object) -> tuple[str, str]:
        """A table and column from "T1.j1"; names may have dots of their own."""
        if not isinstance(reference, str):
            raise UsageError(f"a column is named as 'table.column', not {reference!r}")
        tables = [name for name in self.tables if reference.startswith(f"{name}.")]
        if not tables:
            listed = ", ".join(self.tables)
            raise UsageError(f"{reference!r} names no column as 'table.column'; tables are: {listed}")
        for table in sorted(tables, key=len, reverse=True):
            column = reference[len(table) + 1 :]
            if column in self.tables[table].column_names:
                return table, column
        table = max(tables, key=len)
        listed = ", ".join(self.tables[table].column_names)
        raise InputError(f"no column {reference!r}; columns of {table} are: {listed}")

    def _class_column(self, target: str) -> tuple[str, str]:
        """The target table and the class column, "" where there is none."""
        if target in self.tables:
            return target, ""
        try:
            return self._place(target)
        except UsageError:
            raise UsageError(
                f"the class column {target!r} is in no table of the join; name it as 'table.column'; "
                f"tables are: {', '.join(self.tables)}"
            ) from None
        except InputError as error:
            raise InputError(f"the class column is missing: {error}") from None

    def _merge_joins(self, joins: list[tuple[Reference, Reference]]) -> list[Join]:
        """The joins, with all pairs of the same two tables as one composite key."""
        merged: dict[frozenset[str], Join] = {}
        for pair in joins:
            if isinstance(pair, str) or len(pair) != 2:
                raise UsageError(f"a join is a pair of columns, as ('T1.j1', 'T2.j1'), not {pair!r}")
            sides = []
            for side in pair:
                references = [side] if isinstance(side, str) else list(side)
                places = [self._place(reference) for reference in references]
                if len({table for table, _ in places}) != 1:
                    raise UsageError(f"one side of a join names columns of one table, not {references!r}")
                sides.append((places[0][0], tuple(column for _, column in places)))
            (left, left_columns), (right, right_columns) = sides
            if left == right:
                raise UsageError(f"table {left} is joined to itself; give the second copy a name of its own")
            if len(left_columns) != len(right_columns):
                raise UsageError(
                    f"{left} and {right} are joined on {len(left_columns)} and {len(right_columns)} columns; "
                    "give as many on both sides"
                )
            known = merged.get(frozenset((left, right)))
            if known is None:
                merged[frozenset((left, right))] = Join(left, right, left_columns, right_columns)
            else:
                if known.left != left:
                    left_columns, right_columns = right_columns, left_columns
                merged[frozenset((left, right))] = Join(
                    known.left, known.right, known.left_columns + left_columns, known.right_columns + right_columns
                )
        return list(merged.values())

    def _check_tree(self) -> None:
        above: dict[str, str | None] = {self.target: None}
        waiting = [self.target]
        neighbours = self.neighbours
        while waiting:
            here = waiting.pop()
            for name in neighbours[here]:
                if name == above[here]:
                    continue
                if name in above:
                    circle = " - ".join(_circle(above, here, name))
                    raise UsageError(f"the joins go round in a circle: {circle}; leave one of them out")
                above[name] = here
                waiting.append(name)
        island = [name for name in self.tables if name not in above]
        if island:
            verb = "is" if len(island) == 1 else "are"
            raise UsageError(
                f"{', '.join(island)} {verb} not joined to {self.target}, the table with the class; add a join"
            )

    def _check_types(self, join: Join) -> None:
        for a, b in zip(join.left_columns, join.right_columns, strict=True):
            left, right = self.tables[join.left].schema.field(a).type, self.tables[join.right].schema.field(b).type
            kinds = key_type(left, f"{join.left}.{a}"), key_type(right, f"{join.right}.{b}")
            if kinds[0] != kinds[1] and None not in kinds:
                raise InputError(
                    f"{join.left}.{a} is {left} and {join.right}.{b} is {right}: join columns must be of one type; "
                    "convert one of them"
                )


def _table(name: str, frame: Any) -> "pa.Table":
    from confide.core.tables.frames import to_table

    try:
        table = to_table(frame)
    except InputError as error:
        raise InputError(error.what, source=f"table {name}", column=error.column) from None
    if not table.num_columns:
        raise InputError(f"table {name} has no columns")
    return table


def _circle(above: Mapping[str, str | None], one: str, other: str) -> list[str]:
    """The way from `one` up to where the ways to the root meet, and down to `other`, closed."""

    def way(name: str | None) -> list[str]:
        found = []
        while name is not None:
            found.append(name)
            name = above[name]
        return found

    first, second = way(one), way(other)
    meeting = next(name for name in first if name in second)
    up, down = first[: first.index(meeting) + 1], second[: second.index(meeting)]
    return [other, *up, *reversed(down)] if other not in up else [*up, one]
