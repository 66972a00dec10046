"""A packed file (.gz, .zst) that holds one packed stream and nothing beside it.

Both formats have room for more than the data: names, comments and further streams in gzip, skippable frames in zstd.
Usual readers pass over these in silence, so a release could carry anything in them.
"""

import zlib
from collections.abc import Iterator
from pathlib import Path

from confide.core.errors import InputError
from confide.core.files import too_large
from confide.core.runtime.memory import most_unpacked

__all__ = ["unpacked", "unpacked_blocks"]

_GZIP = b"\x1f\x8b\x08\x00\x00\x00\x00\x00"  # deflate, no flags (so no name, comment or extra field), no time
_ZSTD = b"\x28\xb5\x2f\xfd"
_BLOCK = 1 << 20
_WIDEST_WINDOW = 32 << 20  # bytes of its past that a zstd frame may ask a reader to keep


def unpacked(data: bytes, compression: str | None, source: Path, *, most: int) -> bytes:
    """The bytes inside; refused when the file holds anything else, or unpacks to more than `most` bytes."""
    if compression is None:
        return data
    whole = bytearray()
    for block in unpacked_blocks(data, compression, source, most=most):
        whole += block
    return bytes(whole)


def unpacked_blocks(data: bytes, compression: str | None, source: Path, *, most: int) -> Iterator[bytes]:
    """The same in blocks of a megabyte at most, without holding more than one."""
    if compression is None:
        view = memoryview(data)
        yield from (bytes(view[at : at + _BLOCK]) for at in range(0, len(data), _BLOCK))
        return
    most, size = min(most, most_unpacked(len(data))), 0
    for block in (_gunzip if compression == "gzip" else _unzstd)(data, source):
        size += len(block)
        if size > most:
            raise too_large(most, source)
        yield block


def _gunzip(data: bytes, source: Path) -> Iterator[bytes]:
    if data[:8] != _GZIP:
        raise InputError("its gzip header holds more than we write (a name, a time or a comment)", source=source)
    stream = zlib.decompressobj(wbits=31)
    view = memoryview(data)
    try:
        for at in range(0, len(data), _BLOCK):
            packed: bytes | memoryview = view[at : at + _BLOCK]
            while len(packed) and not stream.eof:
                if block := stream.decompress(packed, _BLOCK):
                    yield block
                packed = stream.unconsumed_tail
            if stream.eof and (stream.unused_data or at + _BLOCK < len(data)):
                raise InputError("holds something after its packed data", source=source)
    except zlib.error:
        raise InputError("is not a whole gzip file", source=source) from None
    if not stream.eof:
        raise InputError("is not a whole gzip file", source=source)


def _unzstd(data: bytes, source: Path) -> Iterator[bytes]:
    import pyarrow as pa

    _check_one_frame(data, source)
    try:
        with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
            while block := stream.read(_BLOCK):
                yield block
    except OSError:
        raise InputError("is not a whole zstd file", source=source) from None


def _check_one_frame(data: bytes, source: Path) -> None:
    """See that the file is one zstd frame from its first byte to its last (RFC 8878, section 3.1.1)."""
    fault = InputError("is not one zstd frame and nothing else", source=source)
    if data[:4] != _ZSTD or len(data) < 6:
        raise fault
    descriptor = data[4]
    single, size_flag = descriptor >> 5 & 1, descriptor >> 6
    size_bytes = (single, 2, 4, 8)[size_flag]
    place = 5 + (1 - single) + (0, 1, 2, 4)[descriptor & 3] + size_bytes
    if single:
        first = place - size_bytes
        window = int.from_bytes(data[first:place], "little") + (256 if size_bytes == 2 else 0)
    else:
        window = (1 << 10 + (data[5] >> 3)) * (8 + (data[5] & 7)) // 8
    if window > _WIDEST_WINDOW:
        raise InputError(f"asks its reader to keep more than {_WIDEST_WINDOW >> 20} MB", source=source)
    last = 0
    while not last:
        if place + 3 > len(data):
            raise fault
        header = int.from_bytes(data[place : place + 3], "little")
        last, kind, size = header & 1, header >> 1 & 3, header >> 3
        place += 3 + (1 if kind == 1 else size)  # a run of one byte stores that byte once
    if place + (4 if descriptor & 4 else 0) != len(data):
        raise fault
