"""Files that are whole or absent: written beside the target, synced, then renamed.

A reader, or a crash at any moment, sees the old file or the new one, never a part of either. What a killed writer
leaves behind is hidden, no reader of ours takes it for a result, and the next run clears it away (`runtime.parts`).
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from confide.core.errors import InputError, UsageError
from confide.core.runtime.memory import VARIABLE, most_unpacked
from confide.core.runtime.unfinished import make_part

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "LARGEST_TOML",
    "MAX_BYTES",
    "atomic_write",
    "check_new",
    "compression_of",
    "move",
    "read_array",
    "read_bytes",
    "read_regular",
    "read_toml",
    "sync_folder",
    "too_large",
    "write_text",
]

MAX_BYTES = 8 << 30
"""A file larger than this is refused: no dataset we serve is that large."""

_READERS = 4
_COMPRESSION = {".gz": "gzip", ".zst": "zstd"}


def compression_of(path: Path) -> str | None:
    """`gzip`, `zstd` or None, by the file's last suffix."""
    return _COMPRESSION.get(path.suffix.lower())


def check_new(path: Path, *, replace: bool) -> None:
    """Refuse a name that a file has already, unless it may be replaced, or in a folder that is not there."""
    if not replace and os.path.lexists(path):
        raise UsageError(f"{path} exists; say replace=True to overwrite it", parameter="replace", value=replace)
    if "\0" in path.name:
        raise UsageError(f"{path}: no file can have this name")
    if not path.parent.is_dir():
        raise UsageError(f"the folder {path.parent} does not exist; make it first")


@contextmanager
def atomic_write(
    path: str | PathLike[str], *, replace: bool = False, private: bool = False, sync: bool = True
) -> Iterator[BinaryIO]:
    """Open a file for writing that appears under its name only when the block ends well.

    Without `replace=True` an existing file is never overwritten, even if it appears while we write. A name ending
    in `.gz` or `.zst` is compressed on the way. A `private` file can be read by its owner only. Without `sync` it
    survives a crash of the program, but maybe not one of the machine.
    """
    target = Path(path)
    check_new(target, replace=replace)
    try:
        part = make_part(target.parent, private=private)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}") from None
    try:
        with open(part.path, "wb") as raw:
            with _compressed(raw, compression_of(target)) as stream:
                yield stream
            raw.flush()
            if sync:
                os.fsync(raw.fileno())
        move(part.path, target, replace=replace)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror or error}") from None
    finally:
        part.drop()
    if sync:
        sync_folder(target.parent)


@contextmanager
def _compressed(raw: IO[bytes], compression: str | None) -> Iterator[BinaryIO]:
    if compression is None:
        yield cast(BinaryIO, raw)
    elif compression == "gzip":
        import gzip

        # No name and no time inside: the same data gives the same bytes.
        with gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=6, mtime=0) as packed:
            yield cast(BinaryIO, packed)
    else:
        import pyarrow as pa

        with pa.CompressedOutputStream(pa.PythonFile(_KeepOpen(raw), mode="w"), compression) as packed:
            yield cast(BinaryIO, packed)


class _KeepOpen:
    """A writer whose close() leaves the file beneath open, so that we can still sync it."""

    def __init__(self, raw: IO[bytes]):
        self._raw = raw
        self.closed = False

    def write(self, data: bytes) -> int:
        return self._raw.write(data)

    def flush(self) -> None:
        self._raw.flush()

    def close(self) -> None:
        self.closed = True


def move(part: Path, target: Path, *, replace: bool) -> None:
    """Give a finished file its name; without `replace` never in place of another, even one that has just appeared."""
    if replace:
        os.replace(part, target)
        return
    try:
        os.link(part, target)  # unlike rename, fails if the target has appeared meanwhile
    except FileExistsError:
        raise UsageError(f"{target} appeared while it was being written; it was left alone") from None
    except OSError:  # a file system without hard links
        if os.path.lexists(target):
            raise UsageError(f"{target} appeared while it was being written; it was left alone") from None
        os.rename(part, target)


def sync_folder(folder: Path) -> None:
    """Have the system write down the names in a folder."""
    with suppress(OSError):  # not every system lets a folder be opened
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_text(path: str | PathLike[str], text: str, *, replace: bool = False, private: bool = False) -> None:
    """Write UTF-8 text atomically."""
    with atomic_write(path, replace=replace, private=private) as file:
        file.write(text.encode())


