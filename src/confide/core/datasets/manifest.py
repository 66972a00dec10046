"""A released data set in parts: a folder of Parquet files, and the list of them.

    OUT/part-00000.parquet  part-00001.parquet ...    the records
    OUT/manifest.json                                 name, sha256, size and records of each part
    OUT.passport.json                                 its sha256 is that of the manifest

Parts are written first, into a hidden folder; the manifest comes after them, the folder gets its name by one rename,
and the passport comes last. Whatever dies before that leaves no passport, so nothing counts as released.
"""

import hashlib
import json
import os
import weakref
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from confide.core.artefacts.names import is_file_name
from confide.core.datasets.parts import MANIFEST, Parts
from confide.core.errors import InputError, UsageError
from confide.core.files import read_regular, sync_folder, write_text
from confide.core.json_text import check_json_size, read_json
from confide.core.runtime.memory import MemoryBudget
from confide.core.runtime.unfinished import make_part

__all__ = ["Manifest", "PartEntry", "StagedParts", "Staging", "digest", "pinned_bytes"]

_FORMAT = "confide-parts"
_LARGEST = 64 << 20
_MOST_PART = 1 << 30

Type = Literal["transactions", "table"]


@dataclass(frozen=True)
class PartEntry:
    """One part: its file's name, hash and size, and how many records it holds."""

    name: str
    sha256: str
    bytes: int
    records: int


@dataclass(frozen=True)
class Manifest:
    """The list of parts."""

    type: Type
    parts: tuple[PartEntry, ...]

    @property
    def records(self) -> int:
        """How many records all parts hold."""
        return sum(part.records for part in self.parts)

    def to_json(self) -> str:
        """As it is written: the same list gives the same text."""
        plain = {"format": _FORMAT, "version": 1, "type": self.type, "records": self.records}
        return json.dumps(plain | {"parts": [asdict(part) for part in self.parts]}, indent=1) + "\n"

    @classmethod
    def of(cls, data: bytes, source: Path) -> "Manifest":
        """Read a manifest; refused unless it is to the byte what we write."""
        plain = read_json(data, what="a manifest", source=source)
        try:
            parts = tuple(_entry(part) for part in plain["parts"])
            found = cls(plain["type"], parts)
            same = found.type in ("transactions", "table") and found.to_json().encode() == data
        except (KeyError, TypeError, ValueError):
            same = False
        if not same:
            raise InputError("is not a manifest as Confide writes it", source=source)
        return found

    @classmethod
    def read(cls, folder: Path) -> tuple["Manifest", bytes]:
        """The manifest of a folder, and its bytes."""
        data = read_regular(folder / MANIFEST, max_bytes=_LARGEST)
        check_json_size(data, MemoryBudget.for_file(len(data)), source=folder / MANIFEST)
        return cls.of(data, folder / MANIFEST), data

    def found_in(self, folder: Path) -> Parts:
        """The parts, whose bytes are compared with the manifest whenever they are read.

        Raises where the folder holds a file that the manifest does not list, or lacks one.
        """
        listed = {part.name: part for part in self.parts}
        there = {path.name for path in folder.iterdir()}
        more, missing = sorted(there - set(listed) - {MANIFEST}), sorted(set(listed) - there)
        if more:
            raise InputError(f"holds {more[0]!r}, which its manifest does not list", source=folder)
        if missing:
            raise InputError(f"lacks {missing[0]!r}, which its manifest lists", source=folder)
        found = Parts.find(folder)
        for part in found.files:
            known = listed[part.name]
            if (part.size, part.rows) != (known.bytes, known.records):
                raise InputError("has another size than its manifest says", source=part.path)
        return found.pinned({name: part.sha256 for name, part in listed.items()})


def _entry(plain: Any) -> PartEntry:
    part = PartEntry(**plain)
    name_ok = is_file_name(part.name) and part.name.endswith(".parquet")
    whole = all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in (part.bytes, part.records))
    if not name_ok or part.name[0] in "._" or not whole or not isinstance(part.sha256, str) or part.bytes > _MOST_PART:
        raise ValueError
    return part


class Staging:
    """A hidden folder beside the target, in which parts are written; gone with this object, unless it was moved.

    As a context manager it is gone at once where the work in it fails.
    """

    def __init__(self, target: Path) -> None:
        self.check(target)
        try:
            self._part = make_part(target.parent, folder=True)
        except OSError as error:
            raise UsageError(f"cannot write in {target.parent}: {error.strerror}") from None
        self.folder = self._part.path
        self._gone = weakref.finalize(self, self._part.drop)

    def __enter__(self) -> "Staging":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.discard()

    @staticmethod
    def check(target: Path) -> None:
        """Refuse a target that cannot be a folder of parts: before the work, and nothing is made yet."""
        if target.suffix:
            raise UsageError(
                f"{target}: a data set that is not in memory is released as a folder of Parquet parts; give a name "
                f"without {target.suffix}"
            )
        if not target.parent.is_dir():
            raise UsageError(f"the folder {target.parent} does not exist; make it first")

    def written(self, manifest: Manifest) -> bytes:
        """Write the manifest, which makes the folder whole; give its bytes."""
        write_text(self.folder / MANIFEST, manifest.to_json())
        sync_folder(self.folder)
        return manifest.to_json().encode()

    def move(self, target: Path) -> None:
        """Give the folder another name; it then stays."""
        umask = os.umask(0)
        os.umask(umask)
        self.folder.chmod(0o777 & ~umask)
        os.rename(self.folder, target)
        self._gone()

    def discard(self) -> None:
        """Remove the folder."""
        self._gone()


@dataclass(frozen=True, eq=False)
class StagedParts:
    """Parts that are written and have no name yet."""

    staging: Staging
    manifest: Manifest

    def move(self, target: Path) -> None:
        """Give them their name."""
        self.staging.move(target)


def digest(data: bytes | memoryview | Any) -> str:
    """The sha256 of some bytes, as a manifest says it."""
    return hashlib.sha256(data).hexdigest()


def pinned_bytes(path: Path, digests: Mapping[str, str]) -> bytes:
    """The bytes of a part, if they are those its manifest speaks of."""
    data = read_regular(path, max_bytes=_MOST_PART)
    if digest(data) != digests[path.name]:
        raise InputError("is not the part its manifest speaks of: it was changed", source=path)
    return data
