"""Folds, owners and passes: the records are cut into folds; each fold in turn is the test, the others go to owners.

all records --> fold 1 | fold 2 | ... | fold 10
                test      \\_____ dealt evenly to n owners _____/
                          the same records, pooled: the base model (BASIS)

A pass makes new pseudo-data from the same trees, so only what is random differs between passes. Paper 002, section 7.1.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.share.experiment.methods import (
    Local,
    Method,
    TableMethod,
    described,
    local_tree,
    methods_named,
    model_of,
)
from confide.core.errors import CannotMeetError, InputError, RequirementError, UsageError
from confide.core.randomness import Randomness
from confide.core.requirements import KAnonymity, RecursiveDiversity, Requirement, SimpleDiversity
from confide.core.runtime.progress import task
from confide.core.trees.nodes import Node
from confide.core.trees.published import PublishedTree
from confide.mining.trees.learner import DecisionTree
from confide.share.anonymization.anonymize import anonymize_tree
from confide.share.domains import Domains
from confide.share.global_model import CLASS, learn_from
from confide.share.model_measures import in_common, paths_of

__all__ = ["BASIS", "MODELS", "Experiment", "Outcome", "requirements_of", "run_experiment"]

BASIS = "BASIS"
"""The model learned from the pooled records: what sharing is measured against."""

MODELS = ("tree", "naive-bayes", "conjunctive-rule")


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """What to try.

    `requirements`: each in turn; None stands for trees that promise nothing. `owners`: how many, each in turn.
    `methods`: names, None for all that fit. `folds` cut the records; `runs` of them serve as the test (None: all).
    `passes` make pseudo-data anew. `model` is what is learned from it; `rows` how much there is of it, as a multiple
    of the records (None: each method's own default).
    `tables`: algorithms that publish a table instead of a tree. `seed` repeats an experiment.
    """

    requirements: tuple[Requirement | None, ...] = (None,)
    owners: tuple[int, ...] = tuple(range(1, 11))
    methods: tuple[str, ...] | None = None
    folds: int = 10
    runs: int | None = None
    passes: int = 5
    model: str = "tree"
    rows: float | None = None
    tables: Mapping[str, TableMethod] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        if self.folds < 2:
            raise RequirementError(f"folds={self.folds} leaves nothing to learn from; use 2 or more")
        if self.runs is not None and not 1 <= self.runs <= self.folds:
            raise RequirementError(f"runs={self.runs} must be from 1 to the number of folds, {self.folds}")
        if self.passes < 1 or not self.owners or min(self.owners) < 1:
            raise RequirementError("passes and owners must be 1 or more")
        if not self.requirements:
            raise RequirementError("requirements is empty; (None,) stands for trees that promise nothing")
        if self.model not in MODELS:
            raise UsageError(f"no model {self.model!r}; models are: {', '.join(MODELS)}")
        if self.tables and self.requirements == (None,):
            raise UsageError(
                f"{' and '.join(self.tables)} publish tables under a promise; name one, such as k=5 "
                "(in Python: requirements=)"
            )
        for requirement in self.requirements:
            methods_named(self.methods, requirement)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One model, tried on one fold. `accuracy` is None where nobody could keep the requirement.

    `class_match` and `path_match` compare with the base model; `metric` is the classification metric of what was
    published; `stayed_out` counts owners whose records cannot keep the requirement, and who published nothing.
    """

    method: str
    requirement: Requirement | None
    owners: int
    fold: int
    number: int
    accuracy: float | None
    class_match: float | None = None
    path_match: float | None = None
    metric: float | None = None
    stayed_out: int = 0


def requirements_of(
    *,
    k: Sequence[int] = (),
    l: Sequence[int] = (),  # noqa: E741 - the paper's letter
    c: Sequence[float] = (),
) -> tuple[Requirement | None, ...]:
    """Each k, and each l, alone or with each c, as requirements to try; (None,) where nothing is named.

    >>> [each and each.kind for each in requirements_of(k=[5], l=[2], c=[3])]
    ['k-anonymity', 'recursive-diversity']
    """
    if c and not l:
        raise UsageError("c= goes with l=: each c is tried with each l")
    diverse: list[Requirement] = [RecursiveDiversity(c=each, l=size) for each in c for size in l]
    if not c:
        diverse += [SimpleDiversity(l=size) for size in l]
    return (*(KAnonymity(k=each) for each in k), *diverse) or (None,)


def run_experiment(frame: Any, domains: Domains, experiment: Experiment) -> list[Outcome]:
    """Try every method under every requirement, with every number of owners, on every fold."""
    X, y, _ = domains.columns(frame)
    if len(y) < experiment.folds * max(experiment.owners):
        raise InputError(
            f"{len(y)} records are too few for {experiment.folds} folds and {max(experiment.owners)} owners"
        )
    rng = np.random.default_rng(experiment.seed)
    folds = np.array_split(rng.permutation(len(y)), experiment.folds)
    runs = experiment.folds if experiment.runs is None else experiment.runs
    found: list[Outcome] = []
    with task("share experiment", total=runs * len(experiment.owners) * len(experiment.requirements)) as step:
        for fold in range(runs):
            trial = _Trial(X, y, domains, experiment, fold, folds)
            found.append(trial.base_outcome())
            for owners in experiment.owners:
                parts = trial.dealt(owners)
                for requirement in experiment.requirements:
                    found.extend(trial.outcomes(parts, requirement))
                    step(1)
    return found


class _Trial:
    """One fold as the test, and what the others are good for."""

    def __init__(
        self, X: Any, y: Any, domains: Domains, experiment: Experiment, fold: int, folds: Sequence[NDArray[np.int64]]
    ) -> None:
        self.X, self.y, self.domains, self.experiment, self.fold = X, y, domains, experiment, fold
        self.rows = np.concatenate([part for number, part in enumerate(folds) if number != fold])
        self.test, self.truth = X.take(folds[fold]), y[folds[fold]]
        self.base = self._learned(X.take(self.rows), y[self.rows])
        self.said = np.asarray(self.base.predict(self.test)).astype(str)
        self.paths = paths_of(self.base) if experiment.model == "tree" else None
        self.learned: dict[tuple[Local, Requirement | None, int, int], PublishedTree | None] = {}

    def _learned(self, X: Any, y: Any) -> Any:
        """A model of records as they are."""
        import pyarrow as pa

        if self.experiment.model == "tree":
            return DecisionTree().fit(X, y, attributes=self.domains.usable, classes=self.domains.classes)
        table = X.append_column(CLASS, pa.array(y.tolist(), pa.string()))
        nobody = Node(label=self.domains.classes[0], hit=0, miss=0)
        root = PublishedTree(classes=self.domains.classes, attributes=self.domains.usable, nodes=(nobody,))
        return learn_from(table, root, model=self.experiment.model)

    def base_outcome(self) -> Outcome:
        """How the model of the pooled records does."""
        right = float(np.mean(self.said == self.truth.astype(str)))
        return Outcome(
            method=BASIS, requirement=None, owners=0, fold=self.fold, number=0, accuracy=right, class_match=1.0
        )

    def dealt(self, owners: int) -> list[NDArray[np.int64]]:
        """The records of each owner; the same whatever else is tried."""
        rng = np.random.default_rng([self.experiment.seed, self.fold, owners])
        return np.array_split(rng.permutation(self.rows), owners)

    def outcomes(self, parts: Sequence[NDArray[np.int64]], requirement: Requirement | None) -> Iterator[Outcome]:
        """What each method makes of these owners."""
        for method in methods_named(self.experiment.methods, requirement):
            yield from self._of_trees(method, parts, requirement)
        if requirement is not None:
            for name, publish in self.experiment.tables.items():
                yield self._of_tables(name, publish, parts, requirement)
        self.learned = {key: tree for key, tree in self.learned.items() if key[0] == "unprotected"}

    def _of_trees(
        self, method: Method, parts: Sequence[NDArray[np.int64]], requirement: Requirement | None
    ) -> Iterator[Outcome]:
        trees = self._trees(method, parts, requirement)
        if not trees:
            yield self._refused(method.name, parts, requirement)
            return
        leaves = [node for tree in trees for node in tree.nodes if node.is_leaf]
        metric = sum(leaf.miss for leaf in leaves) / sum(leaf.total for leaf in leaves)
        drawn = method.together != "bagging" and not (len(trees) == 1 and self.experiment.model == "tree")
        for number in range(self.experiment.passes if drawn else 1):
            seed = [self.experiment.seed, self.fold, len(parts), number]
            model = model_of(
                method,
                trees,
                model=self.experiment.model,
                rows=self.experiment.rows,
                randomness=Randomness.seeded(int(np.random.SeedSequence(seed).generate_state(1)[0])),
            )
            yield self._outcome(
                method.name, model, parts, requirement, number, metric=metric, stayed_out=len(parts) - len(trees)
            )

    def _trees(
        self, method: Method, parts: Sequence[NDArray[np.int64]], requirement: Requirement | None
    ) -> list[PublishedTree]:
        """The trees of all owners whose records can keep the requirement; each is learned once, whoever uses it."""
        trees = []
        for number, part in enumerate(parts):
            tree = self._tree(method.local, requirement, len(parts), number, part)
            if tree is not None and method.together == "ours" and (len(parts) > 1 or self.experiment.model != "tree"):
                tree = described(tree, self.X.take(part), self.y[part], requirement)
            if tree is not None:
                trees.append(tree)
        return trees

    def _tree(
        self, local: Local, requirement: Requirement | None, owners: int, number: int, part: NDArray[np.int64]
    ) -> PublishedTree | None:
        key = (local, requirement, owners, number)
        if key not in self.learned:
            try:
                if local == "atp":  # the same tree, pruned under each requirement
                    plain = self._tree("unprotected", None, owners, number, part)
                    assert requirement is not None
                    self.learned[key] = anonymize_tree(plain, requirement, verify=False).data
                else:
                    X, y = self.X.take(part), self.y[part]
                    self.learned[key] = local_tree(local, X, y, self.domains, requirement)
            except CannotMeetError:
                self.learned[key] = None  # this owner publishes nothing
        return self.learned[key]

    def _of_tables(
        self, name: str, publish: TableMethod, parts: Sequence[NDArray[np.int64]], requirement: Requirement
    ) -> Outcome:
        import pyarrow as pa

        published = []
        for part in parts:
            try:
                published.append(publish(self.X.take(part), self.y[part], requirement))
            except CannotMeetError:
                continue
        if not published:
            return self._refused(name, parts, requirement)
        table = pa.concat_tables(published)
        labels = table.column(CLASS).cast("string").to_numpy(zero_copy_only=False)
        model = self._learned(table.drop_columns([CLASS]), labels)
        told = [{key.decode(): int(value) for key, value in (t.schema.metadata or {}).items()} for t in published]
        metric = sum(t["wrong"] for t in told) / sum(t["records"] for t in told) if all(told) else None
        return self._outcome(name, model, parts, requirement, 0, metric=metric, stayed_out=len(parts) - len(published))

    def _outcome(
        self,
        name: str,
        model: Any,
        parts: Sequence[Any],
        requirement: Requirement | None,
        number: int,
        *,
        metric: float | None = None,
        stayed_out: int = 0,
    ) -> Outcome:
        said = np.asarray(model.predict(self.test)).astype(str)
        comparable = self.paths is not None and not hasattr(model, "votes")
        return Outcome(
            method=name,
            requirement=requirement,
            owners=len(parts),
            fold=self.fold,
            number=number,
            accuracy=float(np.mean(said == self.truth.astype(str))),
            class_match=float(np.mean(said == self.said)),
            path_match=in_common(self.paths, paths_of(model)) if comparable and self.paths is not None else None,
            metric=metric,
            stayed_out=stayed_out,
        )

    def _refused(self, name: str, parts: Sequence[Any], requirement: Requirement | None) -> Outcome:
        return Outcome(
            method=name,
            requirement=requirement,
            owners=len(parts),
            fold=self.fold,
            number=0,
            accuracy=None,
            stayed_out=len(parts),
        )