def read_regular(path: str | PathLike[str], *, max_bytes: int = MAX_BYTES) -> bytes:
    """The bytes of a regular file as they are. A device or a pipe, which may never end, is refused."""
    source = Path(path)
    try:
        descriptor = os.open(source, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
        with open(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise InputError("is not a regular file", source=source)
            if found.st_size > max_bytes:
                raise InputError(f"larger than {max_bytes:,} bytes; pass max_bytes to allow it", source=source)
            data = file.read(max_bytes + 1)
    except FileNotFoundError:
        raise InputError("no such file", source=source) from None
    except IsADirectoryError:
        raise InputError("is a folder, not a file", source=source) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", source=source) from None
    except ValueError:  # a NUL, or half a character, which no file's name can hold
        raise InputError("no file can have this name", source=source) from None
    if len(data) > max_bytes:
        raise InputError(f"larger than {max_bytes:,} bytes; pass max_bytes to allow it", source=source)
    return data


def read_bytes(path: str | PathLike[str], *, max_bytes: int = MAX_BYTES) -> bytes | bytearray:
    """The unpacked bytes of a regular file; `.gz` and `.zst` are unpacked on the way.

    That goes up to `max_bytes`, and no further than `most_unpacked` says: a few bytes may unpack to any size.
    """
    source = Path(path)
    compression = compression_of(source)
    if compression is None:
        return read_regular(source, max_bytes=max_bytes)
    packed = read_regular(source, max_bytes=max_bytes)
    try:
        return _unpack(packed, source, compression, max_bytes)
    except (OSError, EOFError) as error:
        # pyarrow's own messages run over several lines; one is enough
        raise InputError(f"cannot be read: {str(error).splitlines()[0]}", source=source) from None


def read_array(path: str | PathLike[str], *, max_bytes: int = MAX_BYTES) -> "NDArray[np.uint8]":
    """As `read_bytes`, as an array that cannot be written to; a large plain file is read by several threads.

    Half the time of reading goes into the system's handing out memory, page by page, which threads do side by side.
    """
    import numpy as np

    from confide.core.runtime.threads import in_threads

    source = Path(path)
    if compression_of(source) is not None or not source.is_file() or source.stat().st_size < 1 << 23:
        whole = np.frombuffer(read_bytes(path, max_bytes=max_bytes), dtype=np.uint8)
        whole.flags.writeable = False
        return whole
    size = source.stat().st_size
    if size > max_bytes:
        raise InputError(f"larger than {max_bytes:,} bytes; pass max_bytes to allow it", source=source)
    whole = np.empty(size, dtype=np.uint8)
    bounds = [size * piece // _READERS for piece in range(_READERS + 1)]

    def fill(piece: tuple[int, int]) -> int:
        start, stop = piece
        with open(source, "rb", buffering=0) as file:
            file.seek(start)
            while start < stop and (got := file.readinto(whole[start:stop].data)):
                start += got
        return start

    try:
        ends = in_threads(fill, pairwise(bounds), threads=_READERS)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=source) from None
    if ends != bounds[1:]:
        raise InputError("became shorter while it was read", source=source)
    whole.flags.writeable = False
    return whole


def too_large(most: int, source: Path) -> InputError:
    """The error for a packed file that unpacks to more than `most` bytes."""
    advice = f"if you trust it, unpack it first, or set {VARIABLE}=8G"
    return InputError(f"unpacks to more than {most:,} bytes; {advice}", source=source)


def _unpack(packed: bytes, source: Path, compression: str, max_bytes: int) -> bytearray:
    import gzip
    import io
    import zlib

    import pyarrow as pa

    most = min(max_bytes, most_unpacked(len(packed)))
    whole = bytearray()  # grows in place: joining blocks would need the size twice
    try:
        with (
            gzip.open(io.BytesIO(packed))
            if compression == "gzip"
            else pa.input_stream(pa.BufferReader(packed), compression=compression)
        ) as f:
            while block := f.read(1 << 22):
                whole += block
                if len(whole) > most:
                    raise too_large(most, source)
    except (zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"is not a whole {compression} file ({error})", source=source) from None
    return whole


# -- TOML that people write -------------------------------------------------------------------------------------------

LARGEST_TOML = 1 << 20
"""Bytes of a file; a schema of some thousand columns stays below."""


def read_toml(path: str | PathLike[str]) -> dict[str, Any]:
    """What a TOML file says; an InputError names the line where it is not TOML."""
    import tomllib

    source = Path(path)
    try:
        return tomllib.loads(bytes(read_bytes(source, max_bytes=LARGEST_TOML)).decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InputError("not UTF-8; save the file as UTF-8", source=source) from None
    except RecursionError:
        raise InputError("not a valid TOML file (nested too deeply)", source=source) from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"not a valid TOML file ({error})", source=source) from None
    except ValueError:
        raise InputError("not a valid TOML file (a number has too many digits)", source=source) from None
