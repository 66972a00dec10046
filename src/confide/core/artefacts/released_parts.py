"""A released data set in parts, read only if every part is as we write it.

Each part is looked at as a released file is (`exact`), once and side by side: columns and nothing beside them, rows of
transactions in the order of labels. Its bytes are those of the manifest, then and whenever it is read again.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, overload

from confide.core.artefacts.passes import check_batches
from confide.core.artefacts.released_baskets import open_lists
from confide.core.datasets.manifest import Manifest, pinned_bytes
from confide.core.datasets.parts import Parts
from confide.core.datasets.protocol import RecordEngine
from confide.core.datasets.stored_table import StoredTable
from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.datasets.stream_engine import StreamEngine
from confide.core.errors import InputError
from confide.core.runtime.memory import MemoryBudget

__all__ = ["PARTS", "read_released_parts", "stored_as"]

PARTS = "parts"
"""The format of an artefact that is a folder."""


@overload
def read_released_parts(
    folder: Path,
    manifest: Manifest,
    *,
    type: Literal["transactions"],
    engine: RecordEngine | None = None,
    budget: MemoryBudget | None = None,
    spelled: bool = True,
) -> StoredTransactions: ...


@overload
def read_released_parts(
    folder: Path,
    manifest: Manifest,
    *,
    type: str,
    engine: RecordEngine | None = None,
    budget: MemoryBudget | None = None,
    spelled: bool = True,
) -> StoredTransactions | StoredTable: ...


def read_released_parts(
    folder: Path,
    manifest: Manifest,
    *,
    type: str,
    engine: RecordEngine | None = None,
    budget: MemoryBudget | None = None,
    spelled: bool = True,
) -> StoredTransactions | StoredTable:
    """The data in the parts of a folder, or an InputError that says what is not as we write it.

    `engine` looks at the parts, and reads the data later; without one, this machine. `budget` bounds the memory that a
    part may take; `spelled`: see `open_table`.
    """
    if manifest.type != type:
        raise InputError(f"its manifest lists parts of a {manifest.type}, not of a {type}", source=folder)
    parts = manifest.found_in(folder)
    runs_on = engine or StreamEngine()
    held = budget or MemoryBudget.for_file(sum(part.bytes for part in manifest.parts))
    runs_on.each(_Files(parts), _CheckForm(parts, type, held, spelled), label="checking parts")
    return stored_as(parts, type, engine=runs_on)


def stored_as(parts: Parts, type: str, *, engine: Any = None) -> StoredTransactions | StoredTable:
    """The parts of a release as what they hold."""
    how = {} if engine is None else {"engine": engine}
    return StoredTable(parts=parts, **how) if type == "table" else StoredTransactions(parts=parts, items="items", **how)


@dataclass(frozen=True)
class _Files:
    """The numbers of the files, as a source."""

    parts: Parts

    @property
    def shards(self) -> tuple[int, ...]:
        return tuple(range(len(self.parts.files)))

    def read(self, number: int) -> Iterator[int]:
        yield number


@dataclass(frozen=True)
class _CheckForm:
    """Raises unless a part is as we write it."""

    parts: Parts
    type: str
    budget: MemoryBudget
    spelled: bool

    def __call__(self, number: int, _: Iterator[int]) -> None:
        path = self.parts.files[number].path
        assert self.parts.digests is not None
        data = pinned_bytes(path, self.parts.digests)
        if self.type == "table":
            check_batches(data, path, self.budget, spelled=self.spelled)
            return
        deque(open_lists(data, path, self.budget)(), maxlen=0)  # looked at, and let go of
