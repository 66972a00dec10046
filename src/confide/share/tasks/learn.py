"""A global model from several owners' trees, tried on records whose classes are known, used on those whose are not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from confide.core.errors import InputError
from confide.core.randomness import Randomness
from confide.core.trees.published import PublishedTree
from confide.share.bagging import Bagging
from confide.share.domains import Domains
from confide.share.generation.pseudo_data import Absent
from confide.share.global_model import GlobalModel, Labels, learn_global

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TREE_CAVEAT", "Learned", "LearningRequest", "Trial", "check_target", "learn", "predicted", "tried"]

TREE_CAVEAT = "it is learned, not released, and carries no promise"
"""What to say wherever the tree of a global model is written."""


@dataclass(frozen=True, kw_only=True)
class LearningRequest:
    """What to learn; the fields are those of `learn_global`. `seed` repeats a run."""

    model: Any = "tree"
    rows: int | float | None = None
    labels: Labels = "voted"
    absent: Absent = "marginals"
    seed: int | None = None


@dataclass(frozen=True, kw_only=True)
class Learned:
    """The model, the trees it comes from, and notes for whoever uses it."""

    model: GlobalModel
    trees: tuple[PublishedTree, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Trial:
    """How often each is right on the same records: the global model, the committee of all trees, each tree alone."""

    records: int
    model: float
    committee: float
    alone: tuple[float, ...]

    def rows(self) -> list[dict[str, Any]]:
        """For printing: who, and the share that was right."""
        named = [("global model", self.model), ("all trees voting", self.committee)]
        named += [(f"tree {i} alone", share) for i, share in enumerate(self.alone, start=1)]
        return [{"who": who, "right": round(share, 4)} for who, share in named]


def learn(trees: Sequence[PublishedTree], request: LearningRequest) -> Learned:
    """Learn one model from these trees."""
    randomness = None if request.seed is None else Randomness.seeded(request.seed)
    model = learn_global(
        trees,
        model=request.model,
        rows=request.rows,
        labels=request.labels,
        absent=request.absent,
        randomness=randomness,
    )
    notes = [
        f"learned from {model.rows:,} pseudo-records of {model.owners} trees"
        if model.rows
        else "one tree alone needs no pseudo-data: it is the model"
    ]
    if model.owners > 1:
        notes.append(
            "the same person may be in several owners' trees, and several trees together tell more than one: each "
            "promise holds for its own tree only"
        )
    return Learned(model=model, trees=tuple(trees), notes=tuple(notes))


def check_target(frame: Any, target: str) -> None:
    """Refuse records without the column of their class; asked before a model is learned, too."""
    from confide.core.tables.frames import to_table

    names = to_table(frame).column_names
    if target not in names:
        raise InputError(f"no column {target!r}; columns are: {', '.join(names)}")


def tried(learned: Learned, frame: Any, *, target: str) -> Trial:
    """Ask the model about records whose class, in the column `target`, is known."""
    check_target(frame, target)
    domains = _domains(learned, target)
    X, y, _ = domains.columns(frame)
    if len(y) == 0:
        raise InputError("there is no record to try the model on")
    alone = tuple(Bagging([tree]).score(X, y) for tree in learned.trees)
    committee = Bagging(learned.trees).score(X, y)
    return Trial(records=len(y), model=learned.model.score(X, y), committee=committee, alone=alone)


def predicted(learned: Learned, frame: Any, *, column: str = "predicted") -> "pa.Table":
    """The table with the predicted class as a further column."""
    import pyarrow as pa

    from confide.core.tables.frames import to_table

    table = to_table(frame)
    if column in table.column_names:
        raise InputError(f"there is a column {column!r} already; name another for the prediction")
    X = _domains(learned, "").typed(table)
    classes = np.asarray(learned.model.predict(X)).astype(str)
    return table.append_column(column, pa.array(classes.tolist(), pa.string()))


def _domains(learned: Learned, target: str) -> Domains:
    first = learned.trees[0]
    return Domains(target=target, classes=first.classes, attributes=first.attributes)
