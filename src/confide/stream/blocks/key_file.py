"""The file of a stream's key: 32 bytes that only its owner can read, made when it is first asked for."""

import os
from pathlib import Path

from confide.core.errors import InputError, UsageError
from confide.core.files import atomic_write, read_regular
from confide.stream.blocks.keyed import KEY_BYTES

__all__ = ["open_key_file"]


def open_key_file(path: Path) -> bytes:
    """Read the key, or make one where there is no file; refused if others may read it, or if it is no key."""
    if not path.exists():
        if not path.parent.is_dir():
            raise UsageError(f"the folder {path.parent} does not exist; make it first")
        key = os.urandom(KEY_BYTES)
        with atomic_write(path, replace=False, private=True) as file:
            file.write(key)
        return key
    size = path.stat().st_size
    if path.is_file() and size != KEY_BYTES:
        raise InputError(
            f"holds {size:,} bytes, but a key is {KEY_BYTES}; name a file that does not exist, and one is made",
            source=path,
        )
    key = bytes(read_regular(path, max_bytes=KEY_BYTES))
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise InputError("can be read by others, so it is no secret; make it yours alone: chmod 600", source=path)
    return key
