"""Of whom one release speaks: the group that each person is in, and the sensitive values shown there.

The stage that releases knows this and forgets it; a ledger keeps it, encrypted. It is as secret as the data.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

    from confide.core.series.places import Continuation, RegionColumn

__all__ = ["Membership", "SensitiveColumn", "digest_table", "number_joint"]


@dataclass(frozen=True, eq=False, repr=False)
class SensitiveColumn:
    """A sensitive column of the released people: `labels[codes[i]]` is the value of person i, as text."""

    name: str
    codes: NDArray[np.int32]
    labels: tuple[str, ...]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Membership:
    """One entry per released person, in any order.

    `persons` are their labels, or, without a column of persons (`person_column` None), the numbers of their rows in
    the input. `group` numbers the groups that look alike. `told_apart` names columns that are released as they are and
    by which rows can be told apart, so that rows of two releases can be joined. `origin` is a digest of the input.
    `regions` say what each group covers, so that later releases can be built on this one. `continued` says what was
    done with places where this one is built on others; entries that are carried on stand for who held the place.
    """

    person_column: str | None
    persons: "pa.Array | NDArray[np.int64]"
    group: NDArray[np.int32]
    sensitive: tuple[SensitiveColumn, ...]
    told_apart: tuple[str, ...] = ()
    origin: bytes = b""
    regions: "tuple[RegionColumn, ...]" = ()
    continued: "Continuation | None" = None

    def __post_init__(self) -> None:
        if self.person_column is not None and len(set(self.persons_as_text())) < len(self.group):
            raise InputError(
                "some people have several rows; a ledger follows people with one row each: join their rows first",
                column=self.person_column,
            )

    def __len__(self) -> int:
        return len(self.group)

    def persons_as_text(self) -> list[str]:
        """The label of each person, as text."""
        return [str(label) for label in self.persons.tolist()]


def number_joint(columns: tuple[SensitiveColumn, ...]) -> tuple[NDArray[np.int32], tuple[tuple[str, ...], ...]]:
    """Number the combinations of sensitive values: that of each person, and the texts of each combination."""
    if not columns:
        return np.zeros(0, dtype=np.int32), ()
    stacked = np.stack([column.codes for column in columns], axis=1)
    if len(columns) == 1:
        return stacked[:, 0].astype(np.int32), tuple((label,) for label in columns[0].labels)
    different, place = np.unique(stacked, axis=0, return_inverse=True)
    texts = tuple(
        tuple(column.labels[code] for column, code in zip(columns, codes, strict=True)) for codes in different.tolist()
    )
    return place.reshape(-1).astype(np.int32), texts


def digest_table(table: "pa.Table") -> bytes:
    """A digest of a table: names, types, and values in their order."""
    import hashlib

    import pyarrow as pa

    whole = hashlib.sha256()
    for name in table.column_names:
        column = table.column(name)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        sink = pa.BufferOutputStream()
        one = pa.table({name: column}).combine_chunks()
        with pa.ipc.new_stream(sink, one.schema) as stream:
            stream.write_table(one)
        whole.update(sink.getvalue())
    return whole.digest()
