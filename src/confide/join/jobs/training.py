"""A tree over the tables of several sites: trained over the network, simulated here, tried on other records."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from confide.core.figures import ShownFields
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.join.configuration.config_files import File, JoinConfig
from confide.join.configuration.parties import coordinator_of, hosting, simulation_of
from confide.join.coordinator.coordinator import Coordinator
from confide.join.coordinator.disclosure import certain_rows, who_learned_what, word_certainty
from confide.join.coordinator.secure_tree import SecureTree
from confide.join.jobs.requests import JoinEvaluate, JoinSimulate, JoinTrain

if TYPE_CHECKING:
    from confide.core.release import Release
    from confide.join.questions.evaluation import Evaluation

__all__ = ["TrainedJoin", "check_run", "evaluate", "run_evaluate", "run_simulate", "run_train", "simulate", "train"]


@dataclass(frozen=True)
class TrainedJoin(ShownFields):
    """A tree over several sites' tables, and the coordinator that grew it."""

    tree: SecureTree
    coordinator: Coordinator

    @cached_property
    def release(self) -> "Release[dict[str, Any]]":
        """The tree with its passport, verified."""
        coordinator = self.coordinator
        parameters = {
            "criterion": coordinator.criterion,
            "min_leaf": coordinator.min_leaf,
            "min_branch": coordinator.min_branch,
            "max_depth": coordinator.max_depth,
            "confidence": coordinator.confidence,
            "hide_gains": coordinator.hide_gains,
        }
        return self.tree.release(min_records=coordinator.min_records, parameters=parameters)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know: the promise, the size of the tree, and what is unusual about it."""
        tree = self.tree
        inner = sum(node.site is not None for node in tree.nodes)
        said = [
            self.release.requirement.promise(),
            word_certainty(tree.certain),
            f"{len(tree.nodes):,} nodes, {inner:,} of them split; depth {tree.depth}",
        ]
        if self.coordinator.was_finished:
            said.insert(0, "this run was finished already; no site was asked, and its tree is returned again")
        if not inner:
            said.append(
                "the tree is its root alone: no site offered a split, or pruning removed them all; "
                "look at forbidden columns, min_leaf and confidence"
            )
        return tuple(said)

    def summary(self) -> dict[str, Any]:
        """The run in numbers, as plain data for JSON."""
        tree, root = self.tree, self.tree.nodes[0]
        return {
            "run": tree.run,
            "joined_rows": sum(root.counts),
            "class_counts": dict(zip(tree.classes, root.counts, strict=True)),
            "nodes": len(tree.nodes),
            "depth": tree.depth,
            "splits": {site: sum(node.site == site for node in tree.nodes) for site in tree.sites},
            "messages": sum(line.messages for line in tree.ledger),
            "bytes": sum(line.bytes for line in tree.ledger),
            "certain": [line.to_dict() for line in tree.certain],
        }

    def who_learned_what(self) -> list[dict[str, Any]]:
        """A row for each party and source: what it learned, and in how many messages, entries and bytes."""
        return who_learned_what(self.tree.ledger)

    def who_could_tell(self) -> list[dict[str, Any]]:
        """A row for each party and neighbour: about how many people it could tell something for certain."""
        return certain_rows(self.tree.certain)


def train(
    config: JoinConfig | File, *, resume: bool = False, take_over: bool = False, with_sites: Sequence[File] = ()
) -> TrainedJoin:
    """Grow one tree over the tables of several sites, as join.toml describes the run.

    `resume` continues the run in the state folder after its last finished level; `take_over` ends another run that the
    sites are busy with. `with_sites` are site.toml files of sites to serve from this process meanwhile.
    """
    read = JoinConfig.of(config)
    coordinator = coordinator_of(read)
    with hosting(with_sites, read.parties):
        return TrainedJoin(coordinator.train(resume=resume, take_over=take_over), coordinator)


def simulate(config: JoinConfig | File) -> TrainedJoin:
    """Run the whole protocol with all sites in this process; join.toml must name every site's configuration."""
    coordinator, _ = simulation_of(JoinConfig.of(config))
    return TrainedJoin(coordinator.train(), coordinator)


def evaluate(
    config: JoinConfig | File, tree: SecureTree, *, take_over: bool = False, with_sites: Sequence[File] = ()
) -> "Evaluation":
    """Try a tree on the held-out records of all sites, as join.toml names them; only counts by class come here.

    `take_over` and `with_sites` as in `train`.
    """
    read = JoinConfig.of(config)
    coordinator = coordinator_of(read)
    with hosting(with_sites, read.parties):
        return coordinator.evaluate(tree, take_over=take_over)


def check_run(config: JoinConfig | File) -> tuple[str, ...]:
    """Read the configuration and the certificates of a run, and ask nobody; an error says what is missing."""
    read = JoinConfig.of(config)
    coordinator_of(read)
    return (f"{read.name}: {len(read.sites)} sites, target {read.target}; nobody was asked",)


def run_train(request: JoinTrain, host: Host = QUIET) -> Outcome:
    """The job `join train`: a tree over the network, or only a look at whether the run is ready to begin."""
    if request.check_only:
        return Outcome(notes=check_run(request.config))
    trained = train(request.config, resume=request.resume, take_over=request.take_over, with_sites=request.with_sites)
    return Outcome(answer=trained, release=trained.release, notes=trained.notes, document=trained.summary())


def run_simulate(request: JoinSimulate, host: Host = QUIET) -> Outcome:
    """The job `join simulate`: the same in one process, and who learned what."""
    trained = simulate(request.config)
    certain = tuple(line.counted.line for line in trained.tree.certain)
    return Outcome(
        answer=trained,
        release=trained.release,
        notes=(*trained.notes, *certain),
        rows=trained.who_learned_what,
        title="Who learned what",
    )


def run_evaluate(request: JoinEvaluate, host: Host = QUIET) -> Outcome:
    """The job `join evaluate`: how a tree classes held-out records."""
    tree = SecureTree.read(request.tree)
    evaluation = evaluate(request.config, tree, take_over=request.take_over, with_sites=request.with_sites)
    return Outcome(
        answer=evaluation,
        notes=tuple(evaluation.notes()),
        document=evaluation.summary(),
        rows=evaluation.cells,
        title="Held-out records by class, and as classed",
    )
