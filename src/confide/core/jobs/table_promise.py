"""What is asked of a table, for every job that asks it: `k`, `l`, `t` and the others, and the requirement they make.

A number may be several values: a job that explores tries every combination, any other refuses them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from confide.core.errors import RequestError
from confide.core.jobs.fields import PROMISE, setting
from confide.core.jobs.kinds import ChoiceKind, Kind, NumbersByColumn, PerColumn, SharesByColumn, Trials, Wholes
from confide.core.jobs.promised_columns import Asked
from confide.core.jobs.request import Request

if TYPE_CHECKING:
    from confide.core.requirements.tables import TableRequirement
    from confide.core.tables.schema import Schema

__all__ = ["RequirementObject", "TablePromise"]

_DIVERSITIES = ("simple", "distinct", "entropy", "recursive")


class RequirementObject(Kind):
    """A requirement as an object; in a file as passports write it."""

    name = "requirement"
    metavar = "REQUIREMENT"

    def parse(self, text: str) -> Any:
        raise ValueError("is not a requirement")

    def check(self, value: Any) -> Any:
        from confide.core.requirements.base import Requirement

        if isinstance(value, Mapping):
            return Requirement.from_dict(dict(value))
        if not isinstance(value, Requirement):
            raise ValueError("is not a requirement, such as KAnonymity(k=5)")
        return value

    def plain(self, value: Any) -> Any:
        return value.to_dict()


@dataclass(frozen=True, kw_only=True)
class TablePromise(Request):
    """What a table must keep: all of what is given, or in Python a `requirement` as an object instead.

    >>> TablePromise(k=5, l=3).requirement_asked()
    AllOf(parts=(KAnonymity(k=5), SimpleDiversity(l=3)))
    """

    SEVERAL: ClassVar[str] = "use one"
    k: Wholes | None = setting(None, group=PROMISE, help="Fewest rows (or persons) that look alike.")
    diversity: Annotated[Any, PerColumn(ChoiceKind(_DIVERSITIES))] | None = setting(
        None, group=PROMISE, help=f"What --l means: {', '.join(_DIVERSITIES)} [simple]."
    )
    l: NumbersByColumn | None = setting(  # noqa: E741 - the paper's letter
        None,
        group=PROMISE,
        help="How diverse sensitive values are in a group: a larger l tells less. COLUMN=VALUE is for one column, a "
        "bare value for those without one of their own; so with the numbers below.",
    )
    c: NumbersByColumn | None = setting(
        None,
        group=PROMISE,
        help="With recursive diversity: how far the commonest value may outweigh the rare.",
        when={"diversity": "recursive"},
    )
    alpha: SharesByColumn | None = setting(
        None, group=PROMISE, help="With --k: largest share of a group with one sensitive value."
    )
    t: SharesByColumn | None = setting(
        None, group=PROMISE, help="Largest distance of a group's sensitive values from the whole release."
    )
    ordered: bool = setting(
        False, group=PROMISE, help="With --t: values stand in an order, near ones are nearly alike."
    )
    beta: NumbersByColumn | None = setting(
        None, group=PROMISE, help="Largest relative gain of a sensitive value in a group."
    )
    enhanced: bool = setting(False, group=PROMISE, help="With --beta: bind common values more tightly.")
    delta: NumbersByColumn | None = setting(
        None, group=PROMISE, help="Bound on |ln(share in a group / share in the release)|."
    )
    others_known: bool = setting(
        False, group=PROMISE, help="Even to someone who knows a person's other sensitive values."
    )
    requirement: Annotated[Any, Trials(RequirementObject())] = setting(
        None, in_python=True, help="The requirement as an object, in place of its numbers."
    )

    def check(self) -> None:
        super().check()
        self.requirements_asked()

    def requirements_asked(self, schema: "Schema | None" = None) -> "list[TableRequirement]":
        """Every combination of the values given, each as one requirement; empty where nothing is asked.

        With the `schema`, what it requires of its columns is asked, too, and a bare number is asked of the sensitive
        columns that have none of their own. Without it the answer is good for checks only, if columns are named.
        """
        several = {name: getattr(self, name) for name in _NAMES}
        if self.requirement is not None:
            given = [name for name, value in several.items() if value not in (None, False)]
            if given:
                raise RequestError(given[0], several[given[0]], "is part of the requirement; leave out one of them")
            return list(self.requirement) if isinstance(self.requirement, tuple) else [self.requirement]
        choices = {
            (name, column): value if isinstance(value, tuple) else (value,)
            for name, values in several.items()
            for column, value in (values if isinstance(values, Mapping) else {PerColumn.ALL: values}).items()
        }
        combinations = (
            Asked({key: value for key, value in zip(choices, values, strict=True) if value is not None}, schema)
            for values in product(*choices.values())
        )
        return [requirement for asked in combinations if (requirement := asked.requirement()) is not None]

    def requirement_asked(self, schema: "Schema | None" = None) -> "TableRequirement | None":
        """The requirement, of a job that takes one; None where nothing is asked."""
        for name in (*_NAMES, "requirement"):
            value = getattr(self, name)
            if any(isinstance(part, tuple) for part in (value.values() if isinstance(value, Mapping) else (value,))):
                raise RequestError(name, value, f"is more than one value; {self.SEVERAL}")
        requirements = self.requirements_asked(schema)
        return requirements[0] if requirements else None


_NAMES = tuple(field.name for field in fields(TablePromise) if field.name != "requirement")
