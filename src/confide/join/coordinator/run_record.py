"""The coordinator's record of a run: the tree so far, written down after every level."""

import json
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from confide.core.errors import InputError, UsageError
from confide.core.files import read_bytes, write_text
from confide.join.network.state_folder import make_private_folder

__all__ = ["GrownNode", "RunRecord"]


@dataclass
class GrownNode:
    """A node while the tree grows: `site` splits it (-1: nobody) into `children` nodes from number `first` on."""

    parent: int
    counts: list[int]
    depth: int
    site: int = -1
    first: int = -1
    children: int = 0


@dataclass
class RunRecord:
    """Nodes by number, and for every finished level the nodes that were split.

    `question` is what was asked for (sites, joins, parameters): a run may only be resumed with the same one. `folder`
    is where the record is kept, None to keep none. `finished` holds, at the end, what a release says.
    """

    run: str
    question: Mapping[str, Any]
    folder: Path | None
    classes: list[str] = field(default_factory=list)
    nodes: list[GrownNode] = field(default_factory=list)
    levels: list[list[int]] = field(default_factory=list)
    finished: dict[str, Any] | None = None
    _saving: threading.Thread | None = None

    @classmethod
    def new(cls, question: Mapping[str, Any], folder: Path | None) -> "RunRecord":
        """A run that has not begun."""
        return cls(run=secrets.token_hex(16), question=question, folder=folder)

    @classmethod
    def load(cls, question: Mapping[str, Any], folder: Path | None) -> "RunRecord":
        """The run in `folder`, as of its last finished level."""
        file = None if folder is None else folder / "run.json"
        if file is None or not file.exists():
            where = "" if folder is None else f" in {folder}"
            raise UsageError(f"there is no run to resume{where}; train without resuming")
        try:
            plain = json.loads(read_bytes(file))
            record = cls(
                run=plain["run"],
                question=plain["question"],
                folder=folder,
                classes=plain["classes"],
                nodes=[GrownNode(**node) for node in plain["nodes"]],
                levels=plain["levels"],
                finished=plain.get("finished"),
            )
        except (ValueError, KeyError, TypeError, RecursionError):
            raise InputError("is not the record of a run", source=file) from None
        if record.question != question:
            raise UsageError(f"the run in {folder} had other sites or parameters; train without resuming it")
        return record

    def save(self) -> None:
        """Write the record, beside the next step; the next `save` waits for this one."""
        self.wait_until_saved()
        if self.folder is None:
            return
        make_private_folder(self.folder)
        plain = {
            "format": "confide-join-run",
            "version": 1,
            "run": self.run,
            "question": self.question,
            "classes": self.classes,
            "nodes": [vars(node) for node in self.nodes],
            "levels": self.levels,
            "finished": self.finished,
        }
        text = json.dumps(plain, ensure_ascii=False) + "\n"
        file = self.folder / "run.json"
        self._saving = threading.Thread(target=write_text, args=(file, text), kwargs={"replace": True, "private": True})
        self._saving.start()

    def wait_until_saved(self) -> None:
        """Wait until the record is on the disk."""
        if self._saving is not None:
            self._saving.join()
            self._saving = None

    def children(self, node: int) -> range:
        """The numbers of a node's children."""
        return range(self.nodes[node].first, self.nodes[node].first + self.nodes[node].children)
