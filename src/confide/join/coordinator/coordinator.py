"""The coordinator of a run (SecureMultiTbl): it gives orders, and sees the shape of the tree, never a column.

    begin everywhere; private intersections along the edges; class propagation
    per level:   score (all sites) -> the winner of each node -> won (winners) -> split (all sites)
    prune; finish everywhere; collect the ledgers

Summaries go from neighbour to neighbour, not through here. The coordinator learns class counts by node, scores (unless
hidden), who splits what into how many children. It writes down each finished level, so that a run that broke off can
be taken up again: sites then split recorded nodes as their own lists say, without scoring.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UnreachableError, UsageError
from confide.core.runtime.progress import task
from confide.join.coordinator.inquiry import Asker
from confide.join.coordinator.run_record import GrownNode, RunRecord
from confide.join.coordinator.secure_tree import SecureNode, SecureTree, numbered
from confide.join.coordinator.site_graph import SiteGraph
from confide.join.hidden.comparison import Comparing
from confide.join.hidden.rounds import Hiding
from confide.join.network.links import Link
from confide.join.network.state_folder import held, made_private
from confide.join.protocol.ledger import Line, added_up
from confide.join.protocol.messages import Message
from confide.join.protocol.verbs import KINDS
from confide.join.tree.growth import is_open
from confide.join.tree.scoring import winners
from confide.mining.trees.pruning import prune
from confide.mining.trees.splits import Criterion, criterion_code, grid

__all__ = ["Coordinator"]

I64 = NDArray[np.int64]


class Coordinator:
    """Grows one tree over the tables of several sites; the same tree as `JoinTree` on the same tables.

    Parameters
        graph          sites in the order that breaks ties, who joins whom, who has the class (`SiteGraph`).
        link           the way to the sites.
        criterion, min_leaf, max_depth, confidence   as in `JoinTree`; confidence None does not prune.
        hide_gains     choose winners by a hidden comparison among at least three parties; not with the gain ratio.
        third          with hide_gains and two sites: who else takes part, the coordinator's own name or a helper's.
        state          folder for the record of the run; without it `resume` is not possible.
        deadline       seconds without a sign of life after which a site counts as dead.
        step_deadline  seconds one step may take at a living site.
    """

    def __init__(
        self,
        graph: SiteGraph,
        link: Link,
        *,
        criterion: Criterion = "information_gain",
        min_leaf: int = 2,
        max_depth: int | None = None,
        confidence: float | None = 0.25,
        hide_gains: bool = False,
        third: str | None = None,
        state: str | PathLike[str] | None = None,
        deadline: float = 30.0,
        step_deadline: float = 600.0,
    ):
        self.graph, self.link, self.name = graph, link, link.name
        self.criterion: Criterion = criterion
        self.min_leaf, self.max_depth, self.confidence = min_leaf, max_depth, confidence
        self.hide_gains, self.third = hide_gains, third
        self.state = None if state is None else Path(state)
        self.comparing = Comparing(self.name)
        self.min_records = 1
        self.was_finished = False
        self._hiding = Hiding(graph.sites, third=third, own=self.comparing) if hide_gains else None
        asked = graph.sites if self._hiding is None else [*graph.sites, *self._hiding.asked]
        self._asker = Asker(link, list(dict.fromkeys(asked)), deadline=deadline, step_deadline=step_deadline)

    # -- one run --------------------------------------------------------------------------------------------------

    def train(self, *, resume: bool = False, take_over: bool = False) -> SecureTree:
        """Run the protocol; `resume` takes up the run in `state` after its last finished level.

        A run that is finished is not run again: its tree is returned. Sites that are busy with another run refuse,
        unless `take_over` ends that one. On any failure every site that still answers is told to stop, and the first
        cause is raised.
        """
        criterion_code(self.criterion)
        if self._hiding is not None:
            self._hiding.check(self.criterion)
        question = self._question()
        with held(self.state) as alone:
            # A fresh run is for the sites to refuse; this one they would take for the same run.
            if resume and not alone and not take_over:
                raise UsageError("the run is in progress; wait for its end, or end it with --take-over")
            growth = RunRecord.load(question, self.state) if resume else RunRecord.new(question, self.state)
            if growth.finished is not None:
                return self._again(growth.finished)
            return self._run(growth, resume=resume, take_over=take_over)

    def _run(self, growth: RunRecord, *, resume: bool, take_over: bool) -> SecureTree:
        if self.state is not None:
            self.link.ledger.keep(made_private(self.state) / "coordinator-ledger.jsonl")
        self.link.ledger.begin(growth.run, resume=resume)
        try:
            with self._asker.watching(), task("growing a tree with other sites") as step:
                self._prepare(growth, resume=resume, take_over=take_over)
                self._replay(growth)
                self._grow(growth, step)
                tree = self._finish(growth)
                growth.finished = {**self._released(), "tree": tree.to_dict()}
                growth.save()
                return tree
        finally:
            self.comparing.close()
            growth.saved()

    def _released(self) -> dict[str, Any]:
        """What a release says besides the tree and the question."""
        return {"min_records": self.min_records, "confidence": self.confidence, "hide_gains": self.hide_gains}

    def _again(self, finished: Mapping[str, Any]) -> SecureTree:
        """The tree of a run that had come to its end; nobody is asked."""
        self.min_records = finished["min_records"]
        if self._released() != {name: finished[name] for name in self._released()}:
            raise UsageError("the run in the state folder is finished, with other parameters; train without --resume")
        self.was_finished = True
        return SecureTree.from_dict(finished["tree"])

    def _prepare(self, growth: RunRecord, *, resume: bool, take_over: bool = False) -> None:
        sites, graph = self.graph.sites, self.graph
        attempt = secrets.token_hex(16)
        self._asker.runs(growth.run, attempt)
        begun = self._asker.ask_all(
            {
                site: Message(
                    "begin",
                    {
                        "run": growth.run,
                        "criterion": self.criterion,
                        "min_leaf": self.min_leaf,
                        "max_depth": self.max_depth,
                        "position": place,
                        "is_target": site == graph.target,
                        "neighbours": graph.neighbours[site],
                        "resume": resume,
                        "take_over": take_over,
                        "deadline": float(self._asker.deadline),
                        "attempt": attempt,
                    },
                )
                for place, site in enumerate(sites)
            }
        )
        # What every site asks for holds only where the least demanding site's summaries are concerned.
        self.min_records = min(answer.header["min_records"] for answer in begun.values())
        for level in growth.levels:
            for node in level:
                owner = sites[growth.nodes[node].site]
                if node not in begun[owner].header["splits"]:
                    raise UsageError(f"{owner} has lost its splits of this run; train anew without --resume")
        labels = self._asker.ask(graph.target, Message("labels", {"run": growth.run})).header["labels"]
        if growth.classes and labels != growth.classes:
            raise UsageError("the classes have changed since the run began; train anew without --resume")
        growth.classes = labels
        self._intersect(growth, {site: answer.header["tokens"] for site, answer in begun.items()})
        if self._hiding is not None:
            self._hiding.introduce(growth.run, self._asker)
        self._propagate(growth)

    def _intersect(self, growth: RunRecord, tokens: Mapping[str, Mapping[str, str]]) -> None:
        """A private intersection for each edge, unless both ends still hold the same one."""
        waiting = [(a, b) for a, b in self.graph.edges if not tokens[a].get(b) or tokens[a].get(b) != tokens[b].get(a)]
        while waiting:
            # A site speaks first on one edge at a time; edges without a common site go side by side.
            busy: set[str] = set()
            now = []
            for a, b in waiting:
                if not {a, b} & busy:
                    busy |= {a, b}
                    now.append((a, b))
            waiting = [edge for edge in waiting if edge not in now]
            named = {edge: {"run": growth.run, "token": secrets.token_hex(16)} for edge in now}
            # Who answers is ordered to first: a site takes no points that nobody ordered.
            for speaks in (False, True):
                orders = {}
                for (a, b), header in named.items():
                    site, neighbour = (a, b) if speaks else (b, a)
                    orders[site] = Message("intersect", {**header, "neighbour": neighbour, "speaks": speaks})
                self._asker.ask_all(orders)

    def _propagate(self, growth: RunRecord) -> None:
        order = Message(
            "propagate", {"run": growth.run, "classes": len(growth.classes), "steps": self.graph.class_steps()}
        )
        answers = self._asker.ask_all(dict.fromkeys(self.graph.sites, order))
        for site, answer in answers.items():
            self._check_nodes(site, answer, np.zeros(1, dtype=np.int64))
        totals = [answer.counts()[0].tolist() for answer in answers.values()]
        if any(one != totals[0] for one in totals):
            raise UnreachableError("the sites disagree on the class counts of the join; one of them sent nonsense")
        if sum(totals[0]) == 0:
            raise InputError("the join is empty: no record finds a partner in every table; check the join columns")
        if np.count_nonzero(totals[0]) < 2:
            raise InputError("all joined records are of one class; nothing to learn")
        if growth.nodes and growth.nodes[0].counts != totals[0]:
            raise UsageError("the tables have changed since the run began; train anew without --resume")
        if not growth.nodes:
            growth.nodes.append(GrownNode(parent=-1, counts=totals[0], depth=0))
            growth.save()

    # -- growing --------------------------------------------------------------------------------------------------

    def _grow(self, growth: RunRecord, step: Callable[[float], None]) -> None:
        level = self._open(growth, growth.levels[-1] if growth.levels else None)
        while len(level):
            records = sum(growth.nodes[0].counts)
            won = self._winners(growth, level, records)
            split = level[won >= 0]
            step(1.0)
            if len(split) == 0:
                return
            made = self._won(growth, split, won[won >= 0])
            self._split(growth, split, made)
            level = self._open(growth, split.tolist())

    def _open(self, growth: RunRecord, parents: list[int] | None) -> I64:
        """The children of a level that may be split further, ascending."""
        numbers = [0] if parents is None else [child for node in parents for child in growth.children(node)]
        if not numbers or (self.max_depth is not None and growth.nodes[numbers[0]].depth >= self.max_depth):
            return np.empty(0, dtype=np.int64)
        counts = np.array([growth.nodes[n].counts for n in numbers], dtype=np.int64)
        exponent = grid(sum(growth.nodes[0].counts))
        opened = is_open(counts, criterion=self.criterion, min_leaf=self.min_leaf, exponent=exponent)
        return np.array(numbers, dtype=np.int64)[opened]

    def _winners(self, growth: RunRecord, level: I64, records: int) -> I64:
        header = {"run": growth.run, "level": len(growth.levels), "records": records}
        node = {"node": level.astype(np.int32)}
        if self._hiding is not None:
            return self._hiding.winners(Message("compare", header, node), self._asker)
        sums, numbers = np.zeros(len(level), dtype=np.int64), np.zeros(len(level), dtype=np.int64)
        if self.criterion == "gain_ratio":
            answers = self._asker.ask_all(dict.fromkeys(self.graph.sites, Message("gains", header, node)))
            for site, answer in answers.items():
                self._check_nodes(site, answer, level)
                sums += answer.columns["sum"]
                numbers += answer.columns["number"]
        order = Message("score", header, {**node, "sum": sums, "number": numbers.astype(np.int32)})
        answers = self._asker.ask_all(dict.fromkeys(self.graph.sites, order))
        for site, answer in answers.items():
            self._check_nodes(site, answer, level)
        return winners([answers[site].columns["score"] for site in self.graph.sites])

    def _won(self, growth: RunRecord, split: I64, won: I64) -> list[int]:
        """Tell the winners; how many children each node gets."""
        header = {"run": growth.run, "level": len(growth.levels), "replay": False}
        asked = {
            site: Message("won", header, {"node": split[won == place].astype(np.int32)})
            for place, site in enumerate(self.graph.sites)
            if (won == place).any()
        }
        made = dict.fromkeys(split.tolist(), 0)
        for site, answer in self._asker.ask_all(asked).items():
            self._check_nodes(site, answer, asked[site].columns["node"])
            if answer.entries and answer.columns["children"].min() < 2:
                raise UnreachableError(f"{site} splits a node into fewer than two children, which cannot be")
            made.update(zip(answer.columns["node"].tolist(), answer.columns["children"].tolist(), strict=True))
        for node, place in zip(split.tolist(), won.tolist(), strict=True):
            growth.nodes[node].site = place
        return [made[node] for node in split.tolist()]

    def _split(self, growth: RunRecord, split: I64, made: Sequence[int], *, replaying: bool = False) -> None:
        """Number the children, let all sites split, and take the children's class counts from the winners."""
        number, sites = len(growth.levels), self.graph.sites
        depth = growth.nodes[int(split[0])].depth + 1
        if not replaying:
            for node, children in zip(split.tolist(), made, strict=True):
                growth.nodes[node].first, growth.nodes[node].children = len(growth.nodes), children
                empty = [0] * len(growth.classes)
                growth.nodes += [GrownNode(parent=node, counts=list(empty), depth=depth) for _ in range(children)]
        last = self.max_depth is not None and depth >= self.max_depth
        won = [growth.nodes[node].site for node in split.tolist()]
        towards = {place: self.graph.directions(sites[place]) for place in set(won)}
        columns = {
            "first": np.array([growth.nodes[node].first for node in split.tolist()], dtype=np.int32),
            "children": np.array([growth.nodes[node].children for node in split.tolist()], dtype=np.int32),
        }
        level = growth.levels.index(split.tolist()) if replaying else number
        header = {"run": growth.run, "level": level, "last": last}
        orders = {}
        for site in sites:
            places = {name: place for place, name in enumerate(self.graph.neighbours[site])}
            source = [-1 if (name := towards[w][site]) is None else places[name] for w in won]
            body = {"node": split.astype(np.int32), "source": np.array(source, dtype=np.int32), **columns}
            orders[site] = Message("split", header, body)
        answers = self._asker.ask_all(orders)
        if not replaying:
            for place, site in enumerate(sites):
                own = [node for node in split.tolist() if growth.nodes[node].site == place]
                self._take_counts(growth, site, answers[site], own)
            growth.levels.append(split.tolist())
            growth.save()

    def _take_counts(self, growth: RunRecord, site: str, answer: Message, parents: list[int]) -> None:
        expected = [child for parent in parents for child in growth.children(parent)]
        self._check_nodes(site, answer, np.array(expected, dtype=np.int64))
        counts = answer.counts()
        if len(expected) and (counts.shape[1] != len(growth.classes) or counts.min() < 0):
            raise UnreachableError(f"{site} sent class counts that cannot be")
        for child, row in zip(expected, counts.tolist(), strict=True):
            growth.nodes[child].counts = row
        for parent in parents:
            together = np.sum([growth.nodes[child].counts for child in growth.children(parent)], axis=0)
            if together.tolist() != growth.nodes[parent].counts:
                raise UnreachableError(f"{site} sent class counts of children that do not add up to their parent's")

    def _replay(self, growth: RunRecord) -> None:
        """Bring the sites to where the run had got to: recorded nodes are split as recorded."""
        for level in growth.levels:
            split = np.array(level, dtype=np.int64)
            header = {"run": growth.run, "level": growth.levels.index(level), "replay": True}
            won = np.array([growth.nodes[node].site for node in level])
            asked = {
                site: Message("won", header, {"node": split[won == place].astype(np.int32)})
                for place, site in enumerate(self.graph.sites)
                if (won == place).any()
            }
            for site, answer in self._asker.ask_all(asked).items():
                here = [growth.nodes[node].children for node in asked[site].columns["node"].tolist()]
                if answer.columns["children"].tolist() != here:
                    raise UsageError(f"{site} splits otherwise than when the run began; train anew without --resume")
            self._split(growth, split, [], replaying=True)

    # -- the end --------------------------------------------------------------------------------------------------

    def _finish(self, growth: RunRecord) -> SecureTree:
        sites = self.graph.sites
        present = [c for c, count in enumerate(growth.nodes[0].counts) if count > 0]
        classes = [growth.classes[c] for c in present]
        counts = np.array([node.counts for node in growth.nodes], dtype=np.int64)[:, present]
        stays = np.ones(len(counts), dtype=np.bool_)
        if self.confidence is not None:
            totals = counts.sum(axis=1)
            parents = [node.parent for node in growth.nodes]
            stays = prune(parents, totals - counts.max(axis=1), totals, confidence=self.confidence)
        plain = [
            SecureNode(
                site=sites[node.site] if node.children else None,
                children=list(range(node.first, node.first + node.children)),
                counts=row.tolist(),
                label=classes[int(np.argmax(row))],
            )
            for node, row in zip(growth.nodes, counts, strict=True)
        ]
        nodes, numbers = numbered(plain, stays.tolist())
        orders = {}
        for site in sites:
            own = [(old, new) for old, new in numbers.items() if nodes[new].site == site]
            body = {
                "node": np.array([old for old, _ in own], dtype=np.int32),
                "number": np.array([new for _, new in own], dtype=np.int32),
            }
            orders[site] = Message("finish", {"run": growth.run}, body)
        self._asker.ask_all(orders)
        return SecureTree(
            run=growth.run,
            coordinator=self.name,
            target=self.graph.target,
            sites=tuple(sites),
            edges=tuple(self.graph.edges),
            classes=tuple(classes),
            nodes=nodes,
            ledger=self._ledgers(growth.run),
            helper=self.third if self.hide_gains and self.third not in (None, self.name) else None,
        )

    def _ledgers(self, run: str) -> tuple[Line, ...]:
        lines = list(self.link.ledger.sent())
        answers = self._asker.ask_all(dict.fromkeys(self._asker.sites, Message("ledger", {"run": run})))
        for site, answer in answers.items():
            columns = answer.columns
            for row in range(answer.entries):
                kind = columns["kind"][row].as_py()
                if kind not in KINDS:
                    raise UnreachableError(f"the ledger of {site} holds a kind of message that is not known")
                lines.append(
                    Line(
                        sender=site,
                        receiver=columns["to"][row].as_py(),
                        kind=kind,
                        messages=int(columns["messages"][row]),
                        entries=int(columns["entries"][row]),
                        bytes=int(columns["bytes"][row]),
                    )
                )
        # A coordinator that is a site itself also talks to itself; that crosses nothing.
        return added_up(line for line in lines if line.sender != line.receiver)

    @staticmethod
    def _check_nodes(site: str, answer: Message, nodes: NDArray[Any]) -> None:
        if not np.array_equal(answer.columns["node"], nodes):
            raise UnreachableError(f"{site} answered for other nodes than it was asked")

    def _question(self) -> dict[str, Any]:
        return {
            "sites": self.graph.sites,
            "edges": [list(edge) for edge in self.graph.edges],
            "target": self.graph.target,
            "criterion": self.criterion,
            "min_leaf": self.min_leaf,
            "max_depth": self.max_depth,
        }
