"""Transactions from and to frames (pandas, polars, Arrow: whatever speaks the Arrow interface) and sparse matrices."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from confide.core.errors import InputError
from confide.core.tables.frames import to_table
from confide.core.transactions.container import Transactions
from confide.core.transactions.labels import as_label

if TYPE_CHECKING:
    import pyarrow as pa
    import scipy.sparse

__all__ = ["from_frame", "from_sparse", "to_arrow", "to_sparse"]


def from_frame(frame: Any, *, id: str = "id", item: str = "item") -> Transactions:
    """Transactions from a long frame (one row per record id and item) or one with a list column `items`.

    Rows of one id make one record, in the order in which ids first appear. A null item is left out.
    """
    import pyarrow as pa

    table = to_table(frame)
    if "items" in table.column_names:
        lists = table["items"].combine_chunks()
        if isinstance(lists, pa.ChunkedArray):
            lists = pa.concat_arrays(lists.chunks) if lists.num_chunks else pa.array([], type=lists.type)
        if not (pa.types.is_list(lists.type) or pa.types.is_large_list(lists.type)):
            raise InputError(f"must hold lists of items, not {lists.type}", column="items")
        records = pa.array(np.repeat(np.arange(len(lists)), _list_lengths(lists)))
        return _from_codes(records, lists.flatten(), len(lists))
    missing = [name for name in (id, item) if name not in table.column_names]
    if missing:
        raise InputError(f"no column {missing[0]!r}; columns are: {', '.join(table.column_names) or 'none'}")
    if table[id].null_count:
        raise InputError("a record's id is null", column=id)
    ids = _one_array(table[id])
    ids = ids if pa.types.is_dictionary(ids.type) else ids.dictionary_encode()
    return _from_codes(ids.indices, _one_array(table[item]), len(ids.dictionary))


def _one_array(column: "pa.ChunkedArray") -> "pa.Array":
    import pyarrow as pa

    whole = column.unify_dictionaries() if pa.types.is_dictionary(column.type) else column
    return pa.concat_arrays(whole.chunks) if whole.num_chunks else pa.array([], type=whole.type)


def _list_lengths(lists: "pa.Array") -> "np.ndarray[Any, Any]":
    import pyarrow.compute as pc

    return pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]


def _from_codes(records: "pa.Array", items: "pa.Array", n_records: int) -> Transactions:
    """Transactions from record numbers and items that stand beside each other."""
    import pyarrow as pa

    kind = items.type.value_type if pa.types.is_dictionary(items.type) else items.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind)):
        if not (pa.types.is_string_view(kind) or items.null_count == len(items)):
            raise InputError(f"items must be text or whole numbers, not {kind}", column="item")
        if pa.types.is_dictionary(items.type):
            items = pa.DictionaryArray.from_arrays(items.indices, items.dictionary.cast(pa.string()))
        else:
            items = items.cast(pa.string())
    encoded = items if pa.types.is_dictionary(items.type) else items.dictionary_encode()
    if encoded.dictionary.null_count:
        raise InputError("an item in the dictionary is null", column="item")
    keep = encoded.indices.is_valid().to_numpy(zero_copy_only=False)
    raw = encoded.dictionary.to_pylist()
    names = [as_label(value) if value != "" else "" for value in raw]
    distinct = {name: code for code, name in reversed(list(enumerate(names)))}  # trimming may make two labels one
    codes = encoded.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    if "" in distinct:
        keep &= np.array([name != "" for name in names], dtype=np.bool_)[codes]
    labels = [name for name in distinct if name]
    place = {name: i for i, name in enumerate(labels)}
    recode = np.array([place.get(name, 0) for name in names] or [0], dtype=np.int32)
    rows = records.to_numpy(zero_copy_only=False).astype(np.int64)[keep]
    indices = recode[codes[keep]]
    order = np.argsort(rows, kind="stable")
    indptr = np.searchsorted(rows[order], np.arange(n_records + 1)).astype(np.int64)
    return Transactions.from_arrays(indptr, indices[order], labels)


def to_arrow(transactions: Transactions) -> "pa.Table":
    """A table with one list column `items`: a record per row, empty ones included."""
    import pyarrow as pa

    held = transactions.without_unused()  # Parquet would list the labels that no record holds, too
    names = pa.DictionaryArray.from_arrays(pa.array(held.indices), pa.array(held.labels, pa.string()))
    lists = pa.LargeListArray.from_arrays(pa.array(held.indptr), names)
    return pa.table({"items": lists})


def from_sparse(matrix: Any, *, labels: Iterable[object] | None = None) -> Transactions:
    """Transactions from a scipy sparse matrix (record x item); any entry that is not zero counts."""
    compressed = matrix.tocsr()
    compressed.eliminate_zeros()
    names = map(str, range(compressed.shape[1])) if labels is None else map(as_label, labels)
    return Transactions.from_arrays(compressed.indptr, compressed.indices, list(names))


def to_sparse(transactions: Transactions) -> "scipy.sparse.csr_array":
    """A scipy sparse 0/1 matrix, record x item."""
    from scipy.sparse import csr_array

    ones = np.ones(len(transactions.indices), dtype=np.int8)
    shape = (len(transactions), transactions.n_items)
    return csr_array((ones, transactions.indices, transactions.indptr), shape=shape)
