"""Growing the tree at one site, level by level: the best split, its children, split summaries outward from the winners.

gains, score    how well this site can split the open nodes
won             the nodes it splits, and into how many children
split           own nodes by value, the others as summaries of neighbours say
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UnreachableError, UsageError
from confide.core.randomness import Randomness
from confide.join.protocol.certain_watch import CertainWatch
from confide.join.protocol.messages import Message
from confide.join.protocol.policy import Policy
from confide.join.protocol.summary_messages import node_totals, read_split_counts, split_counts
from confide.join.protocol.verbs import Begin
from confide.join.site.shared_values import SharedValues, nonsense_from
from confide.join.site.site_engine import SiteEngine
from confide.join.site.site_mail import Inbox, Outbox
from confide.join.site.split_list import OwnSplit, SplitList
from confide.join.tree.column_codes import CodedColumn
from confide.join.tree.level_growth import is_open
from confide.join.tree.split_scores import Scores
from confide.join.tree.table_engine import Children
from confide.mining.trees.arrays import midway
from confide.mining.trees.splits import Criterion, grid

__all__ = ["SplitOrder", "SiteGrowth"]

I64 = NDArray[np.int64]


@dataclass(frozen=True)
class SplitOrder:
    """The coordinator's order to split a level: nodes, who splits each, and how the children are numbered.

    `source` is the place, among this site's neighbours, of the one from which a node's split summary comes; -1 where
    this site splits the node itself.
    """

    number: int
    nodes: I64
    source: NDArray[np.int32]
    first: I64
    children: I64

    def check_children(
        self, parents: I64, n_children: I64, children: I64, from_here: NDArray[np.bool_], sender: str
    ) -> None:
        """Refuse a summary about other nodes than the sender's, or whose children have other numbers."""
        nodes, first, number = self.nodes[from_here], self.first[from_here], self.children[from_here]
        fits = bool(np.isin(parents, nodes).all())
        if fits:
            at = np.repeat(np.searchsorted(nodes, parents), n_children)
            fits = bool(np.all((children >= first[at]) & (children < first[at] + number[at])))
        if not fits:
            raise UnreachableError(f"{sender} sent a split summary about other nodes than it was to")


