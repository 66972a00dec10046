"""What a site knows of its own table: join values, classes, and the columns a tree may split on."""

import hashlib
import logging
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.core.tables.frames import to_table
from confide.join.site.keys import SiteKeys, site_keys
from confide.join.tree.column_codes import CodedColumn, code_column
from confide.mining.trees.table import TreeColumn, read_columns

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["OwnTable"]


class OwnTable:
    """The private table of the site `owner`; the other parameters are those of `Site`, `forbid` that of its policy."""

    def __init__(
        self,
        owner: str,
        table: Any,
        *,
        neighbours: Mapping[str, Sequence[str]],
        class_column: str | None,
        categorical: Iterable[str],
        id_column: str | None,
        forbid: Sequence[str],
    ):
        self.owner = owner
        self.frame: pa.Table = to_table(table)
        self.neighbours = {other: list(columns) for other, columns in neighbours.items()}
        self.class_column, self.id_column = class_column, id_column
        self._categorical, self._forbid = list(categorical), list(forbid)
        self._keys: dict[str, SiteKeys] = {}
        self._lock = threading.Lock()
        self._check_columns()

    def _check_columns(self) -> None:
        known = self.frame.column_names
        named = {
            "join": [column for columns in self.neighbours.values() for column in columns],
            "class": [] if self.class_column is None else [self.class_column],
            "categorical": self._categorical,
            "id": [] if self.id_column is None else [self.id_column],
            "forbidden": self._forbid,
        }
        for what, columns in named.items():
            for column in columns:
                if column not in known:
                    raise InputError(f"{self.owner} has no {what} column {column!r}; columns are: {', '.join(known)}")
        if self.class_column in self._forbid:
            raise UsageError(f"the policy of {self.owner} forbids {self.class_column!r}, which is the class")

    def check(self) -> None:
        """Look at join and class columns before anybody asks."""
        for columns in self.neighbours.values():
            site_keys(self.frame, columns)
        if self.class_column is not None and not self.class_labels:
            raise InputError(f"the class column {self.class_column!r} of {self.owner} is empty in every record")

    @contextmanager
    def own_fault(self) -> Iterator[None]:
        """What is wrong with the table is logged here, in full; others only learn that something is, and no column."""
        try:
            yield
        except InputError as error:
            logging.getLogger("confide.join").warning("%s: %s", self.owner, error)
            raise InputError(f"the table of {self.owner} cannot be used as it is; its own log says why") from None

    # -- join values ----------------------------------------------------------------------------------------------

    def keys(self, neighbour: str) -> SiteKeys:
        """Join values towards a neighbour."""
        with self._lock, self.own_fault():
            if neighbour not in self._keys:
                self._keys[neighbour] = site_keys(self.frame, self.neighbours[neighbour])
            return self._keys[neighbour]

    # -- columns --------------------------------------------------------------------------------------------------

    @property
    def attributes(self) -> list[str]:
        """Columns a tree may split on: all but the class and those the policy forbids."""
        out = {self.class_column, *self._forbid}
        return [name for name in self.frame.column_names if name not in out]

    def code_columns(self, rows: NDArray[np.int64]) -> list[CodedColumn]:
        """The attributes of some records, coded."""
        import pyarrow as pa

        frame = self.frame.select(self.attributes)
        if not frame.num_columns:
            return []
        if len(rows) < frame.num_rows:
            frame = frame.take(pa.array(rows))
        categorical = [name for name in self._categorical if name in self.attributes]
        with self.own_fault():
            columns, _ = read_columns(frame, categorical=categorical, missing=True)
        return [code_column(column) for column in columns]

    def column(self, name: str, rows: NDArray[np.int64]) -> TreeColumn:
        """One column of some records."""
        import pyarrow as pa

        categorical = [name] if name in self._categorical else []
        with self.own_fault():
            columns, _ = read_columns(
                self.frame.select([name]).take(pa.array(rows)), categorical=categorical, missing=True
            )
        return columns[0]

    # -- classes --------------------------------------------------------------------------------------------------

    @cached_property
    def _classes(self) -> tuple[tuple[str, ...], NDArray[np.int32]]:
        import pyarrow.compute as pc

        from confide.join.graph.classes import code_classes
        from confide.join.graph.join_graph import JoinGraph

        assert self.class_column is not None
        graph = JoinGraph(tables={self.owner: self.frame}, joins=[], target=f"{self.owner}.{self.class_column}")
        given = np.flatnonzero(np.asarray(pc.is_valid(self.frame.column(self.class_column))))
        labels, codes = code_classes(graph, given)
        whole = np.full(self.frame.num_rows, -1, dtype=np.int32)
        whole[given] = codes
        return tuple(str(label) for label in labels.tolist()), whole

    @property
    def class_labels(self) -> tuple[str, ...]:
        """The classes, ascending."""
        return self._classes[0]

    @property
    def class_codes(self) -> NDArray[np.int32]:
        """The class of each record, -1 where it is empty."""
        return self._classes[1]

    # -- the whole ------------------------------------------------------------------------------------------------

    @cached_property
    def fingerprint(self) -> str:
        """Shows whether a resumed run finds the table it began with. Stays at the site."""
        digest = hashlib.blake2b(digest_size=16)
        for name, column in zip(self.frame.column_names, self.frame.columns, strict=True):
            digest.update(f"{name} {column.type} {len(column)} ".encode())
            for chunk in column.chunks:
                for buffer in chunk.buffers():
                    if buffer is not None:
                        digest.update(buffer)
        return digest.hexdigest()
