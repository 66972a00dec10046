"""The file a sliding window is kept in: Arrow IPC, one row for each record, parameters in the schema's metadata."""

import json
import struct
from contextlib import suppress
from typing import Any

import numpy as np

from confide.core.errors import InputError
from confide.core.tables.formats.arrow_messages import is_compressed
from confide.core.transactions.container import Transactions
from confide.core.transactions.support import Threshold

__all__ = ["pack", "unpack"]

_KEY = b"confide"
_BEGINNING, _END = b"ARROW1\0\0", b"ARROW1"
_KIND, _VERSION = "sliding-window", 1


def _schema() -> Any:
    import pyarrow as pa

    return pa.schema([pa.field("items", pa.large_list(pa.dictionary(pa.int32(), pa.large_string())), nullable=False)])


def pack(records: Transactions, *, size: int, min_support: Threshold) -> bytes:
    """Records and parameters as bytes."""
    import pyarrow as pa

    head = {"kind": _KIND, "version": _VERSION, "size": size, "min_support": min_support}
    names = pa.DictionaryArray.from_arrays(pa.array(records.indices), pa.array(records.labels, pa.large_string()))
    column = pa.LargeListArray.from_arrays(pa.array(records.indptr), names)
    sink = pa.BufferOutputStream()
    schema = _schema().with_metadata({_KEY: json.dumps(head).encode()})
    with pa.ipc.new_file(sink, schema) as writer:
        writer.write_batch(pa.record_batch([column], schema=schema))
    return bytes(sink.getvalue())


def unpack(data: bytes, *, source: object = None) -> tuple[Transactions, int, Threshold]:
    """(records, size, min_support) from what `pack` gave; InputError if it is anything else."""
    import pyarrow as pa

    broken = InputError("is not a saved sliding window: not a whole Arrow IPC file", source=source)
    try:
        # A file is a stream between two marks. Read as a stream, what is looked at first is what is decoded then.
        stream = pa.py_buffer(bytes(data)).slice(len(_BEGINNING))
        if bytes(data[: len(_BEGINNING)]) != _BEGINNING or bytes(data[-len(_END) :]) != _END:
            raise broken
        if _any_compressed(stream):
            raise InputError("is not a saved sliding window: it is compressed, which we never write", source=source)
        with pa.ipc.open_stream(stream) as reader:
            schema, batches = reader.schema, list(reader)
        for batch in batches:
            batch.validate(full=True)
    except (pa.ArrowException, OSError, EOFError, ValueError, KeyError, struct.error):
        raise broken from None
    size, min_support = _parameters(schema, source)
    if len(batches) != 1 or not schema.remove_metadata().equals(_schema()):
        raise InputError("is not a saved sliding window: its column is not a list of labels", source=source)
    column = batches[0].column(0)
    flat = column.flatten()
    labels = flat.dictionary.to_pylist()
    if column.null_count or flat.null_count or not all(labels) or len(set(labels)) < len(labels):
        raise InputError("is not a saved sliding window: a label is missing or occurs twice", source=source)
    if len(column) > size:
        raise InputError(f"holds {len(column)} records, but its window has size={size}", source=source)
    offsets = column.offsets.to_numpy().astype(np.int64)
    return Transactions.from_arrays(offsets - offsets[0], flat.indices.to_numpy(), labels), size, min_support


def _any_compressed(stream: Any) -> bool:
    """Whether any message of a stream names a compression; nothing is decoded."""
    import pyarrow as pa

    reader = pa.ipc.MessageReader.open_stream(stream)
    with suppress(StopIteration):
        while True:
            one = reader.read_next_message()
            kind = one.type
            if kind != "schema" and is_compressed(bytes(one.metadata), dictionary=kind == "dictionary"):
                return True
    return False


def _parameters(schema: Any, source: object) -> tuple[int, Threshold]:
    try:
        head = json.loads((schema.metadata or {})[_KEY])
        kind, version, size, min_support = head["kind"], head["version"], head["size"], head["min_support"]
    except (KeyError, TypeError, ValueError, RecursionError):
        raise InputError("is not a saved sliding window: no parameters in it", source=source) from None
    if kind != _KIND:
        raise InputError(f"is a {kind}, not a {_KIND}", source=source)
    if version != _VERSION:
        raise InputError(f"is of version {version}; this program reads version {_VERSION}", source=source)
    if type(size) is not int or type(min_support) not in (int, float):
        raise InputError("is not a saved sliding window: size or min_support is not a number", source=source)
    return size, min_support
