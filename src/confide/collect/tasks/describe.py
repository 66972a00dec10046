"""Which scheme fits a file, or a frame: columns that can be fields are found, the others named."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from confide.collect.planning.scheme_choice import Description, describe
from confide.collect.tasks.plan_domain import promised, usable_fields
from confide.collect.tasks.record_files import read_records
from confide.collect.tasks.study import error_chart, study_of
from confide.core.errors import UsageError
from confide.core.figures import Study
from confide.core.transactions.container import Transactions

__all__ = ["DescribeRequest", "Described", "describe_file"]


@dataclass(frozen=True, kw_only=True)
class DescribeRequest:
    """Which data, and for which promise: gamma, epsilon, or rho1 and rho2 (default gamma 19).

    `data` is a file, `Transactions` or a frame; `columns`, `kind`, `bins` and `values` say how to read it. `support` is
    the share an itemset of interest has, `records` how many will be collected, `max_length` the longest record.
    """

    data: Any
    gamma: float | None = None
    rho1: float | None = None
    rho2: float | None = None
    epsilon: float | None = None
    support: float = 0.02
    records: int | None = None
    max_length: int | None = None
    columns: Sequence[str] | None = None
    kind: str | None = None
    bins: Mapping[str, Sequence[float]] = field(default_factory=dict)
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Described:
    """The description, and what to know about how the data were read, with its reasons."""

    description: Description
    notes: tuple[str, ...]

    def study(self) -> Study:
        """The description as a page; private, since records were looked at."""
        charts = (error_chart(self.description),)
        return study_of("Which scheme fits", self.description.to_dict(), charts, private=True)


def describe_file(request: DescribeRequest) -> Described:
    """Say which scheme fits the data under the promise; a table's columns that cannot be fields are left out."""
    data, notes = read_records(request.data, columns=request.columns, kind=request.kind)
    known = None
    if isinstance(data, Transactions):
        if request.bins or request.values:
            raise UsageError("bins and values are for tables; the file holds records of items")
    else:
        known, said = usable_fields(data, columns=request.columns, bins=request.bins, values=request.values)
        notes += said
    found = describe(
        data,
        gamma=promised(request.gamma, request.rho1, request.rho2, request.epsilon).gamma,
        support=request.support,
        records=request.records,
        fields=known,
        max_length=request.max_length,
    )
    return Described(description=found, notes=(*notes, *found.reasons))
