"""Messages: a verb, a small header and columns; checked on arrival, and what does not fit exactly is refused.

The header is JSON in the schema's metadata, checked by a model with no room for anything else; the body is Arrow
columns, whose names, types and absence of nulls are checked. Nothing is ever unpickled. `verbs` lists what can be said.

What a message unpacks to is bounded by its length before it is decoded: compressed batches and dictionaries are refused
unread, and of the types that are left none is without width.
"""

import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from confide.core.errors import InputError
from confide.core.json_text import faults_of
from confide.core.tables.formats.arrow_messages import is_compressed
from confide.join.protocol.verbs import APART, VERBS, Verb

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LARGEST_HEADER", "LARGEST_SCHEMA", "Message", "narrow"]

LARGEST_HEADER = 1 << 20
LARGEST_SCHEMA = 32 << 20
"""Bytes of the header and of the names of all columns: a summary has one for each class."""
_BATCH_BYTES = 4 << 20


@dataclass(frozen=True)
class Message:
    """A verb with its header and columns (numpy arrays, or Arrow arrays for text and points)."""

    verb: str
    header: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The ledger's word for it."""
        return VERBS[self.verb].kind

    @property
    def apart(self) -> str | None:
        """The exchange this message belongs to, if that is no run of a tree."""
        return str(self.header["run"]) if self.verb in APART else None

    @property
    def entries(self) -> int:
        """Rows of the body; of a split summary, which has a row for each child, its join values."""
        if not self.columns:
            return 0
        if self.verb == "split-counts":
            keys = self.columns["keys"]
            return int(keys.offsets[-1].as_py() - keys.offsets[0].as_py()) if len(keys) else 0
        return len(next(iter(self.columns.values())))

    def counts(self) -> NDArray[np.int64]:
        """Columns `c0`, `c1`, ... side by side as one table of counts."""
        names = [name for name in self.columns if name.startswith("c") and name[1:].isdigit()]
        made = np.empty((self.entries, len(names)), dtype=np.int64)
        for name in names:
            made[:, int(name[1:])] = self.columns[name]
        return made

    # -- to Arrow and back ----------------------------------------------------------------------------------------

    def to_batch(self) -> "pa.RecordBatch":
        """The message as one record batch; verb and header are metadata of its schema."""
        import pyarrow as pa

        header = json.dumps(dict(self.header), separators=(",", ":"), ensure_ascii=False)
        metadata = {"verb": self.verb, "header": header}
        arrays = [pa.array(values) for values in self.columns.values()]
        schema = pa.schema(
            [pa.field(name, array.type, nullable=False) for name, array in zip(self.columns, arrays, strict=True)],
            metadata=metadata,
        )
        return pa.record_batch(arrays, schema=schema)

    def pieces(self) -> "tuple[pa.Schema, list[pa.RecordBatch]]":
        """The message in batches of a few megabytes, so that the receiver can stop before all has arrived."""
        batch = self.to_batch()
        rows = batch.num_rows
        if rows == 0:
            return batch.schema, []
        step = max(1, rows * _BATCH_BYTES // max(batch.nbytes, 1))
        return batch.schema, [batch.slice(start, step) for start in range(0, rows, step)]

    @classmethod
    def read(cls, schema: "pa.Schema", batches: "Iterable[pa.RecordBatch]") -> "tuple[Message, int]":
        """Check and decode; returns the message and its size in bytes. Raises InputError for anything unexpected."""
        verb, header = _check_head(schema)
        size = sum(map(len, schema.metadata.values()))
        held: list[pa.RecordBatch] = []
        for batch in batches:
            if batch is None:  # metadata without data
                continue
            size += batch.nbytes
            if size > verb.largest:
                raise InputError(f"a message {verb.name!r} of more than {verb.largest:,} bytes is refused")
            held.append(batch)
        columns = {name: _column(schema.field(name), [batch.column(name) for batch in held]) for name in schema.names}
        return cls(verb.name, header, columns), size

    @property
    def size(self) -> int:
        """Bytes, as ledgers count them: header and columns, without what Arrow adds."""
        schema, batches = self.pieces()
        return sum(map(len, schema.metadata.values())) + sum(batch.nbytes for batch in batches)

    # -- as bytes -------------------------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """The same Arrow messages a network would carry, end to end."""
        import pyarrow as pa

        schema, batches = self.pieces()
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
        return sink.getvalue().to_pybytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> "tuple[Message, int]":
        """Check and decode what `to_bytes` made."""
        import pyarrow as pa

        try:
            schema, packed = _open_message(data)
            return cls.read(schema, (_batch(one, schema) for one in packed))
        except InputError:
            raise
        except (pa.ArrowException, OSError, ValueError, EOFError, IndexError, struct.error, OverflowError) as error:
            raise InputError(f"not an Arrow message ({type(error).__name__})") from None


def _open_message(data: bytes) -> "tuple[pa.Schema, list[Any]]":
    """The schema and the batches of a message, these not yet decoded; what could unpack to more is refused."""
    import pyarrow as pa

    found: list[Any] = []
    most = 5 + 2 * len(data) // _BATCH_BYTES  # one of our own batches has some megabytes, but for the last
    reader = pa.ipc.MessageReader.open_stream(pa.py_buffer(data))
    while len(found) <= most:
        try:
            found.append(reader.read_next_message())
        except StopIteration:
            break
    if not found or len(found) > most:
        raise InputError(f"a message without a schema, or in more than {most} pieces, is refused")
    if found[0].type != "schema" or found[0].metadata.size > LARGEST_SCHEMA:
        raise InputError(f"a message whose schema is above {LARGEST_SCHEMA:,} bytes, or missing, is refused")
    schema = pa.ipc.read_schema(found[0])
    largest = _check_head(schema)[0].largest
    for one in found[1:]:
        if one.type != "record batch" or not schema.names:
            raise InputError("a message with dictionaries, or with rows and no column, is refused")
        if is_compressed(bytes(one.metadata)):
            raise InputError("a compressed message is refused")
    if sum(one.body.size for one in found[1:] if one.body is not None) > 2 * largest:
        raise InputError(f"a message of more than {largest:,} bytes is refused")
    return schema, found[1:]


def _batch(one: Any, schema: "pa.Schema") -> "pa.RecordBatch":
    import pyarrow as pa

    batch = pa.ipc.read_record_batch(one, schema)
    batch.validate()  # before anybody looks: a length beyond its buffers would be read beyond them
    return batch


def narrow(counts: NDArray[np.int64]) -> NDArray[Any]:
    """Counts in the narrowest of the types a message may have."""
    if counts.dtype != np.int64:
        return counts
    most = int(counts.max()) if counts.size else 0
    for kind in (np.uint8, np.uint16, np.uint32):
        if most <= np.iinfo(kind).max:
            return counts.astype(kind)
    return counts


def _check_head(schema: "pa.Schema") -> tuple[Verb, dict[str, Any]]:
    metadata = schema.metadata or {}
    if set(metadata) != {b"verb", b"header"}:
        raise InputError("a message without verb and header is refused")
    name = metadata[b"verb"].decode(errors="replace")[:40]
    if name not in VERBS:
        raise InputError("a message of an unknown verb is refused")
    verb = VERBS[name]
    if len(metadata[b"header"]) > LARGEST_HEADER:
        raise InputError(f"a message {name!r} with a header above {LARGEST_HEADER:,} bytes is refused")
    try:
        header = verb.header.model_validate_json(metadata[b"header"])
    except ValidationError as error:
        fault = faults_of(error, whole="header", most=1)
        raise InputError(f"a message {name!r} whose header does not fit is refused ({fault})") from None
    _check_columns(verb, schema)
    return verb, header.model_dump()


def _check_columns(verb: Verb, schema: "pa.Schema") -> None:
    expected: list[tuple[str, tuple[str, ...]]] = []
    for name, types in verb.columns.items():
        if name.endswith("*"):
            numbered = [n for n in schema.names if n.startswith(name[:-1]) and n[len(name) - 1 :].isdigit()]
            expected += [(f"{name[:-1]}{number}", types) for number in range(max(1, len(numbered)))]
        else:
            expected.append((name, types))
    if [name for name, _ in expected] != schema.names:
        raise InputError(f"a message {verb.name!r} with columns of its own is refused")
    for name, types in expected:
        if str(schema.field(name).type) not in types:
            raise InputError(f"a message {verb.name!r} whose column {name!r} is of another type is refused")


def _column(field_: "pa.Field", arrays: "Sequence[pa.Array]") -> Any:
    import pyarrow as pa

    if any(array.null_count or array.buffers()[0] is not None for array in arrays):
        raise InputError(f"a message with nulls in column {field_.name!r} is refused")
    whole = arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays) if arrays else pa.array([], type=field_.type)
    if pa.types.is_integer(field_.type):
        return whole.to_numpy()
    try:
        whole.validate(full=True)
    except pa.ArrowInvalid:
        raise InputError(f"a message whose column {field_.name!r} does not hold together is refused") from None
    if pa.types.is_list(field_.type) and whole.values.null_count:
        raise InputError(f"a message with nulls in column {field_.name!r} is refused")
    return whole
