"""Keys of a ledger, and entries that are sealed one behind the other.

    head | entry 0 | entry 1 | ...      entry i is sealed together with the hash of all that stands before it

The key comes from a file of 32 bytes, or from a passphrase by scrypt. Two keys are drawn from it: one seals entries
(ChaCha20-Poly1305), one makes pseudonyms (BLAKE2b, 8 bytes). An entry that was changed, moved, left out or taken from
another ledger cannot be opened; only leaving out the *last* entries goes unnoticed here, and passports show that.
"""

import base64
import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.core.json_text import canonical_json, read_json

__all__ = ["HEAD", "Seal", "join_entry", "read_head"]

HEAD = b"confide ledger, version 1\n"
_KEY, _NONCE, _SALT = 32, 12, 16
_COST = 1 << 16  # scrypt's n: 64 MB and a fifth of a second for every guess
_LONGEST_HEAD = 1 << 12


@dataclass(frozen=True, repr=False)
class Seal:
    """The keys of one ledger and the head of its file."""

    head: bytes
    entry_key: bytes
    person_key: bytes

    @classmethod
    def new(cls, key: bytes | str) -> "Seal":
        """For a new ledger: a key of 32 bytes, or a passphrase."""
        made = "passphrase" if isinstance(key, str) else "key"
        about = {"from": made, "salt": base64.b64encode(os.urandom(_SALT)).decode(), "n": _COST if made != "key" else 0}
        return cls._of(HEAD + canonical_json(about).encode() + b"\n", about, key)

    @classmethod
    def of_file(cls, data: bytes, key: bytes | str, *, source: Path) -> "Seal":
        """For the ledger in these bytes."""
        about = read_head(data, source=source)
        wanted = str if about["from"] == "passphrase" else bytes
        if not isinstance(key, wanted):
            needs = "a passphrase; leave out ledger_key=" if wanted is str else "the file with its key: ledger_key="
            raise UsageError(f"{source} needs {needs}", parameter="ledger_key")
        return cls._of(data[: _end_of_head(data, source)], about, key)

    @classmethod
    def _of(cls, head: bytes, about: dict[str, Any], key: bytes | str) -> "Seal":
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF
        from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

        salt = base64.b64decode(about["salt"])
        if isinstance(key, str):
            if not key:
                raise UsageError("the passphrase is empty")
            key = Scrypt(salt=salt, length=_KEY, n=about["n"], r=8, p=1).derive(key.encode())
        elif len(key) != _KEY:
            raise UsageError(f"the key of a ledger is {_KEY} bytes, not {len(key)}")
        both = HKDF(algorithm=SHA256(), length=2 * _KEY, salt=salt, info=b"confide ledger").derive(key)
        return cls(head, both[:_KEY], both[_KEY:])

    def chain(self) -> bytes:
        """The hash of the head, with which the chain begins."""
        return hashlib.sha256(self.head).digest()

    def close(self, entry: bytes, before: bytes) -> bytes:
        """Seal an entry behind what hashes to `before`."""
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        nonce = os.urandom(_NONCE)
        box = nonce + ChaCha20Poly1305(self.entry_key).encrypt(nonce, entry, before)
        return len(box).to_bytes(8, "little") + box

    def open(self, box: bytes, before: bytes) -> bytes | None:
        """The entry in a box, None if it was sealed with another key, or behind something else."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        try:
            return ChaCha20Poly1305(self.entry_key).decrypt(box[:_NONCE], box[_NONCE:], before)
        except (InvalidTag, ValueError):
            return None

    def pseudonyms(self, persons: Iterable[str]) -> NDArray[np.uint64]:
        """A keyed pseudonym of 8 bytes for each person."""
        start = hashlib.blake2b(key=self.person_key, digest_size=8)
        digests = bytearray()
        for person in persons:
            one = start.copy()
            one.update(person.encode("utf-8", "surrogatepass"))
            digests += one.digest()
        return np.frombuffer(bytes(digests), dtype="<u8").astype(np.uint64)


def read_head(data: bytes, *, source: Path) -> dict[str, Any]:
    """What the head of a ledger says of its key."""
    about = read_json(data[len(HEAD) : _end_of_head(data, source)], what="the head of a ledger", source=source)
    if (
        not isinstance(about, dict)
        or about.get("from") not in ("key", "passphrase")
        or about.get("n") != (_COST if about["from"] == "passphrase" else 0)
        or not _is_salt(about.get("salt"))
    ):
        raise InputError("is not a ledger that this program wrote", source=source)
    return about


def _is_salt(text: Any) -> bool:
    try:
        return isinstance(text, str) and len(base64.b64decode(text, validate=True)) == _SALT
    except ValueError:
        return False


def _end_of_head(data: bytes, source: Path) -> int:
    end = data.find(b"\n", len(HEAD), _LONGEST_HEAD)
    if not data.startswith(HEAD) or end < 0:
        raise InputError("is not a ledger; make one with confide ledger new", source=source)
    return end + 1


def join_entry(about: dict[str, Any], blobs: list[bytes]) -> bytes:
    """An entry as bytes: one line of JSON, then arrays."""
    return json.dumps(about, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" + b"".join(blobs)
