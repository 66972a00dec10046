"""Of whom a released table speaks, for the owner's ledger."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.core.series.membership import Membership, SensitiveColumn, digest_table
from confide.core.series.places import Continuation
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.recoding import Recoding
from confide.publish.tables.series.regions import regions_of_recoding
from confide.publish.tables.table_release import plain_column

if TYPE_CHECKING:
    pass

__all__ = ["membership_of", "people_of"]


def membership_of(
    recoding: Recoding, *, pseudonyms: bool, continued: Continuation | None = None, origin: bytes | None = None
) -> Membership:
    """The person, the group and the sensitive values of each released row; `pseudonyms` says that identifiers stay.

    Where the release is built on others, `continued` says how, and `origin` is the digest of the input.
    """
    asked = people_of(recoding.table, recoding.rows, origin=origin)
    return replace(
        asked,
        group=recoding.groups[0],
        told_apart=_names_that_tell_apart(recoding, pseudonyms=pseudonyms),
        regions=regions_of_recoding(recoding) if continued is None else continued.regions,
        continued=continued,
    )


def people_of(table: CodedTable, rows: NDArray[np.int64], *, origin: bytes | None = None) -> Membership:
    """Who these rows are and what their sensitive values are; all in one group."""
    import pyarrow as pa

    named = table.schema.named("person")
    persons: pa.Array | NDArray[np.int64] = table.rows[rows]
    if named:
        labels = plain_column(table.table.column(named[0])).cast(pa.string())
        persons = labels.combine_chunks().take(pa.array(table.rows[rows]))
    return Membership(
        person_column=named[0] if named else None,
        persons=persons,
        group=np.zeros(len(rows), dtype=np.int32),
        sensitive=tuple(SensitiveColumn(c.name, c.codes[rows], c.labels) for c in table.sensitive),
        origin=digest_table(table.table) if origin is None else origin,
    )


def _names_that_tell_apart(recoding: Recoding, *, pseudonyms: bool) -> tuple[str, ...]:
    """The columns that are released as they are, not as sensitive values, and in which released rows differ."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table = recoding.table
    roles = ["insensitive", "class", *(["identifier"] if pseudonyms else [])]
    names = [name for name in table.table.column_names if table.schema.columns[name].role in roles]
    kept = pa.array(table.rows[recoding.rows])
    return tuple(
        name
        for name in names
        if pc.count_distinct(plain_column(table.table.column(name)).take(kept), "all").as_py() > 1
    )
