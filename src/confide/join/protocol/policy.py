"""What a site's owner allows: columns nobody may learn from, records behind an entry, kinds of messages, how often."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, field_validator

from confide.core.errors import CannotMeetError
from confide.core.requirements.base import exact
from confide.join.graph.certainty import Certain
from confide.join.protocol.verbs import KINDS

__all__ = ["Policy"]


class Policy(BaseModel):
    """A site's policy, from its configuration or a file of its own.

    forbid       columns the tree may not split on; a join column among them still joins, the class cannot be one.
    min_records  the least number of this table's records behind everything that leaves: at the root and at each node,
                 all together, of each class there, and of each join value there; in each entry of a summary, and, where
                 the classes are another site's, of each class in it. None is allowed, too few are not: a run that would
                 need a smaller number ends with the reason. A larger one reveals less about single records, and stops
                 more runs. An entry whose records are all of one class still reveals the class of each.
    allow        kinds of messages this site sends and takes; leave out "scores" to force hidden gains,
                 "hidden-scores" to take part in none, or "prediction-ids" to answer no predictions.
    certain_classes   the share of people, from 0 (the default) to 1, whose class, or side of a hidden split, a
                 neighbour may be able to tell for certain from what this site sends it (`certainty` says how people
                 are counted). What the owner of the target says holds for all sites of a run: it travels with the class
                 summaries, from site to site. Another site that says a smaller share keeps to its own; one that says
                 none follows the target's. A run that would need a larger share stops before the summary leaves.
    certain_sides     the same share for sides of hidden splits alone, where the owner of the split columns wants
                 another one than for classes; None: as certain_classes. A unique join value is on one side of a split.
    max_depth    the deepest tree this site helps to grow, whatever the coordinator asks for; None for any.
    min_leaf     the least min_leaf of a run this site takes part in.
    max_classes  the most classes of a run; others could make a class of each person.
    max_key_ratio     how many times as many join values as this table a neighbour may bring to an intersection; one
                 that lists every value there can be would learn which of them are here.
    intersections     what a neighbour may ask for outside a run: "none", the "size" of the intersection of join values,
                 or the "values" both have. The size is told if it is min_records at least.
    max_intersections how many such questions each neighbour may put, or be put by this site; None for any number. Two
                 that differ in one value show whether that value is here.
    max_runs     how many runs the coordinator may begin here, resumed ones counted again; None for any number. What
                 one run does not show about a person, the difference of two may.
    max_predictions   how many branches the coordinator may ask for, a record at a node being one; None for any number.
    strict       refuse a kind that is not allowed (default); otherwise it is only marked in the site's log.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    forbid: list[str] = []
    min_records: int = Field(default=1, ge=1)
    allow: list[str] = list(KINDS)
    strict: bool = True
    certain_classes: float = Field(default=0.0, ge=0, le=1)
    certain_sides: float | None = Field(default=None, ge=0, le=1)
    max_depth: int | None = Field(default=None, ge=1)
    min_leaf: int = Field(default=1, ge=1)
    max_classes: int = Field(default=100, ge=2)
    max_key_ratio: float = Field(default=10.0, ge=1)
    intersections: Literal["none", "size", "values"] = "none"
    max_intersections: int | None = Field(default=None, ge=0)
    max_runs: int | None = Field(default=None, ge=0)
    max_predictions: int | None = Field(default=None, ge=0)

    @field_validator("allow")
    @classmethod
    def _check_kinds(cls, kinds: list[str]) -> list[str]:
        unknown = [kind for kind in kinds if kind not in KINDS]
        if unknown:
            raise ValueError(f"no kind {unknown[0]!r}; kinds are: {', '.join(KINDS)}")
        return kinds

    def refuses(self, kind: str) -> bool:
        """Whether a message of this kind must not pass."""
        # Without these a site could not even say why it stops.
        return self.strict and kind not in self.allow and kind not in ("error", "heartbeat", "control")

    def check_kind(self, kind: str, *, owner: str) -> None:
        """Stop what would send or take a message of a kind that must not pass."""
        if self.refuses(kind):
            raise CannotMeetError(f"the policy of {owner} allows no message of kind {kind!r}")

    def check_run(self, *, max_depth: int | None, min_leaf: int, owner: str) -> None:
        """Refuse a run that would grow a deeper tree, or one with smaller leaves, than the owner allows."""
        cure: dict[str, int] = {}
        faults = []
        if self.max_depth is not None and (max_depth is None or max_depth > self.max_depth):
            asked = "has no max_depth" if max_depth is None else f"has max_depth {max_depth}"
            faults.append(f"allows max_depth {self.max_depth} at most, but the run {asked}")
            cure["max_depth"] = self.max_depth
        if min_leaf < self.min_leaf:
            faults.append(f"asks for min_leaf {self.min_leaf} at least, but the run has {min_leaf}")
            cure["min_leaf"] = self.min_leaf
        if faults:
            raise CannotMeetError(
                f"the policy of {owner} {' and '.join(faults)}", parameter=next(iter(cure)), cures=[cure]
            )

    def allowed_classes(self, target: float | None) -> float:
        """The share of classes a neighbour may tell; `target` is the bound of the target's owner, None at the target.

        Not to say a share at another site than the target is to follow the target's; to say one can only lower it.
        """
        if target is None:
            return self.certain_classes
        return min(target, self.certain_classes) if "certain_classes" in self.model_fields_set else target

    def check_certain(self, found: Certain, *, classes: float, at_target: bool) -> None:
        """Stop before a summary leaves from which a neighbour could tell more for certain than is allowed.

        `classes` is the share that `allowed_classes` gave for the run.
        """
        where = found.sender if at_target else "the target"
        if not at_target and "certain_classes" in self.model_fields_set and self.certain_classes < found.class_share:
            where = f"the target and of {found.sender}"
        for share, most, name, owner, what in (
            (found.class_share, classes, "certain_classes", where, found.of_classes),
            (found.side_share, self.allowed_sides(classes), "certain_sides", found.sender, found.of_sides),
        ):
            if share > exact(most):
                raise CannotMeetError(
                    f"{found.sender} stops before a summary to {found.receiver} leaves: {found.receiver} could tell "
                    f"for certain {what}, and a share of {most:.4g} is allowed; join on coarser values, or, if "
                    f"{found.receiver} may know this, say {name} = {_round_up(share)} in [policy] of {owner}: then "
                    "this summary leaves (1.0: every summary)"
                )

    def allowed_sides(self, classes: float) -> float:
        """The share of sides of hidden splits a neighbour may tell, in a run that allows this share of classes."""
        return classes if self.certain_sides is None else self.certain_sides

    def check_intersection(self, *, size_only: bool, owner: str) -> None:
        """Refuse an intersection outside a run that the owner does not allow."""
        if self.intersections == "none" or (self.intersections == "size" and not size_only):
            allowed = "none" if self.intersections == "none" else "their size only"
            raise CannotMeetError(
                f"the policy of {owner} allows no such intersection outside a run ({allowed}); "
                f'its owner can say intersections = "{"size" if size_only else "values"}"'
            )

    def check_classes(self, classes: int, *, owner: str) -> None:
        """Refuse a run of more classes than the owner allows."""
        if classes > self.max_classes:
            raise CannotMeetError(
                f"the policy of {owner} allows {self.max_classes:,} classes at most, but the run has {classes:,}"
            )

    def check_behind(self, records: NDArray[Any] | Sequence[int], *, kind: str, receiver: str) -> None:
        """Stop the run if an entry of a summary would stand on fewer own records than `min_records`.

        `records` are the numbers of own records in the entries that are not empty.
        """
        behind = np.asarray(records)
        if self.min_records <= 1 or behind.size == 0:
            return
        few = int(np.count_nonzero(behind < self.min_records))
        if few:
            raise CannotMeetError(
                f"the policy asks for entries of at least {self.min_records} records, but {few:,} of {behind.size:,} "
                f"entries of a {kind} to {receiver} would have fewer"
            )


def _round_up(share: Fraction) -> str:
    """The share rounded up to four decimals, so that it allows what was counted."""
    return repr(math.ceil(share * 10_000) / 10_000)
