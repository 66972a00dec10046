"""What is asked of a table, for every job that asks it: `k`, `l`, `t` and the others, and the requirement they make.

A number may be several values: a job that explores tries every combination, any other refuses them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from confide.core.errors import RequestError, UsageError
from confide.core.jobs.fields import setting
from confide.core.jobs.kinds import Kind, Numbers, Shares, Trials, Wholes
from confide.core.jobs.request import Request

if TYPE_CHECKING:
    from confide.core.requirements.tables import TableRequirement

__all__ = ["RequirementObject", "TablePromise"]

_PROMISE = "What must hold"


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
    k: Wholes | None = setting(None, group=_PROMISE, help="Fewest rows (or persons) that look alike.")
    diversity: Literal["simple", "distinct", "entropy", "recursive"] | None = setting(
        None, group=_PROMISE, help="What --l means [simple]."
    )
    l: Numbers | None = setting(  # noqa: E741 - the paper's letter
        None, group=_PROMISE, help="How diverse sensitive values are in a group: a larger l tells less."
    )
    c: Numbers | None = setting(
        None,
        group=_PROMISE,
        help="With recursive diversity: how far the commonest value may outweigh the rare.",
        when={"diversity": "recursive"},
    )
    alpha: Shares | None = setting(
        None, group=_PROMISE, help="With --k: largest share of a group with one sensitive value."
    )
    t: Shares | None = setting(
        None, group=_PROMISE, help="Largest distance of a group's sensitive values from the whole release."
    )
    ordered: bool = setting(
        False, group=_PROMISE, help="With --t: values stand in an order, near ones are nearly alike."
    )
    beta: Numbers | None = setting(None, group=_PROMISE, help="Largest relative gain of a sensitive value in a group.")
    enhanced: bool = setting(False, group=_PROMISE, help="With --beta: bind common values more tightly.")
    delta: Numbers | None = setting(
        None, group=_PROMISE, help="Bound on |ln(share in a group / share in the release)|."
    )
    others_known: bool = setting(
        False, group=_PROMISE, help="Even to someone who knows a person's other sensitive values."
    )
    requirement: Annotated[Any, Trials(RequirementObject())] = setting(
        None, in_python=True, help="The requirement as an object, in place of its numbers."
    )

    def check(self) -> None:
        super().check()
        self.requirements_asked()

    def requirements_asked(self) -> "list[TableRequirement]":
        """Every combination of the values given, each as one requirement; empty where nothing is asked."""
        several = {name: getattr(self, name) for name in _NAMES}
        if self.requirement is not None:
            given = [name for name, value in several.items() if value not in (None, False)]
            if given:
                raise RequestError(given[0], several[given[0]], "is part of the requirement; leave out one of them")
            return list(self.requirement) if isinstance(self.requirement, tuple) else [self.requirement]
        choices = [value if isinstance(value, tuple) else (value,) for value in several.values()]
        combinations = (_joined(**dict(zip(several, values, strict=True))) for values in product(*choices))
        return [requirement for requirement in combinations if requirement is not None]

    def requirement_asked(self) -> "TableRequirement | None":
        """The requirement, of a job that takes one; None where nothing is asked."""
        for name in (*_NAMES, "requirement"):
            if isinstance(getattr(self, name), tuple):
                raise RequestError(name, getattr(self, name), f"is more than one value; {self.SEVERAL}")
        requirements = self.requirements_asked()
        return requirements[0] if requirements else None


_NAMES = tuple(field.name for field in fields(TablePromise) if field.name != "requirement")


def _joined(
    *,
    k: int | None,
    diversity: str | None,
    l: float | None,  # noqa: E741 - the paper's letter
    c: float | None,
    alpha: float | None,
    t: float | None,
    ordered: bool,
    beta: float | None,
    enhanced: bool,
    delta: float | None,
    others_known: bool,
) -> "TableRequirement | None":
    """All that is asked for, joined by `&`; `l` without a `diversity` means the simple one."""
    from confide.core.requirements import tables

    if l is None and (diversity or c is not None):
        raise UsageError(
            f"diversity={diversity or 'recursive'} needs l=, the number of sensitive values", parameter="l"
        )
    if (c is not None) != (diversity == "recursive"):
        raise UsageError("c= goes with diversity=recursive, and that with c=", parameter="c", value=c)
    if alpha is not None and k is None:
        raise UsageError(f"alpha={alpha:g} goes with k=; give both", parameter="alpha", value=alpha)
    if ordered and t is None:
        raise UsageError("ordered goes with t=; give both", parameter="ordered", value=True)
    if enhanced and beta is None:
        raise UsageError("enhanced goes with beta=; give both", parameter="enhanced", value=True)
    sensitive: list[TableRequirement] = []
    if alpha is not None and k is not None:
        sensitive.append(tables.AlphaK(alpha=alpha, k=k))
    if l is not None:
        sensitive.append(_diversity(diversity or "simple", l, c))
    if t is not None:
        sensitive.append(tables.TCloseness(t=t, ordered=ordered))
    if beta is not None:
        sensitive.append(tables.BetaLikeness(beta=beta, enhanced=enhanced))
    if delta is not None:
        sensitive.append(tables.DeltaDisclosure(delta=delta))
    if others_known and not sensitive:
        raise UsageError(
            "with other values known, something must be asked of sensitive values: give l= or t=",
            parameter="others_known",
            value=True,
        )
    parts: list[TableRequirement] = [tables.KAnonymity(k=k)] if k is not None and alpha is None else []
    parts += [tables.OthersKnown(of=part) for part in sensitive] if others_known else sensitive
    return tables.all_of(*parts) if parts else None


def _diversity(kind: str, l: float, c: float | None) -> "TableRequirement":  # noqa: E741 - the paper's letter
    from confide.core.requirements import tables

    if kind == "entropy":
        return tables.EntropyDiversity(l=l)
    whole: Any = int(l) if l == int(l) else l  # the requirement says what is wrong with 2.5
    if kind == "recursive":
        assert c is not None
        return tables.RecursiveDiversity(c=c, l=whole)
    return tables.SimpleDiversity(l=whole) if kind == "simple" else tables.DistinctDiversity(l=whole)
