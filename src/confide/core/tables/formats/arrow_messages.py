"""What the messages of Arrow's IPC format say of themselves, before anything of them is decoded.

A compressed message of some kilobytes decodes to gigabytes, and Arrow decodes it unasked. We never write such ones, so
readers look at the flatbuffer in front of each message (Arrow's Message.fbs) and refuse what names a compression.
"""

import struct

from confide.core.errors import InputError

__all__ = ["is_compressed"]

_HEADER = 2  # places in the tables Message, DictionaryBatch and RecordBatch
_DATA = 1
_COMPRESSION = 3


def is_compressed(metadata: bytes, *, dictionary: bool = False) -> bool:
    """Whether the flatbuffer of a record batch, or of a dictionary, names a compression."""
    place = _table(metadata, struct.unpack_from("<I", metadata, 0)[0], _HEADER)
    if dictionary:
        place = _table(metadata, place, _DATA)
    return _field(metadata, place, _COMPRESSION) is not None


def _table(data: bytes, table: int, number: int) -> int:
    """Where the table is that a field of another one names."""
    place = _field(data, table, number)
    if place is None:
        raise InputError("a batch without a header is refused")
    return place + int(struct.unpack_from("<I", data, place)[0])


def _field(data: bytes, table: int, number: int) -> int | None:
    """Where a field of a flatbuffer's table is, None where it is absent."""
    vtable = table - struct.unpack_from("<i", data, table)[0]
    if vtable < 0:
        raise InputError("a batch with a broken header is refused")
    if struct.unpack_from("<H", data, vtable)[0] < 6 + 2 * number:
        return None
    at = struct.unpack_from("<H", data, vtable + 4 + 2 * number)[0]
    return table + at if at else None
