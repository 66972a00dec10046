"""Of whom a released table speaks, for the owner's ledger."""

from typing import TYPE_CHECKING

import numpy as np

from confide.core.series.membership import Membership, SensitiveColumn, digest_table
from confide.publish.tables.recoding import Recoding
from confide.publish.tables.release import plain_column

if TYPE_CHECKING:
    pass

__all__ = ["membership_of"]


def membership_of(recoding: Recoding, *, pseudonyms: bool) -> Membership:
    """The person, the group and the sensitive values of each released row; `pseudonyms` says that identifiers stay."""
    import pyarrow as pa

    table, rows = recoding.table, recoding.rows
    named = table.schema.named("person")
    persons: pa.Array | np.ndarray[tuple[int], np.dtype[np.int64]] = table.rows[rows]
    if named:
        labels = plain_column(table.table.column(named[0])).cast(pa.string())
        persons = labels.combine_chunks().take(pa.array(table.rows[rows]))
    return Membership(
        person_column=named[0] if named else None,
        persons=persons,
        group=recoding.groups[0],
        sensitive=tuple(SensitiveColumn(c.name, c.codes[rows], c.labels) for c in table.sensitive),
        told_apart=_names_that_tell_apart(recoding, pseudonyms=pseudonyms),
        origin=digest_table(table.table),
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
