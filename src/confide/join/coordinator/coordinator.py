"""The coordinator of a run (SecureMultiTbl): it gives orders, and sees the shape of the tree, never a column.

    opening   begin everywhere; private intersections along the edges; class propagation
    levels    score (all sites) -> the winner of each node -> won (winners) -> split (all sites)
    ending    prune; finish everywhere; collect the ledgers

Summaries go from neighbour to neighbour, not through here. The coordinator learns class counts by node, scores (unless
hidden), who splits what into how many children. It writes down each finished level, so that a run that broke off can
be resumed: sites then split recorded nodes as their own lists say, without scoring.
"""

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.errors import UsageError
from confide.core.runtime.progress import task
from confide.join.coordinator.ending import end_run
from confide.join.coordinator.inquiry import Asker
from confide.join.coordinator.levels import grow, replay
from confide.join.coordinator.run_opening import open_run
from confide.join.coordinator.run_record import RunRecord
from confide.join.coordinator.run_state import Run
from confide.join.coordinator.secure_tree import SecureTree
from confide.join.coordinator.site_graph import SiteGraph
from confide.join.hidden.hidden_comparison import Comparing
from confide.join.hidden.hidden_rounds import Hiding
from confide.join.network.links import Link
from confide.join.network.state_folder import hold_folder, make_private_folder
from confide.mining.trees.splits import Criterion, criterion_code

if TYPE_CHECKING:
    from confide.join.questions.evaluation import Evaluation

__all__ = ["Coordinator"]


class Coordinator:
    """Grows one tree over the tables of several sites; the same tree as `JoinTree` on the same tables.

    Parameters
        graph          sites in the order that breaks ties, who joins whom, who has the class (`SiteGraph`).
        link           the way to the sites.
        criterion, min_leaf, min_branch, max_depth, confidence   as in `JoinTree`; confidence None does not prune.
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
        min_leaf: int = 1,
        min_branch: int = 2,
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
        self.min_leaf, self.min_branch = min_leaf, min_branch
        self.max_depth, self.confidence = max_depth, confidence
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
        """Run the protocol; `resume` continues the run in `state` after its last finished level.

        A run that is finished is not run again: its tree is returned. Sites that are busy with another run refuse,
        unless `take_over` ends that one. On any failure every site that still answers is asked to stop, and the first
        cause is raised.
        """
        criterion_code(self.criterion)
        if self._hiding is not None:
            self._hiding.check(self.criterion)
        question = self.question()
        with hold_folder(self.state) as alone:
            # A fresh run is for the sites to refuse; this one they would take for the same run.
            if resume and not alone and not take_over:
                raise UsageError("the run is in progress; wait for its end, or end it with take_over")
            record = RunRecord.load(question, self.state) if resume else RunRecord.new(question, self.state)
            if record.finished is not None:
                return self._again(record.finished)
            return self._run_protocol(self.run(record), resume=resume, take_over=take_over)

    def evaluate(self, tree: SecureTree, *, take_over: bool = False) -> "Evaluation":
        """Try a tree on the held-out records of all sites; only counts by class come here (`Evaluation`).

        For every site this is another run (`max_runs`).
        """
        from confide.join.questions.evaluation import run_evaluation

        record = RunRecord.new({**self.question(), "evaluates": tree.run}, None)
        run = replace(self.run(record), evaluates=tree.run, max_depth=max(tree.depth, 1), hiding=None)
        self.link.ledger.begin(record.run)
        with self._asker.watching(), task("trying a tree with other sites"):
            return run_evaluation(run, tree, take_over=take_over)

    def run(self, record: RunRecord) -> Run:
        """The run that a record describes, ready to be opened."""
        return Run(
            graph=self.graph,
            asker=self._asker,
            record=record,
            criterion=self.criterion,
            min_leaf=self.min_leaf,
            min_branch=self.min_branch,
            max_depth=self.max_depth,
            hiding=self._hiding,
        )

    def _run_protocol(self, run: Run, *, resume: bool, take_over: bool) -> SecureTree:
        record = run.record
        if self.state is not None:
            self.link.ledger.keep(make_private_folder(self.state) / "coordinator-ledger.jsonl")
        self.link.ledger.begin(record.run, resume=resume)
        try:
            with self._asker.watching(), task("growing a tree with other sites") as step:
                self.min_records = open_run(run, resume=resume, take_over=take_over)
                replay(run)
                grow(run, step)
                tree = end_run(run, confidence=self.confidence, helper=self._helper)
                record.finished = {**self._release_terms(), "tree": tree.to_dict()}
                record.save()
                return tree
        finally:
            self.comparing.close()
            record.wait_until_saved()

    def _release_terms(self) -> dict[str, Any]:
        """What a release says besides the tree and the question."""
        return {"min_records": self.min_records, "confidence": self.confidence, "hide_gains": self.hide_gains}

    def _again(self, finished: Mapping[str, Any]) -> SecureTree:
        """The tree of a run that was finished already; nobody is asked."""
        self.min_records = finished["min_records"]
        if self._release_terms() != {name: finished[name] for name in self._release_terms()}:
            raise UsageError(f"the run in {self.state} is finished, with other parameters; train without resuming it")
        self.was_finished = True
        return SecureTree.from_dict(finished["tree"])

    @property
    def _helper(self) -> str | None:
        return self.third if self.hide_gains and self.third != self.name else None

    def question(self) -> dict[str, Any]:
        """What is asked for: a run may only be resumed with the same question."""
        return {
            "sites": self.graph.sites,
            "edges": [list(edge) for edge in self.graph.edges],
            "target": self.graph.target,
            "criterion": self.criterion,
            "min_leaf": self.min_leaf,
            "min_branch": self.min_branch,
            "max_depth": self.max_depth,
        }
