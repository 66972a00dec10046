"""A site's split list (thesis 3.2.1): the nodes it split and how. It never leaves the site.

Kept in `STATE/RUN/splits.json`, whole or not at all, after every level: with it a run can be resumed, a record sent
down the tree, and the site's own part of the tree shown to its owner.
"""

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.core.files import read_bytes, write_text
from confide.core.trees.published import Value
from confide.mining.trees.table import TreeColumn

__all__ = ["OwnSplit", "SplitList", "latest_run"]


@dataclass(frozen=True, kw_only=True)
class OwnSplit:
    """One node this site split. `node` is its number while the tree grew, `number` its number in the released tree.

    A numeric column goes left (child 0) up to `threshold`, else right; a categorical one to the place of its value in
    `values`, which are in no order. `cut` serves to split the same way again: the codes on both sides of a threshold,
    and where missing numbers go (1 left, 2 right, 0: there were none).
    """

    node: int
    column: str
    children: int
    cut: tuple[int, int, int]
    threshold: float | None = None
    values: tuple[Value, ...] = ()
    number: int | None = None

    def branch(self, column: TreeColumn) -> NDArray[np.int32]:
        """The child each record of a column goes to, -1 for a value not seen here in training."""
        data = column.data
        if self.threshold is not None:
            return np.where(np.isnan(data), self.missing, data > self.threshold).astype(np.int32)
        place: dict[Value, int] = {value: child for child, value in enumerate(self.values)}
        child_of = np.array([place.get(value, -1) for value in column.values], dtype=np.int32)
        return child_of[data]

    @property
    def missing(self) -> int:
        """The child missing numbers go to, -1 if there were none in training."""
        return self.cut[2] - 1

    def said(self) -> dict[str, Any]:
        """The split for the owner to read."""
        plain: dict[str, Any] = {"node": self.number, "column": self.column}
        if self.threshold is not None:
            plain["left up to"] = self.threshold if self.threshold < np.inf else "any number"
            if self.missing >= 0:
                plain["missing numbers go"] = ("left", "right")[self.missing]
        else:
            plain["branches"] = list(self.values)
        return plain


class SplitList:
    """All splits of one run at one site, and how far the run has come."""

    def __init__(self, run: str, fingerprint: str, *, folder: Path | None):
        self.run, self.fingerprint = run, fingerprint
        self.finished = False
        self.splits: dict[int, OwnSplit] = {}
        self._file = None if folder is None else folder / "splits.json"

    def add(self, splits: list[OwnSplit]) -> None:
        """Take splits of a level; `save` writes them down."""
        for split in splits:
            self.splits[split.node] = split

    def save(self) -> None:
        """Write the list, atomically; nothing to do without a state folder."""
        if self._file is None:
            return
        plain = {
            "format": "confide-split-list",
            "version": 2,
            "run": self.run,
            "table": self.fingerprint,
            "finished": self.finished,
            "splits": [asdict(self.splits[node]) for node in sorted(self.splits)],
        }
        write_text(self._file, json.dumps(plain, ensure_ascii=False) + "\n", replace=True, private=True)

    @classmethod
    def load(cls, folder: Path) -> "SplitList":
        """Read the list of a run's folder."""
        file = folder / "splits.json"
        try:
            plain = json.loads(read_bytes(file))
            if plain["version"] != 2:
                raise InputError("is a split list of an older form; train again", source=file)
            made = cls(plain["run"], plain["table"], folder=folder)
            made.finished = bool(plain["finished"])
            for entry in plain["splits"]:
                lists = {"cut": tuple(entry["cut"]), "values": tuple(entry["values"])}
                made.add([OwnSplit(**{**entry, **lists})])
        except (ValueError, KeyError, TypeError, RecursionError):
            raise InputError("is not a split list", source=file) from None
        return made

    def number(self, numbers: dict[int, int]) -> None:
        """The run is over: nodes that stayed get their numbers in the released tree.

        Those that were pruned are kept without one: the run may have broken off elsewhere and be resumed.
        """
        self.splits = {node: replace(split, number=numbers.get(node)) for node, split in self.splits.items()}
        self.finished = True

    def by_number(self) -> dict[int, OwnSplit]:
        """Splits by node number of the released tree."""
        return {split.number: split for split in self.splits.values() if split.number is not None}


def latest_run(state: Path) -> SplitList:
    """The split list of the finished run that ended last."""
    files = sorted(state.glob("*/splits.json"), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in files:
        found = SplitList.load(file.parent)
        if found.finished:
            return found
    raise UsageError(f"{state} holds no finished run; train a tree first")
