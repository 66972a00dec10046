"""The file of a ledger: read whole, or refused; written whole, or not at all.

It is written beside the old one, synced and renamed, readable by its owner only. So a killed process leaves the old
ledger or the new one, and an entry that is cut short is damage, never a release that goes unnoticed.
"""

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

from confide.core.errors import InputError
from confide.core.files import atomic_write, read_regular
from confide.ledger.seal import Seal

__all__ = ["LedgerFile"]


@dataclass(frozen=True, repr=False)
class LedgerFile:
    """The bytes of a ledger with the keys to them; `chain` is the hash of all of it, `entries` what was sealed."""

    path: Path
    seal: Seal
    data: bytes
    chain: bytes
    entries: tuple[bytes, ...]

    @classmethod
    def new(cls, path: Path, key: bytes | str) -> "LedgerFile":
        """A ledger without entries, not written yet."""
        seal = Seal.new(key)
        return cls(path, seal, seal.head, seal.chain(), ())

    @classmethod
    def read(cls, path: Path, key: bytes | str) -> "LedgerFile":
        """Read a ledger and open every entry; one that cannot be opened is an error that says which."""
        data = read_regular(path)
        seal = Seal.of_file(data, key, source=path)
        chain, at = seal.chain(), len(seal.head)
        entries: list[bytes] = []
        while at < len(data):
            size = int.from_bytes(data[at : at + 8], "little")
            whole = at + 8 + size <= len(data)
            entry = seal.open(data[at + 8 : at + 8 + size], chain) if whole else None
            if entry is None and not entries:
                raise InputError("cannot be opened: it has another key, or is damaged", source=path)
            if entry is None:
                raise InputError(
                    f"entry {len(entries)} is damaged, or stands behind another than it was written behind; restore "
                    "the ledger from a copy",
                    source=path,
                )
            chain = _hash_behind(chain, data[at : at + 8 + size])
            entries.append(entry)
            at += 8 + size
        if not entries:
            raise InputError("has no entry: it was cut short; restore it from a copy", source=path)
        return cls(path, seal, data, chain, tuple(entries))

    def append(self, entry: bytes) -> "LedgerFile":
        """The same with one more entry, not written yet."""
        box = self.seal.close(entry, self.chain)
        return replace(self, data=self.data + box, chain=_hash_behind(self.chain, box), entries=(*self.entries, entry))

    def with_entries(self, entries: list[bytes]) -> "LedgerFile":
        """A ledger of the same keys with these entries, not written yet."""
        made = replace(self, data=self.seal.head, chain=self.seal.chain(), entries=())
        for entry in entries:
            made = made.append(entry)
        return made

    def write(self, *, replace: bool = True) -> None:
        """Write it, synced."""
        with atomic_write(self.path, replace=replace, private=True) as file:
            file.write(self.data)


def _hash_behind(chain: bytes, box: bytes) -> bytes:
    return hashlib.sha256(chain + box).digest()
