"""The file a stream's memory is kept in: canonical JSON with its own hash, encrypted if a key is given.

It holds true supports beside published values, so it is the owner's: readable by its owner only, and better encrypted.
It must be on disk before the release it protects leaves: a crash between the two then repeats a value instead of
drawing another. A file that is damaged, or was made under other parameters, is refused: starting afresh would draw
again.
"""

import hashlib
import os
from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any

from confide.core.errors import InputError, UsageError
from confide.core.files import atomic_write, read_regular
from confide.core.json_text import canonical_json, read_json
from confide.stream.paper.published_values import Memory, PublishedValue

__all__ = ["opened", "pack", "read_key", "read_state", "sealed", "unpack", "write_state"]

_KIND, _VERSION = "stream memory", 1
_SEALED = b"confide stream memory, encrypted, version 1\n"
_NONCE = 12
_KEY = 32
_MAX_BYTES = 1 << 28
_LARGEST_SUPPORT = 1_000_000_000  # records of the largest window

Fits = Callable[[int, PublishedValue], bool]


def read_key(path: str | PathLike[str]) -> bytes:
    """Read a key; InputError if the file does not hold exactly 32 bytes."""
    wrong = InputError(f"a key is a file of {_KEY} bytes; make one with: head -c {_KEY} /dev/urandom", source=path)
    if os.path.isfile(path) and os.path.getsize(path) != _KEY:
        raise wrong
    found = read_regular(path, max_bytes=_KEY)
    if len(found) != _KEY:
        raise wrong
    return found


def pack(memory: Memory, parameters: Mapping[str, Any], *, key: bytes | None = None) -> bytes:
    """The memory and the parameters it was made under, as bytes."""
    body = {
        "confide": _KIND,
        "version": _VERSION,
        "parameters": dict(parameters),
        "releases": memory.releases,
        "said": _rows(memory.values),
        "last": sorted(memory.last),
    }
    text = canonical_json({"body": body, "sha256": hashlib.sha256(canonical_json(body).encode()).hexdigest()}).encode()
    return sealed(text, key)


def sealed(text: bytes, key: bytes | None) -> bytes:
    """The text encrypted under a key, or as it is."""
    if key is None:
        return text
    nonce = os.urandom(_NONCE)
    return _SEALED + nonce + _cipher(key).encrypt(nonce, text, _SEALED)


def unpack(
    data: bytes,
    parameters: Mapping[str, Any],
    *,
    epoch: int | None,
    fits: Fits,
    key: bytes | None = None,
    source: object = None,
) -> Memory:
    """The memory in what `pack` gave; `fits` says whether a support may have been given this value."""
    text = opened(data, key, source)
    found = read_json(text, what="a saved stream memory", source=source)
    try:
        body, digest = found["body"], found["sha256"]
        whole = text == canonical_json(found).encode() and set(found) == {"body", "sha256"}
        if not whole or hashlib.sha256(canonical_json(body).encode()).hexdigest() != digest:
            raise InputError("is damaged: it does not have the hash it says; restore it from a copy", source=source)
        if (body["confide"], body["version"]) != (_KIND, _VERSION):
            raise InputError(f"is not a {_KIND} of version {_VERSION}", source=source)
        _same(body["parameters"], parameters, source)
        values = {_whole(t): PublishedValue(_whole(value), _whole(shift)) for t, value, shift in body["said"]}
        last, releases = frozenset(map(_whole, body["last"])), _whole(body["releases"])
        # Sets and dictionaries hide repeats; packing again shows them.
        lists = {"said": _rows(values), "last": sorted(last), "releases": releases}
        sound = canonical_json(lists) == canonical_json({k: body[k] for k in ("said", "last", "releases")})
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError("is not a saved stream memory", source=source) from None
    if not sound or not last <= set(values) or releases < bool(values) + (last < set(values)):
        raise InputError("is not a saved stream memory: its parts contradict each other", source=source)
    if max(values, default=0) > _LARGEST_SUPPORT or not all(fits(*entry) for entry in values.items()):
        raise InputError("is not a saved stream memory: a value lies outside its noise", source=source)
    return Memory.restore(values, last, releases, epoch)


def write_state(path: str | PathLike[str], data: bytes) -> None:
    """Write or replace the file, whole or not at all, synced, readable by its owner only."""
    with atomic_write(path, replace=True, private=True) as file:
        file.write(data)


def read_state(path: str | PathLike[str]) -> bytes:
    """The bytes of the file."""
    return read_regular(path, max_bytes=_MAX_BYTES)


def _rows(values: Mapping[int, PublishedValue]) -> list[list[int]]:
    """[support, value, shift] of each support, in order."""
    return [[support, value, shift] for support, (value, shift) in sorted(values.items())]


def opened(data: bytes, key: bytes | None, source: object) -> bytes:
    """Decrypt what `sealed` gave, or return plain text as it is; InputError if the key does not fit."""
    sealed = data.startswith(_SEALED)
    if key is None:
        if sealed:
            raise InputError("is encrypted; give its key", source=source)
        return data
    if not sealed:
        raise InputError("is not encrypted, but a key was given; leave the key out", source=source)
    from cryptography.exceptions import InvalidTag

    rest = data[len(_SEALED) :]
    try:
        return _cipher(key).decrypt(rest[:_NONCE], rest[_NONCE:], _SEALED)
    except (InvalidTag, ValueError):
        raise InputError("cannot be opened: it has another key, or is damaged", source=source) from None


def _cipher(key: bytes) -> Any:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    if not isinstance(key, bytes) or len(key) != 32:
        raise UsageError("the key of a stream's memory is 32 bytes; make one with os.urandom(32)")
    return ChaCha20Poly1305(key)


def _same(found: Any, expected: Mapping[str, Any], source: object) -> None:
    if not isinstance(found, dict):
        raise TypeError
    if found != dict(expected):
        other = sorted(name for name in {*found, *expected} if found.get(name) != expected.get(name))
        raise InputError(
            f"was made under other parameters ({', '.join(other)[:120]}); use those again, or another file",
            source=source,
        )


def _whole(value: Any) -> int:
    if type(value) is not int or abs(value) >= 1 << 62:
        raise TypeError
    return value
