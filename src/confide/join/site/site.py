"""A site: one private table, and the answers it gives to a coordinator and to its neighbours.

The same object serves by network (`confide join site`) and within one process (`confide join simulate`): it is given a
link to speak with, and a message at a time to answer. It takes orders from one coordinator and summaries from its
configured neighbours; everybody else is refused.
"""

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.core.tables.frames import to_table
from confide.join.hidden.comparison import Comparing
from confide.join.network.links import Link, RunStopped
from confide.join.network.state_folder import made_private
from confide.join.protocol.ledger import Ledger
from confide.join.protocol.messages import Message
from confide.join.protocol.party_names import check_name
from confide.join.protocol.policy import Policy
from confide.join.protocol.summary_messages import ledger_lines
from confide.join.site.keys import SiteKeys, site_keys
from confide.join.site.routing import Router
from confide.join.site.run import SiteRun
from confide.join.tree.column_codes import CodedColumn, code_column
from confide.mining.trees.table import read_columns

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Site"]

Handler = Callable[["Site", str, Message, Callable[[], bool]], Message]


class Site:
    """One private table of a join that nobody makes (SecureMultiTbl).

    Parameters
        name           the site's name, as in its certificate.
        table          pandas, polars or Arrow; it never leaves.
        neighbours     {site it joins: own columns that join it, in the agreed order}.
        coordinator    whose orders it takes.
        class_column   at the target site; class labels are public, who has which is not.
        categorical    numeric columns whose values are mere labels.
        id_column      what predictions name records by; without it, the row number.
        policy         what the owner allows (`Policy`).
        state          folder for split lists, shared join values and the ledger; without it nothing survives a stop.
        step_deadline  seconds to wait for a neighbour's summary.

    `connect(link)` gives it a way to speak; then `handle` answers. `own_part()` is its part of the last tree.
    """

    def __init__(
        self,
        name: str,
        table: Any,
        *,
        neighbours: Mapping[str, Sequence[str]],
        coordinator: str,
        class_column: str | None = None,
        categorical: Iterable[str] = (),
        id_column: str | None = None,
        policy: Policy | None = None,
        state: str | PathLike[str] | None = None,
        step_deadline: float = 600.0,
    ):
        self.name = check_name(name)
        self.table: pa.Table = to_table(table)
        self.neighbours = {other: list(columns) for other, columns in neighbours.items()}
        self.coordinator = coordinator
        self.class_column = class_column
        self.categorical = list(categorical)
        self.id_column = id_column
        self.policy = policy or Policy()
        self.state = None if state is None else Path(state)
        self.step_deadline = step_deadline
        self._check_columns()
        if self.state is not None:
            made_private(self.state)
        self.ledger = Ledger(self.name, file=None if self.state is None else self.state / "ledger.jsonl")
        self.run: SiteRun | None = None
        self.comparing = Comparing(self.name)
        self._router = Router(self)
        self._link: Link | None = None
        self._keys: dict[str, SiteKeys] = {}
        self._lock = threading.Lock()
        self._heard = 0.0  # when the coordinator last gave a sign of life, by the monotonic clock

    def _check_columns(self) -> None:
        known = self.table.column_names
        named = {
            "join": [column for columns in self.neighbours.values() for column in columns],
            "class": [] if self.class_column is None else [self.class_column],
            "categorical": self.categorical,
            "id": [] if self.id_column is None else [self.id_column],
            "forbidden": self.policy.forbid,
        }
        for what, columns in named.items():
            for column in columns:
                if column not in known:
                    raise InputError(f"{self.name} has no {what} column {column!r}; columns are: {', '.join(known)}")
        if self.class_column in self.policy.forbid:
            raise UsageError(f"the policy of {self.name} forbids {self.class_column!r}, which is the class")

    def connect(self, link: Link) -> None:
        """Give the site a way to its neighbours."""
        self._link = link

    # -- the table, as a run needs it -----------------------------------------------------------------------------

    @property
    def attributes(self) -> list[str]:
        """Columns a tree may split on: all but the class and those the policy forbids."""
        out = {self.class_column, *self.policy.forbid}
        return [name for name in self.table.column_names if name not in out]

    def coded_columns(self, rows: NDArray[np.int64]) -> list[CodedColumn]:
        """The attributes of some records, coded."""
        import pyarrow as pa

        frame = self.table.select(self.attributes)
        if not frame.num_columns:
            return []
        if len(rows) < frame.num_rows:
            frame = frame.take(pa.array(rows))
        categorical = [name for name in self.categorical if name in self.attributes]
        with self.own_fault():
            columns, _ = read_columns(frame, categorical=categorical)
        return [code_column(column) for column in columns]

    def own_keys(self, neighbour: str) -> SiteKeys:
        """Join values towards a neighbour."""
        with self._lock, self.own_fault():
            if neighbour not in self._keys:
                self._keys[neighbour] = site_keys(self.table, self.neighbours[neighbour])
            return self._keys[neighbour]

    @contextmanager
    def own_fault(self) -> Iterator[None]:
        """What is wrong with the own table is said here, in full; others hear that something is, and no column."""
        try:
            yield
        except InputError as error:
            logging.getLogger("confide.join").warning("%s: %s", self.name, error)
            raise InputError(f"the table of {self.name} cannot be used as it is; its own log says why") from None

    def check(self) -> None:
        """Look at join and class columns before anybody asks."""
        for neighbour in self.neighbours:
            site_keys(self.table, self.neighbours[neighbour])
        if self.class_column is not None and not self.class_labels:
            raise InputError(f"the class column {self.class_column!r} of {self.name} is empty in every record")

    @cached_property
    def _classes(self) -> tuple[tuple[str, ...], NDArray[np.int32]]:
        import pyarrow.compute as pc

        from confide.join.graph.classes import code_classes
        from confide.join.graph.join_graph import JoinGraph

        assert self.class_column is not None
        graph = JoinGraph(tables={self.name: self.table}, joins=[], target=f"{self.name}.{self.class_column}")
        given = np.flatnonzero(np.asarray(pc.is_valid(self.table.column(self.class_column))))
        labels, codes = code_classes(graph, given)
        whole = np.full(self.table.num_rows, -1, dtype=np.int32)
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

    @cached_property
    def fingerprint(self) -> str:
        """Tells whether a run that is taken up again meets the table it began with. Stays at the site."""
        digest = hashlib.blake2b(digest_size=16)
        for name, column in zip(self.table.column_names, self.table.columns, strict=True):
            digest.update(f"{name} {column.type} {len(column)} ".encode())
            for chunk in column.chunks:
                for buffer in chunk.buffers():
                    if buffer is not None:
                        digest.update(buffer)
        return digest.hexdigest()

    # -- speaking and answering -----------------------------------------------------------------------------------

    def send(self, to: str, message: Message) -> Message:
        """Speak to a neighbour."""
        if self._link is None:
            raise UsageError(f"{self.name} is not connected")
        return self._link.call(to, message, timeout=self.step_deadline)

    def handle(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        """Answer a message; see `verbs` for who says what."""
        if message.verb in _ORDERS:
            if sender != self.coordinator:
                raise UsageError(f"{self.name} takes no orders from {sender}")
            if message.verb != "begin":
                self._heard = time.monotonic()
            return _ORDERS[message.verb](self, sender, message, cancelled)
        if message.verb in _FROM_NEIGHBOURS:
            if sender not in self.neighbours:
                raise UsageError(f"{sender} is no neighbour of {self.name}")
            return _FROM_NEIGHBOURS[message.verb](self, sender, message, cancelled)
        if message.verb == "ping":
            if sender == self.coordinator:
                self._heard = time.monotonic()
            return Message("pong")
        raise UsageError(f"{self.name} has no answer to {message.verb!r}")

    def own_part(self) -> list[dict[str, Any]]:
        """The nodes of the last finished tree that this site split, and how: for its owner only."""
        return [split.said() for _, split in sorted(self._router.splits().items())]

    def close(self) -> None:
        """Stop what is under way."""
        self._give_up(f"{self.name} is shutting down")

    def _current(self, message: Message) -> SiteRun:
        if self.run is None:
            raise UsageError(f"{self.name} knows no such run; it may have been started again since the run began")
        if self.run.id != message.header["run"]:
            raise RunStopped(f"another run has begun at {self.name}")
        return self.run

    def _current_attempt(self, message: Message) -> SiteRun:
        """The run, for a neighbour that is at the same attempt at it."""
        if self.run is None or self.run.attempt != message.header["run"]:
            raise UsageError(f"{self.name} knows no such run")
        return self.run

    def _check_idle(self, order: Mapping[str, Any]) -> None:
        """Refuse a second run while one is under way and its coordinator gives signs of life."""
        run = self.run
        if run is None or run.over or run.id == order["run"] or order["take_over"]:
            return
        if time.monotonic() - self._heard < run.deadline:
            raise UsageError(
                f"another run is in progress at {self.name} (begun {run.began:%H:%M:%S} UTC); "
                "wait for its end, or end it with --take-over"
            )

    # -- orders of the coordinator --------------------------------------------------------------------------------

    def _begin(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        self._check_idle(message.header)
        SiteRun.check(self, message.header)
        self._give_up("another run has begun")
        if self._link is not None:
            self._link.renew()
        self.ledger.begin(message.header["run"], resume=message.header["resume"])
        self.run = SiteRun(self, dict(message.header))
        self._heard = time.monotonic()
        header = {
            "run": self.run.id,
            "tokens": self.run.values.tokens,
            "min_records": self.policy.min_records,
            "splits": sorted(self.run.splits.splits),
        }
        return Message("begun", header)

    def _labels(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        return self._current(message).labels()

    def _intersect(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        if message.header["neighbour"] not in self.neighbours:
            raise UsageError(f"{self.name} is asked for join values with a site that is no neighbour of it")
        run, header = self._current(message), message.header
        return run.intersect(header["neighbour"], header["token"], speaks=header["speaks"])

    def _propagate(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        return self._current(message).propagate(message.header["classes"], message.header["steps"], cancelled)

    def _gains(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        return self._current(message).gains(_nodes(message), message.header["records"])

    def _score(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        columns, header = message.columns, message.header
        run = self._current(message)
        numbers = columns["number"].astype(np.int64)
        return run.score(header["level"], _nodes(message), header["records"], columns["sum"], numbers)

    def _won(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        return self._current(message).won(message.header["level"], _nodes(message), replay=message.header["replay"])

    def _split(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        header = message.header
        return self._current(message).split(header["level"], header["last"], dict(message.columns), cancelled)

    def _finish(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        self.comparing.close()
        return self._current(message).finish(_nodes(message), message.columns["number"].astype(np.int64))

    def _lines(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        if self.ledger.run != message.header["run"]:
            raise RunStopped(f"another run has begun at {self.name}")
        if self.run is not None:
            self.run.over = True
        return ledger_lines(self.ledger, message.header["run"])

    def _meet(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        # Shares of scores go by connections of their own, which no link looks at.
        self.policy.check_kind("hidden-scores", owner=self.name)
        return Message("met", {"run": message.header["run"], "address": self.comparing.open()})

    def _introduce(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        self.comparing.connect(message.header)
        return Message("done")

    def _compare(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        self.policy.check_kind("hidden-scores", owner=self.name)
        nodes = _nodes(message)
        scores = self._current(message).own_scores(nodes, message.header["records"])
        winner = self.comparing.winners(scores, self.ledger)
        header = {"run": message.header["run"], "level": message.header["level"]}
        return Message("compared", header, {"node": nodes.astype(np.int32), "winner": winner})

    def _route(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        answer = self._router.route(message)
        logging.getLogger("confide.join").info(
            "%s answered %s which way %d records of its own go", self.name, sender, answer.entries
        )
        return answer

    def _stop(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        # Whoever stops a run may mean one that another has followed here.
        header = message.header
        if self.run is not None and (self.run.id, self.run.attempt) == (header["run"], header["attempt"]):
            self._give_up(header["reason"])
        return Message("done")

    def _give_up(self, reason: str) -> None:
        """End the run here, with whatever waits or is being sent to a neighbour that may not answer."""
        if self.run is not None:
            self.run.stop(reason)
        if self._link is not None:
            self._link.abort()
        self.comparing.close()

    # -- summaries of neighbours ----------------------------------------------------------------------------------

    def _points(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        return self._current_attempt(message).values.answer_points(sender, message)

    def _points_back(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        return self._current_attempt(message).values.conclude_points(sender, message)

    def _class_counts(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        self._current_attempt(message).inbox.put("class", message.header["step"], sender, message)
        return Message("done")

    def _split_counts(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        self._current_attempt(message).inbox.put("split", message.header["level"], sender, message)
        return Message("done")


_ORDERS: dict[str, Handler] = {
    "begin": Site._begin,
    "labels": Site._labels,
    "intersect": Site._intersect,
    "propagate": Site._propagate,
    "gains": Site._gains,
    "score": Site._score,
    "won": Site._won,
    "split": Site._split,
    "finish": Site._finish,
    "ledger": Site._lines,
    "meet": Site._meet,
    "introduce": Site._introduce,
    "compare": Site._compare,
    "route": Site._route,
    "stop": Site._stop,
}

_FROM_NEIGHBOURS: dict[str, Handler] = {
    "points": Site._points,
    "points-back": Site._points_back,
    "class-counts": Site._class_counts,
    "split-counts": Site._split_counts,
}


def _nodes(message: Message) -> NDArray[np.int64]:
    return message.columns["node"].astype(np.int64)
