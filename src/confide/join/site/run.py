"""One run at one site: the table's engine, the summaries it waits for, and what it writes down.

    begin       a fresh engine, or the state of an earlier run
    values      shared join values, by private intersection (`shared_values`)
    propagate   class summaries, in the coordinator's order
    score, won, split     level by level: the best split, its children, split summaries outward from the winners
    finish      the nodes that stayed

Summaries of neighbours are put into `inbox` and picked up where an order of the coordinator needs them.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UnreachableError, UsageError
from confide.join.network.state_folder import made_private
from confide.join.protocol.messages import Message
from confide.join.protocol.summary_messages import class_counts, read_class_counts, read_split_counts, split_counts
from confide.join.site.engine import SiteEngine
from confide.join.site.inbox import Inbox
from confide.join.site.shared_values import SharedValues, nonsense_from
from confide.join.site.split_list import OwnSplit, SplitList
from confide.join.tree.growth import is_open
from confide.join.tree.scoring import Scores
from confide.join.tree.table_engine import Children
from confide.mining.trees.splits import grid

if TYPE_CHECKING:
    from confide.join.site.site import Site

__all__ = ["SiteRun"]

I64 = NDArray[np.int64]


class SiteRun:
    """The state of one run at a site."""

    def __init__(self, site: "Site", order: dict[str, Any]):
        self.site = site
        self.id: str = order["run"]
        # Neighbours name the attempt, not the run: what a cut cable held back of an earlier attempt at the same run may
        # still arrive, numbered by join values that were since agreed on anew.
        self.attempt: str = order.get("attempt") or self.id
        self.criterion = order["criterion"]
        self.min_leaf: int = order["min_leaf"]
        self.neighbours: list[str] = order["neighbours"]
        self.is_target: bool = order["is_target"]
        self.deadline: float = order["deadline"]
        self.began = datetime.now(UTC)
        self.over = False
        self.folder = None if site.state is None else site.state / self.id
        if self.folder is not None:
            made_private(self.folder)
        self.splits = SplitList(self.id, site.fingerprint, folder=self.folder)
        self.values = SharedValues(site, run=self.id, attempt=self.attempt, folder=self.folder)
        self.inbox = Inbox(site.step_deadline)
        self.engine: SiteEngine | None = None
        self.classes = 0
        self._records = 0
        self._splits_ordered = 0
        if order["resume"]:
            self._restore()
        self.splits.save()

    @staticmethod
    def check(site: "Site", order: Mapping[str, Any]) -> None:
        """Refuse an order to begin that does not fit the site's configuration, or that its policy forbids.

        The neighbours must be exactly the configured ones: over fewer, a run would describe this table almost alone.
        """
        asked, own = set(order["neighbours"]), set(site.neighbours)
        if unknown := sorted(asked - own):
            raise UsageError(f"the run joins {site.name} with {unknown[0]}, which is no neighbour in its configuration")
        if left_out := sorted(own - asked):
            raise UsageError(f"the run does not join {site.name} with {left_out[0]}, as its configuration does")
        if len(order["neighbours"]) != len(asked):
            raise UsageError(f"the run joins {site.name} twice with the same neighbour")
        if order["is_target"] and site.class_column is None:
            raise UsageError(f"{site.name} is the target of the run but has no class column in its configuration")
        site.policy.check_run(max_depth=order["max_depth"], min_leaf=order["min_leaf"], owner=site.name)

    def stop(self, reason: str) -> None:
        """End the run: whatever waits gives up."""
        self.over = True
        self.inbox.stop(reason)

    def _restore(self) -> None:
        """What an earlier start of this run left; without it, shared join values are found again."""
        if self.folder is None:
            raise UsageError(f"{self.site.name} keeps no state, so a run cannot be taken up again there")
        if not (self.folder / "splits.json").exists():
            return
        found = SplitList.load(self.folder)
        if found.fingerprint != self.site.fingerprint:
            raise UsageError(f"the table of {self.site.name} has changed since this run began; train anew")
        # A list that is finished stays so: taken up again, the run ends in the same tree.
        self.splits = found
        self.values.restore(self.neighbours)

    def intersect(self, neighbour: str, token: str, *, speaks: bool) -> Message:
        """Find the shared join values with a neighbour, or get ready to answer it; once, before the first summary."""
        if self.classes:
            raise UnreachableError("the coordinator orders an intersection when classes have been told already")
        self.values.order(neighbour, token)
        return self.values.intersect(neighbour, token) if speaks else Message("done")

    # -- class propagation ----------------------------------------------------------------------------------------

    def labels(self) -> Message:
        """The class labels, at the target site."""
        if not self.is_target:
            raise UsageError(f"{self.site.name} is not the target of the run")
        return Message("classes", {"run": self.id, "labels": list(self.site.class_labels)})

    def propagate(self, classes: int, steps: list[tuple[str, str]], cancelled: Callable[[], bool]) -> Message:
        """Send and receive class summaries in the order given; answer the class counts of the whole join."""
        self.classes = classes
        if self.is_target and classes != len(self.site.class_labels):
            raise UnreachableError("the coordinator speaks of another number of classes than it was told")
        others = {name for step in steps for name in step if self.site.name in step} - {self.site.name}
        if not others <= set(self.neighbours):
            raise UnreachableError("the coordinator orders a class summary between sites that are no neighbours")
        missing = [name for name in self.neighbours if name not in self.values.keys]
        if missing:
            raise UsageError(f"{self.site.name} has no shared join values with {missing[0]} yet")
        classes_of_records = self._classes() if self.is_target else None
        engine = SiteEngine(
            self.site.coded_columns,
            keys=self.values.keys,
            shared=self.values.shared,
            n_classes=classes,
            classes=classes_of_records,
        )
        for number, (sender, receiver) in enumerate(steps):
            if sender == self.site.name:
                summary = engine.class_summary(receiver)
                if self.site.policy.min_records > 1:
                    behind = engine.behind_class(receiver)
                    self.site.policy.check_behind(behind, kind="class summary", receiver=receiver)
                self.site.send(receiver, class_counts(summary, run=self.attempt, step=number))
            elif receiver == self.site.name:
                _, message = self.inbox.take("class", number, [sender], cancelled)
                counts = read_class_counts(message, shared=self.values.shared[sender], classes=classes, sender=sender)
                with nonsense_from(sender):
                    engine.receive_class(sender, counts)
        engine.open()
        self.engine = engine
        totals = engine.totals()
        self._records = int(totals.sum())
        return self._totals(np.zeros(1, dtype=np.int64), totals[None])

    def _classes(self) -> NDArray[np.int32]:
        """The classes of the records; one without a class may not take part in the join."""
        codes = self.site.class_codes
        joins = codes < 0
        for keys in self.values.keys.values():
            joins &= keys >= 0
        if joins.any():
            raise InputError(f"the class column is empty in {int(joins.sum()):,} records that join; leave them out")
        return codes

    # -- growing --------------------------------------------------------------------------------------------------

    def gains(self, nodes: I64, records: int) -> Message:
        """Sums and numbers of gains, for the average that the gain ratio needs."""
        self._score(nodes, records)
        sums, numbers = self._engine.gain_sums()
        columns = {"node": _i32(nodes), "sum": sums.astype(np.int64), "number": _i32(numbers)}
        return Message("averages", {"run": self.id, "level": 0}, columns)

    def score(self, level: int, nodes: I64, records: int, sums: I64, numbers: I64) -> Message:
        """The best score at each node. Under the gain ratio `gains` was asked before."""
        scores = self.own_scores(nodes, records, sums, numbers)
        return Message("scores", {"run": self.id, "level": level}, {"node": _i32(nodes), "score": scores})

    def own_scores(self, nodes: I64, records: int, sums: I64 | None = None, numbers: I64 | None = None) -> I64:
        """The best scores themselves, for `score` or a hidden comparison."""
        if self.criterion == "gain_ratio":
            if not self._engine.has_scored(nodes):
                raise UnreachableError("the coordinator asks for scores before it asked for gains")
            return self._engine.best(sums, numbers).score
        self._score(nodes, records)
        return self._engine.best().score

    def _score(self, nodes: I64, records: int) -> None:
        if records != self._records:
            raise UnreachableError("the coordinator speaks of a join of another size")
        self._check_open(nodes)
        self._engine.score(nodes, criterion=self.criterion, min_leaf=self.min_leaf, exponent=grid(records))

    def won(self, level: int, nodes: I64, *, replay: bool) -> Message:
        """This site splits these nodes: into how many children? When replaying, as its list says."""
        if replay:
            self._settle(nodes)
        best, at = self._engine.decided(nodes)
        children = best.children[at]
        return Message("children", {"run": self.id, "level": level}, {"node": _i32(nodes), "children": _i32(children)})

    def _settle(self, nodes: I64) -> None:
        """When a run is taken up again, splits come from the list, not from scores."""
        place = {column.name: j for j, column in enumerate(self._engine.columns)}
        decided = [split for node in nodes.tolist() if (split := self.splits.splits.get(node)) is not None]
        if len(decided) < len(nodes) or any(split.column not in place for split in decided):
            raise UsageError(f"{self.site.name} is to repeat a split that it does not know")
        self._engine.settle(
            Scores(
                nodes=nodes,
                score=np.ones(len(nodes), dtype=np.int64),
                children=np.array([split.children for split in decided], dtype=np.int64),
                column=np.array([place[split.column] for split in decided], dtype=np.int32),
                cut=np.array([split.cut for split in decided], dtype=np.int32),
            )
        )

    def split(self, level: int, last: bool, columns: dict[str, Any], cancelled: Callable[[], bool]) -> Message:
        """Split the nodes of a level here: own ones by value, the others as neighbours tell.

        A summary to a neighbour tells of all nodes won on this side of it, so it waits for the summaries of the other
        neighbours on the way. On the last level there is nobody left to tell.
        """
        nodes, source = columns["node"].astype(np.int64), columns["source"]
        first, number = columns["first"].astype(np.int64), columns["children"].astype(np.int64)
        if len(source) and (source.min() < -1 or source.max() >= len(self.neighbours)):
            raise UnreachableError("the coordinator names a neighbour that is none")
        engine = self._engine
        self._splits_ordered += 1
        if self.site.policy.max_depth is not None and self._splits_ordered > self.site.policy.max_depth:
            raise UnreachableError("the coordinator orders more levels than the run was to have")
        own = source == -1
        self._check_numbers(nodes, first, number, own)
        answer = self._totals(np.empty(0, np.int64), np.empty((0, self.classes), np.int64))
        saving: Future[None] | None = None
        with ThreadPoolExecutor(len(self.neighbours) + 1) as pool:
            if own.any():
                children = self._split_own(nodes[own], first[own], last)
                answer = self._totals(children.numbers, children.counts)
                self.splits.add(self._own_splits(nodes[own], children.parents, children.values))
                saving = pool.submit(self.splits.save)
            if not last:
                self._exchange(level, nodes, source, first, number, pool, cancelled)
                engine.advance()
            if saving is not None:
                saving.result()
        return answer

    def _split_own(self, nodes: I64, first: I64, last: bool) -> Children:
        """Split nodes this site won. Every child, leaves included, must stand on own records enough.

        Joined records do not count: fan-out makes many of one. No other site has to look at leaves. Where a neighbour
        splits a node, a table's records of one join value go the same way, all of them; and every join value at an
        open node has been told to that neighbour, and so counted, since this side last changed it.
        """
        engine = self._engine
        if self.site.policy.min_records <= 1:
            return engine.split(nodes, first, leaf=lambda counts: self._is_leaf(counts, last))
        children = engine.split(nodes, first)
        behind = engine.behind_children(children.numbers)
        self.site.policy.check_behind(behind, kind="class count", receiver=self.site.coordinator)
        engine.let_go(children.numbers[self._is_leaf(children.counts, last)])
        return children

    def _check_numbers(self, nodes: I64, first: I64, number: I64, own: NDArray[np.bool_]) -> None:
        """Children follow each other without overlap, and own splits make as many as they do."""
        self._check_open(nodes)
        if len(nodes) == 0:
            raise UnreachableError("the coordinator orders a level without nodes")
        overlap = (first[:-1] + number[:-1] > first[1:]).any() or number.min() < 2 or first[0] <= nodes[-1]
        if not overlap and own.any():
            best, at = self._engine.decided(nodes[own])
            overlap = not np.array_equal(number[own], best.children[at])
        if overlap:
            raise UnreachableError("the coordinator numbers children as they cannot be")

    def _check_open(self, nodes: I64) -> None:
        if not np.isin(nodes, self._engine.nodes).all() or (np.diff(nodes) <= 0).any():
            raise UnreachableError("the coordinator asks for nodes that are not open, or not in order")

    def _exchange(
        self,
        level: int,
        nodes: I64,
        source: NDArray[np.int32],
        first: I64,
        number: I64,
        pool: ThreadPoolExecutor,
        cancelled: Callable[[], bool],
    ) -> None:
        engine = self._engine
        awaited = {name for place, name in enumerate(self.neighbours) if (source == place).any()}
        unsent = [place for place in range(len(self.neighbours)) if (source != place).any()]
        sending: list[Future[Any]] = []
        while unsent or awaited:
            for place in list(unsent):
                neighbour = self.neighbours[place]
                if awaited - {neighbour}:
                    continue
                unsent.remove(place)
                told = source != place
                summary = engine.split_summary(neighbour, nodes[told], first[told], number[told])
                if self.site.policy.min_records > 1:
                    behind = engine.behind_split(neighbour, summary.children)
                    self.site.policy.check_behind(behind, kind="split summary", receiver=neighbour)
                message = split_counts(summary, run=self.attempt, level=level, shared=self.values.shared[neighbour])
                sending.append(pool.submit(self.site.send, neighbour, message))
            if awaited:
                sender, message = self.inbox.take("split", level, sorted(awaited), cancelled)
                awaited.remove(sender)
                summary = read_split_counts(
                    message, shared=self.values.shared[sender], classes=self.classes, sender=sender
                )
                with nonsense_from(sender):
                    engine.receive_split(sender, summary)
        for sent in sending:
            sent.result()

    def _is_leaf(self, counts: I64, last: bool) -> NDArray[np.bool_]:
        return ~is_open(counts, criterion=self.criterion, min_leaf=self.min_leaf, exponent=grid(self._records)) | last

    def _own_splits(self, nodes: I64, parents: I64, values: NDArray[np.int32]) -> list[OwnSplit]:
        from confide.mining.trees.arrays import _midway

        best, places = self._engine.decided(nodes)
        made = []
        for at, node in zip(places.tolist(), nodes.tolist(), strict=True):
            column = self._engine.columns[int(best.column[at])]
            low, high = (int(code) for code in best.cut[at])
            threshold, labels = None, ()
            if column.numbers is not None:
                threshold = _midway(float(column.numbers[low]), float(column.numbers[high]))
            else:
                labels = tuple(column.values[code] for code in values[parents == node].tolist())
            children = int(best.children[at])
            made.append(
                OwnSplit(
                    node=node,
                    column=column.name,
                    children=children,
                    cut=(low, high),
                    threshold=threshold,
                    values=labels,
                )
            )
        return made

    def finish(self, nodes: I64, numbers: I64) -> Message:
        """The tree is pruned: keep the splits that stayed, under their final numbers."""
        final = dict(zip(nodes.tolist(), numbers.tolist(), strict=True))
        if not set(final) <= set(self.splits.splits):
            raise UnreachableError("the coordinator names nodes that this site did not split")
        self.splits.number(final)
        self.splits.save()
        self.engine = None
        return Message("done")

    # -- small things ---------------------------------------------------------------------------------------------

    @property
    def _engine(self) -> SiteEngine:
        if self.engine is None:
            raise UsageError(f"the run at {self.site.name} has not been told of any class yet")
        return self.engine

    def _totals(self, nodes: I64, counts: I64) -> Message:
        columns = {"node": _i32(nodes)}
        columns |= {f"c{c}": np.ascontiguousarray(counts[:, c]) for c in range(counts.shape[1])}
        return Message("totals", {"run": self.id}, columns)


def _i32(values: NDArray[Any]) -> NDArray[np.int32]:
    return np.ascontiguousarray(values, dtype=np.int32)