@dataclass(kw_only=True)
class SiteGrowth:
    """The part of one run from the root on.

    `terms` are the order that began the run, and `attempt` is what neighbours call this attempt at it. `records` is the
    size of the join, `classes` how many classes there are, `table_rows` the own records, joined or not.
    """

    owner: str
    coordinator: str
    terms: Begin
    criterion: Criterion
    attempt: str
    policy: Policy
    engine: SiteEngine
    splits: SplitList
    values: SharedValues
    inbox: Inbox
    outbox: Outbox
    records: int
    classes: int
    table_rows: int
    watch: CertainWatch
    level: int = 0
    _scored: bool = False
    _replayed: bool = False
    _won: I64 = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    # -- scores ---------------------------------------------------------------------------------------------------

    def gains(self, level: int, nodes: I64, records: int) -> Message:
        """Sums and numbers of gains, for the average that the gain ratio needs."""
        if self.criterion != "gain_ratio":
            raise UnreachableError(
                f"the coordinator asks for gains, which only the gain ratio needs, not {self.criterion}"
            )
        self._score(level, nodes, records)
        sums, numbers = self.engine.gain_sums()
        columns = {"node": _i32(nodes), "sum": sums.astype(np.int64), "number": _i32(numbers)}
        return Message("averages", {"run": self.terms.run, "level": 0}, columns)

    def score(self, level: int, nodes: I64, records: int, sums: I64, numbers: I64) -> Message:
        """The best score at each node. Under the gain ratio `gains` was asked before."""
        scores = self.own_scores(level, nodes, records, sums, numbers)
        return Message("scores", {"run": self.terms.run, "level": level}, {"node": _i32(nodes), "score": scores})

    def own_scores(
        self, level: int, nodes: I64, records: int, sums: I64 | None = None, numbers: I64 | None = None
    ) -> I64:
        """The best scores themselves, for `score` or a hidden comparison."""
        if self.criterion == "gain_ratio":
            if level != self.level or not self.engine.has_scored(nodes):
                raise UnreachableError(f"the coordinator asks for scores before it asked for gains, at level {level}")
            scores = self.engine.best(sums, numbers).score
        else:
            self._score(level, nodes, records)
            scores = self.engine.best().score
        self._scored = True
        return scores

    def _score(self, level: int, nodes: I64, records: int) -> None:
        self._check_number(level)
        if records != self.records:
            raise UnreachableError(
                f"the coordinator names another size of the join than this site found, at level {level}"
            )
        if not np.array_equal(nodes, self.engine.nodes):
            raise UnreachableError(
                f"the coordinator asks for scores of some nodes and not of all that are open, at level {level}"
            )
        self.engine.score(nodes, criterion=self.criterion, exponent=grid(records), **self._least)

    # -- nodes this site won --------------------------------------------------------------------------------------

    def won(self, level: int, nodes: I64, *, replay: bool) -> Message:
        """This site splits these nodes: into how many children? In a resumed run, as its list says."""
        self._check_number(level)
        if replay == self._scored or (replay and not self.terms.resume):
            raise UnreachableError("the coordinator names nodes this site won before it asked for scores")
        self._check_open(nodes)
        if replay:
            self._settle(nodes)
        best, at = self.engine.decided(nodes)
        self._won, self._replayed = nodes, replay
        columns = {"node": _i32(nodes), "children": _i32(best.children[at])}
        return Message("children", {"run": self.terms.run, "level": level}, columns)

    def _settle(self, nodes: I64) -> None:
        """In a resumed run, splits come from the list, not from scores."""
        place = {column.name: j for j, column in enumerate(self.engine.columns)}
        decided = [split for node in nodes.tolist() if (split := self.splits.splits.get(node)) is not None]
        if len(decided) < len(nodes) or any(split.column not in place for split in decided):
            raise UsageError(f"{self.owner} is to repeat a split that it does not know")
        self.engine.settle(
            Scores(
                nodes=nodes,
                score=np.ones(len(nodes), dtype=np.int64),
                children=np.array([split.children for split in decided], dtype=np.int64),
                column=np.array([place[split.column] for split in decided], dtype=np.int32),
                cut=np.array([split.cut for split in decided], dtype=np.int32),
            )
        )

    # -- splitting a level ----------------------------------------------------------------------------------------

    def split(self, level: int, last: bool, columns: Mapping[str, Any], cancelled: Callable[[], bool]) -> Message:
        """Split the nodes of a level here: own ones by value, the others as neighbours say.

        A summary to a neighbour describes all nodes won on this side of it, so it waits for the summaries of the other
        neighbours on the way. On the last level no summary is needed.
        """
        nodes, first, children = (columns[name].astype(np.int64) for name in ("node", "first", "children"))
        order = SplitOrder(level, nodes, columns["source"], first, children)
        self._check_level(order, last)
        own = order.source == -1
        answer = node_totals(np.empty(0, np.int64), np.empty((0, self.classes), np.int64), run=self.terms.run)
        saving: Future[None] | None = None
        with ThreadPoolExecutor(len(self.terms.neighbours) + 1) as pool:
            if own.any():
                made = self._split_own(nodes[own], first[own], last)
                answer = node_totals(made.numbers, made.counts, run=self.terms.run)
                self.splits.add(self._own_splits(nodes[own], made))
                saving = pool.submit(self.splits.save)
            if not last:
                self._exchange(order, pool, cancelled)
                self.engine.advance()
                self.level, self._scored, self._won = level + 1, False, self._won[:0]
            if saving is not None:
                saving.result()
        return answer

    def _check_level(self, order: SplitOrder, last: bool) -> None:
        """The level is the next one, this site splits what it won, and children follow each other without overlap."""
        nodes, source, first, number = order.nodes, order.source, order.first, order.children
        self._check_number(order.number)
        deepest = self.terms.max_depth is not None and order.number + 1 >= self.terms.max_depth
        if last != deepest:
            raise UnreachableError(
                f"the coordinator ends the tree at another level than the run was to have: {order.number}"
            )
        if len(source) and (source.min() < -1 or source.max() >= len(self.terms.neighbours)):
            raise UnreachableError(
                f"the coordinator names a neighbour that this site does not have; it has {len(self.terms.neighbours)}"
            )
        if not self._scored and not self.terms.resume:
            raise UnreachableError(f"the coordinator orders split {order.number} before it asked for scores")
        if not np.array_equal(nodes[source == -1], self._won):
            raise UnreachableError(
                f"the coordinator lets this site split other nodes than it won, at level {order.number}"
            )
        self._check_open(nodes)
        if len(nodes) == 0:
            raise UnreachableError(f"the coordinator orders a level without nodes: {order.number}")
        overlap = (first[:-1] + number[:-1] > first[1:]).any() or number.min() < 2 or first[0] <= nodes[-1]
        own = source == -1
        if not overlap and own.any():
            best, at = self.engine.decided(nodes[own])
            overlap = not np.array_equal(number[own], best.children[at])
        if overlap:
            raise UnreachableError("the coordinator numbers children in an impossible way")

    def _check_number(self, level: int) -> None:
        if level != self.level:
            raise UnreachableError(f"the coordinator gives an order for level {level}, but the run is at {self.level}")

    def _check_open(self, nodes: I64) -> None:
        if not np.isin(nodes, self.engine.nodes).all() or (np.diff(nodes) <= 0).any():
            raise UnreachableError("the coordinator asks for nodes that are not open, or not in order")

    def _split_own(self, nodes: I64, first: I64, last: bool) -> Children:
        """Split nodes this site won. Every child, leaves included, must stand on own records enough.

        Joined records do not count: fan-out makes many of one. A neighbour can tell own records apart by their join
        value: by naming fan-outs 1, 2, 4, 8... it would read from a sum which of them are in it. So each join value
        needs records enough at each child, also where no summary follows. No other site has to look at leaves. Where a
        neighbour splits a node, a table's records of one join value all go the same way.
        """
        shows = last and any(keys.any() for keys in self.engine.together.values())
        if self.policy.min_records <= 1 and not shows:
            return self._mix_children(self.engine.split(nodes, first, leaf=lambda counts: self._is_leaf(counts, last)))
        children = self._mix_children(self.engine.split(nodes, first))
        if self.policy.min_records > 1:
            self._check_behind(children)
        if shows:
            self._count_last_sides(nodes, first, children)
        self.engine.let_go(children.numbers[self._is_leaf(children.counts, last)])
        return children

    def _check_behind(self, children: Children) -> None:
        behind = self.engine.behind_children(children.numbers)
        self.policy.check_behind(behind, kind="class count", receiver=self.coordinator)
        for neighbour in self.terms.neighbours:
            behind = self.engine.behind_split(neighbour, children.numbers, by_class=not self.terms.is_target)
            self.policy.check_behind(behind, kind="class count", receiver=self.coordinator)

    def _count_last_sides(self, nodes: I64, first: I64, children: Children) -> None:
        """Count sides on the last level as well: no summary follows, but class counts of leaves are in the tree.

        Where a node holds few join values, these counts can show on which side each of them falls.
        """
        n_children = np.unique(children.parents, return_counts=True)[1].astype(np.int64)
        for neighbour in self.terms.neighbours:
            summary = self.engine.split_summary(neighbour, nodes, first, n_children)
            self.watch.before_sides(neighbour, self.engine.one_sided(neighbour, nodes, summary))

    def _mix_children(self, made: Children) -> Children:
        """Number the children of categorical splits at random: by value, their order would tell of the values.

        A split that is repeated gets the numbers it had.
        """
        place = np.arange(len(made.numbers))
        for node in np.unique(made.parents).tolist():
            here = np.flatnonzero(made.parents == node)
            column = self._column_of(node)
            if column.numbers is not None:
                continue
            if not self._replayed:
                place[here] = here[Randomness.system().permutation(len(here))]
                continue
            had = {value: k for k, value in enumerate(self.splits.splits[node].values)}
            values = [column.values[code] for code in made.values[here].tolist()]
            if set(values) != set(had):
                raise UsageError(f"{self.owner} is to repeat a split whose values have changed")
            place[here] = here[[had[value] for value in values]]
        return self.engine.renumber(made, place)

    def _column_of(self, node: int) -> CodedColumn:
        best, at = self.engine.decided(np.array([node]))
        return self.engine.columns[int(best.column[at[0]])]

    def _is_leaf(self, counts: I64, last: bool) -> NDArray[np.bool_]:
        exponent = grid(self.records)
        return ~is_open(counts, criterion=self.criterion, exponent=exponent, **self._least) | last

    @property
    def _least(self) -> dict[str, int]:
        return {"min_leaf": self.terms.min_leaf, "min_branch": self.terms.min_branch}

    def _own_splits(self, nodes: I64, made: Children) -> list[OwnSplit]:
        best, places = self.engine.decided(nodes)
        splits = []
        for at, node in zip(places.tolist(), nodes.tolist(), strict=True):
            column = self.engine.columns[int(best.column[at])]
            low, high, missing = (int(code) for code in best.cut[at])
            threshold, labels = None, ()
            if column.numbers is not None:
                apart = high == len(column.numbers)  # the missing ones from all numbers
                threshold = np.inf if apart else midway(float(column.numbers[low]), float(column.numbers[high]))
            else:
                labels = tuple(column.values[code] for code in made.values[made.parents == node].tolist())
            splits.append(
                OwnSplit(
                    node=node,
                    column=column.name,
                    children=int(best.children[at]),
                    cut=(low, high, max(missing, 0)),
                    threshold=threshold,
                    values=labels,
                )
            )
        return splits

    def _exchange(self, order: SplitOrder, pool: ThreadPoolExecutor, cancelled: Callable[[], bool]) -> None:
        """Send a split summary to every neighbour that needs one, and take those of the neighbours that split nodes."""
        neighbours, source = self.terms.neighbours, order.source
        awaited = {name for place, name in enumerate(neighbours) if (source == place).any()}
        unsent = [place for place in range(len(neighbours)) if (source != place).any()]
        sending: list[Future[Any]] = []
        while unsent or awaited:
            for place in list(unsent):
                if awaited - {neighbours[place]}:
                    continue
                unsent.remove(place)
                message = self._summary(neighbours[place], order, source != place)
                sending.append(pool.submit(self.outbox.send, neighbours[place], message))
            if awaited:
                sender, message = self.inbox.take("split", order.number, sorted(awaited), cancelled)
                awaited.remove(sender)
                shared = self.values.shared[sender]
                source_of = source == neighbours.index(sender)
                summary = read_split_counts(message, shared=shared, classes=self.classes, sender=sender)
                order.check_children(summary.parents, summary.n_children, summary.children, source_of, sender)
                self.watch.heard_sides(sender, self.engine.find_seen_sides(sender, order.nodes[source_of], summary))
                with nonsense_from(sender):
                    self.engine.receive_split(sender, summary)
        for sent in sending:
            sent.result()

    def _summary(self, neighbour: str, order: SplitOrder, told: NDArray[np.bool_]) -> Message:
        summary = self.engine.split_summary(neighbour, order.nodes[told], order.first[told], order.children[told])
        self.watch.before_sides(neighbour, self.engine.one_sided(neighbour, order.nodes[told], summary))
        if self.policy.min_records > 1:
            behind = self.engine.behind_split(neighbour, summary.children, by_class=not self.terms.is_target)
            self.policy.check_behind(behind, kind="split summary", receiver=neighbour)
        return split_counts(summary, run=self.attempt, level=order.number, shared=self.values.shared[neighbour])


def _i32(values: NDArray[Any]) -> NDArray[np.int32]:
    return np.ascontiguousarray(values, dtype=np.int32)
