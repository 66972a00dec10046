"""The three attackers against a table and against what was released of it; and what singles people out in either.

Groups are rows that look alike in all quasi-identifiers, as they stand in the file. Columns and pairs of them are those
that somebody may know: insensitive ones, too. Where the schema names a column of persons, people are counted, not rows.
"""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.figures import ShownFields
from confide.core.tables.schema import Schema
from confide.publish.tables.risk.column_risk import UniqueRows, unique_rows
from confide.publish.tables.risk.groups import GroupRisk, count_people, group_risk
from confide.publish.tables.risk.special_uniques import KNOWN_ROLES, coded_column

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TableRisk", "table_risk"]

_MOST_PAIRED = 60  # columns; of more, each is looked at alone


@dataclass(frozen=True, kw_only=True)
class TableRisk(ShownFields):
    """The risks of one table: of its groups, and the share that each column, and each pair, singles out."""

    groups: GroupRisk
    unique: tuple[UniqueRows, ...]

    def to_dict(self) -> dict[str, Any]:
        """As plain data; pairs that single nobody out are left out."""
        groups = asdict(self.groups)
        singled = [asdict(one) for one in self.unique if one.share > 0 or len(one.columns) == 1]
        return {
            "attackers": groups | {"below": {str(size): share for size, share in self.groups.below.items()}},
            "singled_out": [one | {"columns": list(one["columns"])} for one in singled],
        }


def table_risk(table: "pa.Table", schema: Schema) -> TableRisk:
    """The risks of a table as it stands: the original, or a release of it.

    >>> import pyarrow as pa
    >>> schema = Schema.from_dict({"age": {"role": "quasi-identifier"}, "job": {"role": "insensitive"}})
    >>> found = table_risk(pa.table({"age": [30, 30, 41], "job": ["a", "b", "b"]}), schema)
    >>> round(found.groups.marketer, 2), [(one.columns, round(one.share, 2)) for one in found.unique]
    (0.67, [(('age', 'job'), 1.0), (('age',), 0.33), (('job',), 0.33)])
    """
    known = [name for name in schema.named(*KNOWN_ROLES) if name in table.column_names]
    codes = [coded_column(table.column(name))[0] for name in known]
    named = schema.named("person")
    persons = coded_column(table.column(named[0]))[0] if named else None
    group = _grouped([own for name, own in zip(known, codes, strict=True) if name in schema.named("quasi-identifier")])
    if persons is None:
        groups = group_risk(np.bincount(group))
    else:
        sizes, worst = count_people(group, persons)
        groups = group_risk(sizes, worst=worst)
    unique = unique_rows(known, codes, persons=persons, pairs=len(known) <= _MOST_PAIRED)
    return TableRisk(groups=groups, unique=tuple(unique))


def _grouped(codes: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """A number for each row, the same for rows that have the same code in every column."""
    group = np.zeros(len(codes[0]), dtype=np.int64)
    for column in codes:
        group = np.unique(group * (int(column.max(initial=0)) + 1) + column, return_inverse=True)[1].reshape(-1)
    return group
