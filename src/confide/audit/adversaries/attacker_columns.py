"""A column as an attacker reads it: numbers for its values, and the texts that they are."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.core.tables.label_meaning import fits

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["fits", "texts_of"]


def texts_of(column: "pa.ChunkedArray", *, name: str) -> tuple[NDArray[np.int64], list[str]]:
    """A column as numbers and the texts they stand for: missing is the empty text, 3.0 reads 3."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from confide.audit.verifiers.grouping import number_sensitive

    numbered = number_sensitive(column, name=name)
    values = numbered.values
    assert values is not None
    if pa.types.is_floating(values.type):
        texts = ["" if v is None else str(int(v)) if v.is_integer() else repr(v) for v in values.to_pylist()]
        return numbered.codes, texts
    try:
        return numbered.codes, pc.fill_null(values.cast(pa.large_string()), "").to_pylist()
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise InputError(f"values of type {values.type} cannot be compared", column=name) from None
