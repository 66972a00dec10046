"""Sending records down a finished tree at one site (thesis 3.2.2): ids in, branches out."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.join.protocol.messages import Message
from confide.join.site.split_list import OwnSplit, latest_run
from confide.mining.trees.table import Column, read_columns

if TYPE_CHECKING:
    from confide.join.site.site import Site

__all__ = ["Router"]


class Router:
    """Answers, for records of the site's table named by id, which child they go to at nodes the site split."""

    def __init__(self, site: "Site"):
        self._site = site
        self._rows: dict[str, int] | None = None

    def splits(self, run: str | None = None) -> dict[int, OwnSplit]:
        """The splits of a finished run (the last one by default), by node number of the released tree."""
        current = self._site.run
        if current is not None and current.splits.finished and run in (None, current.id):
            return current.splits.by_number()
        if self._site.state is None:
            raise UsageError(f"{self._site.name} holds no finished run; train a tree first")
        if run is None:
            return latest_run(self._site.state).by_number()
        from confide.join.site.split_list import SplitList

        folder = self._site.state / run
        if not (folder / "splits.json").exists():
            raise UsageError(f"{self._site.name} knows no such tree; was it trained with this site's state folder?")
        return SplitList.load(folder).by_number()

    def route(self, message: Message) -> Message:
        """The branch of each (node, id), -1 for a value that was not seen at the node in training."""
        splits = self.splits(message.header["run"])
        nodes = message.columns["node"]
        rows = self._find(message.columns["id"].to_pylist(), message.header["by"])
        branches = np.full(len(nodes), -1, dtype=np.int32)
        for node in np.unique(nodes).tolist():
            if node not in splits:
                raise UsageError(f"{self._site.name} does not split node {node}")
            here = nodes == node
            branches[here] = splits[node].branch(self._column(splits[node].column, rows[here]))
        return Message("branches", {"run": message.header["run"]}, {"child": branches})

    def _find(self, ids: list[str], by: str) -> NDArray[np.int64]:
        site = self._site
        if by == "row":
            if site.id_column is not None:
                raise UsageError(f"{site.name} names its records by id and takes no row numbers; say --by id")
            try:
                rows = np.array([int(text) for text in ids], dtype=np.int64)
            except ValueError:
                raise InputError(f"a row number for {site.name} is no whole number") from None
            if len(rows) and (rows.min() < 0 or rows.max() >= site.table.num_rows):
                raise InputError(f"a row number is outside the table of {site.name}; rows are counted from 0")
            return rows
        if site.id_column is None:
            raise UsageError(f"{site.name} has no id column in its configuration; name records by row number")
        if self._rows is None:
            texts = [None if value is None else str(value) for value in site.table.column(site.id_column).to_pylist()]
            self._rows = {text: row for row, text in enumerate(texts) if text is not None}
            if len(self._rows) < sum(text is not None for text in texts):
                self._rows = None
                raise InputError(f"the id column of {site.name} names two records alike")
        unknown = sum(text not in self._rows for text in ids)
        if unknown:
            raise InputError(f"{unknown:,} ids are of no record at {site.name}")
        return np.array([self._rows[text] for text in ids], dtype=np.int64)

    def _column(self, name: str, rows: NDArray[np.int64]) -> Column:
        """One column of some records only: a value missing elsewhere is no matter here."""
        import pyarrow as pa

        categorical = [name] if name in self._site.categorical else []
        with self._site.own_fault():
            columns, _ = read_columns(self._site.table.select([name]).take(pa.array(rows)), categorical=categorical)
        return columns[0]
