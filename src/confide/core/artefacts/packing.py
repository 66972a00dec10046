"""A packed file (.gz, .zst) that holds one packed stream and nothing beside it.

Both formats have room for more than the data: names, comments and further streams in gzip, skippable frames in zstd.
Usual readers pass over these in silence, so a release could carry anything in them.
"""

import zlib
from pathlib import Path

from confide.core.errors import InputError
from confide.core.files import too_large
from confide.core.runtime.memory import most_unpacked

__all__ = ["unpacked"]

_GZIP = b"\x1f\x8b\x08\x00\x00\x00\x00\x00"  # deflate, no flags (so no name, comment or extra field), no time
_ZSTD = b"\x28\xb5\x2f\xfd"


def unpacked(data: bytes, compression: str | None, source: Path, *, most: int) -> bytes:
    """The bytes inside; refused when the file holds anything else, or unpacks to more than `most` bytes."""
    if compression is None:
        return data
    most = min(most, most_unpacked(len(data)))
    if compression == "gzip":
        return _gunzip(data, source, most)
    _check_one_frame(data, source)
    return _unzstd(data, source, most)


def _gunzip(data: bytes, source: Path, most: int) -> bytes:
    if data[:8] != _GZIP:
        raise InputError("its gzip header holds more than we write (a name, a time or a comment)", source=source)
    stream = zlib.decompressobj(wbits=31)
    try:
        whole = stream.decompress(data, most + 1)
    except zlib.error:
        raise InputError("is not a whole gzip file", source=source) from None
    if len(whole) > most:
        raise too_large(most, source)
    if not stream.eof:
        raise InputError("is not a whole gzip file", source=source)
    if stream.unused_data:
        raise InputError("holds something after its packed data", source=source)
    return whole


def _unzstd(data: bytes, source: Path, most: int) -> bytes:
    import pyarrow as pa

    whole = bytearray()
    try:
        with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
            while block := stream.read(1 << 22):
                whole += block
                if len(whole) > most:
                    raise too_large(most, source)
    except OSError:
        raise InputError("is not a whole zstd file", source=source) from None
    return bytes(whole)


def _check_one_frame(data: bytes, source: Path) -> None:
    """See that the file is one zstd frame from its first byte to its last (RFC 8878, section 3.1.1)."""
    fault = InputError("is not one zstd frame and nothing else", source=source)
    if data[:4] != _ZSTD or len(data) < 6:
        raise fault
    descriptor = data[4]
    single, size_flag = descriptor >> 5 & 1, descriptor >> 6
    size_bytes = (single, 2, 4, 8)[size_flag]
    place = 5 + (1 - single) + (0, 1, 2, 4)[descriptor & 3] + size_bytes
    last = 0
    while not last:
        if place + 3 > len(data):
            raise fault
        header = int.from_bytes(data[place : place + 3], "little")
        last, kind, size = header & 1, header >> 1 & 3, header >> 3
        place += 3 + (1 if kind == 1 else size)  # a run of one byte stores that byte once
    if place + (4 if descriptor & 4 else 0) != len(data):
        raise fault
