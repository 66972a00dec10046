"""Which scheme fits a file, or a frame: columns that can be fields are found, the others named."""

from dataclasses import dataclass

from confide.collect.jobs.plan_domain import promised, usable_fields
from confide.collect.jobs.plan_study import error_chart, study_of
from confide.collect.jobs.record_files import read_records
from confide.collect.jobs.requests import CollectPlan
from confide.collect.planning.scheme_choice import Description, describe
from confide.core.errors import UsageError
from confide.core.figures import Study
from confide.core.jobs.outcome import Outcome
from confide.core.transactions.container import Transactions

__all__ = ["DESCRIBING", "Described", "describe_file"]


USUAL_SUPPORT = 0.02
DESCRIBING = frozenset(
    (
        "describe",
        "gamma",
        "rho1",
        "rho2",
        "epsilon",
        "support",
        "records",
        "max_length",
        "columns",
        "kind",
        "bins",
        "values",
    )
)
"""The settings of a plan that count when a file is described."""


@dataclass(frozen=True, kw_only=True)
class Described(Outcome):
    """The description; its reasons, and what to know about how the data were read, are in the notes."""

    description: Description

    def __post_init__(self) -> None:
        derived = {"answer": self.description, "document": self.description.to_dict(), "page": self.study}
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    def study(self) -> Study:
        """The description as a page; private, since records were looked at."""
        charts = (error_chart(self.description),)
        return study_of("Which scheme fits", self.description.to_dict(), charts, private=True)


def describe_file(request: CollectPlan) -> Described:
    """Say which scheme fits `request.describe`; a table's columns that cannot be fields are left out."""
    data, notes = read_records(request.describe, columns=request.columns, kind=request.kind, reading=request.reading())
    known = None
    if isinstance(data, Transactions):
        if request.bins or request.values:
            raise UsageError("bins and values are for tables; the file holds records of items")
    else:
        known, said = usable_fields(data, columns=request.columns, bins=request.bins or {}, values=request.values or {})
        notes += said
    found = describe(
        data,
        gamma=promised(request.gamma, request.rho1, request.rho2, request.epsilon).gamma,
        support=USUAL_SUPPORT if request.support is None else request.support,
        records=request.records,
        fields=known,
        max_length=request.max_length,
    )
    return Described(description=found, notes=(*notes, *found.reasons))
