"""Sending records down a finished tree at one site (thesis 3.2.2): ids in, branches out."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.join.protocol.messages import Message
from confide.join.site.own_table import OwnTable
from confide.join.site.site_run import Runs
from confide.join.site.split_list import OwnSplit, SplitList, latest_run

__all__ = ["Router"]


class Router:
    """Answers, for records of the site's table named by id, which child they go to at nodes the site split."""

    def __init__(self, own: OwnTable, runs: Runs, state: Path | None):
        self._own, self._runs, self._state = own, runs, state
        self._rows: dict[str, int] | None = None
        self._last: SplitList | None = None  # of this process: without a state folder it would be lost to an evaluation

    def splits(self, run: str | None = None) -> dict[int, OwnSplit]:
        """The splits of a finished run (the last one by default), by node number of the released tree."""
        return self.list_of(run).by_number()

    def list_of(self, run: str | None) -> SplitList:
        """The split list of a finished run (the last one by default)."""
        current = self._runs.current
        if current is not None and current.splits.finished:
            self._last = current.splits
        if self._last is not None and run in (None, self._last.run):
            return self._last
        if self._state is None:
            raise UsageError(f"{self._own.owner} holds no finished run; train a tree first")
        if run is None:
            return latest_run(self._state)
        folder = self._state / run
        if not (folder / "splits.json").exists():
            raise UsageError(f"{self._own.owner} knows no such tree; was it trained with this site's state folder?")
        return SplitList.load(folder)

    def route(self, message: Message) -> Message:
        """The branch of each (node, id), -1 for a value that was not seen at the node in training."""
        splits = self.splits(message.header["run"])
        nodes = message.columns["node"]
        by = message.header["by"]
        if by == "auto":
            by = "row" if self._own.id_column is None else "id"
        rows = self._find(message.columns["id"].to_pylist(), by)
        branches = np.full(len(nodes), -1, dtype=np.int32)
        for node in np.unique(nodes).tolist():
            if node not in splits:
                raise UsageError(f"{self._own.owner} does not split node {node}")
            here = nodes == node
            branches[here] = splits[node].branch(self._own.column(splits[node].column, rows[here]))
        return Message("branches", {"run": message.header["run"], "by": by}, {"child": branches})

    def _find(self, ids: list[str], by: str) -> NDArray[np.int64]:
        own = self._own
        if by == "row":
            if own.id_column is not None:
                raise UsageError(
                    f"{own.owner} names its records by id and takes no row numbers; use by='id'",
                    parameter="by",
                    value=by,
                )
            try:
                rows = np.array([int(text) for text in ids], dtype=np.int64)
            except (ValueError, OverflowError):
                raise InputError(f"a row number for {own.owner} is not a whole number") from None
            if len(rows) and (rows.min() < 0 or rows.max() >= own.frame.num_rows):
                raise InputError(
                    f"a row number is outside the table of {own.owner}; rows are counted from 0, and skip_unknown "
                    "leaves such records without a class"
                )
            return rows
        if own.id_column is None:
            raise UsageError(f"{own.owner} has no id column in its configuration; name records by row number")
        if self._rows is None:
            texts = [None if value is None else str(value) for value in own.frame.column(own.id_column).to_pylist()]
            self._rows = {text: row for row, text in enumerate(texts) if text is not None}
            if len(self._rows) < sum(text is not None for text in texts):
                self._rows = None
                raise InputError(f"the id column of {own.owner} names two records alike")
        unknown = sum(text not in self._rows for text in ids)
        if unknown:
            noun = "id is not that" if unknown == 1 else "ids are not those"
            raise InputError(
                f"{unknown:,} {noun} of a record at {own.owner}; skip_unknown leaves such records without a class"
            )
        return np.array([self._rows[text] for text in ids], dtype=np.int64)
