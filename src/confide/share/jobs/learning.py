"""Anybody's side: pseudo-data from a published tree, and a global model from several owners' trees, tried and used."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from confide.core.errors import InputError
from confide.core.jobs.outcome import QUIET, Host, Outcome, Writer
from confide.core.randomness import Randomness
from confide.core.trees.published import PublishedTree
from confide.share.bagging import Bagging
from confide.share.domains import Domains
from confide.share.generation.baseline import generate_baseline
from confide.share.generation.pseudo_data import CAVEAT, generate
from confide.share.global_model import GlobalModel, learn_global
from confide.share.jobs.requests import ShareGenerate, ShareLearn
from confide.share.tree_files import check_trees

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Learned", "LearningTrial", "generate_table", "learn", "predict_classes", "try_model"]


@dataclass(frozen=True, kw_only=True)
class LearningTrial:
    """How often each is right on the same records: the global model, the committee of all trees, each tree alone.

    `guessing` is how often somebody is who says the commonest class of these records for each.
    """

    records: int
    model: float
    committee: float
    alone: tuple[float, ...]
    guessing: float

    def rows(self) -> list[dict[str, Any]]:
        """For printing: who, and the share that was right."""
        named = [("global model", self.model), ("all trees voting", self.committee)]
        named += [(f"tree {i} alone", share) for i, share in enumerate(self.alone, start=1)]
        named.append(("guessing the commonest class", self.guessing))
        return [{"who": who, "right": round(share, 4)} for who, share in named]


@dataclass(frozen=True, kw_only=True)
class Learned(Outcome):
    """The model, the trees it comes from, how it did in a trial, and the records it classified, where asked."""

    model: GlobalModel
    trees: tuple[PublishedTree, ...]
    trial: LearningTrial | None = None
    predicted: "pa.Table | None" = None


def generate_table(request: ShareGenerate, host: Host = QUIET) -> Outcome:
    """The job `share generate`: rows that the tree could have been learned from (PGEN), or BASEGEN's to compare."""
    checked = check_trees([request.tree])
    tree, randomness = checked.trees[0], _randomness(request.seed)
    if request.baseline:
        rows = None if request.rows is None else int(request.rows)  # a multiple was refused with the request
        table = generate_baseline(tree, rows=rows, class_column=request.class_column, randomness=randomness)
    else:
        table = generate(
            tree,
            rows=request.rows,
            class_column=request.class_column,
            numbers=request.numbers,
            absent=request.absent,
            randomness=randomness,
        )
    notes = (*checked.notes, f"{table.num_rows:,} rows; {CAVEAT}")
    return Outcome(answer=table, notes=notes, save=_table_writer(table))


def learn(request: ShareLearn, host: Host = QUIET) -> Learned:
    """The job `share learn`: one model from these trees, tried on records of known class and used on others."""
    from confide.core.tables.frames import read_table
    from confide.core.tables.sources import load_table

    test, new = request.test, request.predict
    reading = request.reading()
    if isinstance(test, str | Path):
        test = load_table(file=test, text=[str(request.target)], reading=reading)
    if isinstance(new, str | Path):
        new = read_table(new, **reading.options)
    if test is not None and request.target is not None:
        _check_target(test, request.target)  # before a model is learned
    checked = check_trees(request.trees)
    model = learn_global(
        checked.trees,
        model=request.model,
        rows=request.rows,
        labels=request.labels,
        absent=request.absent,
        randomness=_randomness(request.seed),
    )
    notes = [*checked.notes, _origin(model)]
    if model.owners > 1:
        notes.append(
            "the same person may be in several owners' trees, and several trees together tell more than one: each "
            "promise holds for its own tree only"
        )
    trial = None
    if test is not None and request.target is not None:
        trial = try_model(model, checked.trees, test, target=request.target)
        notes.append(f"tried on {trial.records:,} records")
        notes += _strange_values(checked.trees, test)
    predicted = None if new is None else predict_classes(model, checked.trees, new)
    notes += [] if new is None else _strange_values(checked.trees, new)

    def write_tree(path: Path, overwrite: bool) -> str:
        from confide.core.files import write_text

        write_text(path, model.tree_.to_json(indent=2) + "\n", replace=overwrite)
        return f"the tree is in {path}; it is learned, not released, and carries no promise"

    return Learned(
        model=model,
        trees=checked.trees,
        trial=trial,
        predicted=predicted,
        answer=model,
        notes=tuple(notes),
        rows=tuple if trial is None else trial.rows,
        title="How often each is right",
        save=None if predicted is None else _table_writer(predicted),
        files={"tree": write_tree},
    )


def try_model(model: GlobalModel, trees: tuple[PublishedTree, ...], frame: Any, *, target: str) -> LearningTrial:
    """Ask a model, and the trees it comes from, about records whose class, in the column `target`, is known."""
    _check_target(frame, target)
    X, y, _ = _domains(trees, target).columns(frame)
    if len(y) == 0:
        raise InputError("there is no record to try the model on")
    return LearningTrial(
        records=len(y),
        model=model.score(X, y),
        committee=Bagging(trees).score(X, y),
        alone=tuple(Bagging([tree]).score(X, y) for tree in trees),
        guessing=max(Counter(map(str, y)).values()) / len(y),
    )


def predict_classes(
    model: GlobalModel, trees: tuple[PublishedTree, ...], frame: Any, *, column: str = "predicted"
) -> "pa.Table":
    """The table with the predicted class as a further column."""
    import pyarrow as pa

    from confide.core.tables.frames import to_table

    table = to_table(frame)
    if column in table.column_names:
        raise InputError(f"there is a column {column!r} already; name another for the prediction")
    classes = np.asarray(model.predict(_domains(trees, "").typed(table))).astype(str)
    return table.append_column(column, pa.array(classes.tolist(), pa.string()))


def _strange_values(trees: tuple[PublishedTree, ...], frame: Any) -> list[str]:
    """A line for each attribute with values in this frame that are not in its domain: how many records hold them."""
    from confide.core.tables.frames import to_table

    table, said = to_table(frame), []
    for attribute in trees[0].attributes:
        if attribute.kind != "categorical" or attribute.name not in table.column_names:
            continue
        values = table.column(attribute.name).to_pylist()
        strange = sum(value is not None and str(value) not in attribute.values for value in values)
        if strange:
            said.append(
                f"{strange:,} of {table.num_rows:,} records hold a value of {attribute.name!r} that the trees do not "
                "know; where a question asks about it, the commonest class there is taken"
            )
    return said


def _check_target(frame: Any, target: str) -> None:
    from confide.core.tables.frames import to_table

    names = to_table(frame).column_names
    if target not in names:
        raise InputError(f"no column {target!r}; columns are: {', '.join(names)}")


def _origin(model: GlobalModel) -> str:
    if model.rows:
        return f"learned from {model.rows:,} pseudo-records of {model.owners} trees"
    return "one tree alone needs no pseudo-data: it is the model"


def _domains(trees: tuple[PublishedTree, ...], target: str) -> Domains:
    return Domains(target=target, classes=trees[0].classes, attributes=trees[0].attributes)


def _randomness(seed: int | None) -> Randomness | None:
    return None if seed is None else Randomness.seeded(seed)


def _table_writer(table: "pa.Table") -> Writer:
    def save(path: Path, overwrite: bool) -> str:
        from confide.core.tables.frames import write_table

        write_table(table, path, replace=overwrite)
        return f"written to {path}"

    return save
