"""A scheme and its parameters for a promise: one planner for each name of a scheme."""

import math
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from confide.collect.designs.sampled_design import SampledDesign
from confide.collect.estimating.forecasts import cut_error, flip_error
from confide.collect.fields.field import Bins
from confide.collect.jobs.describe import DESCRIBING, describe_file
from confide.collect.jobs.plan_domain import PlanDomain, Promised, domain_of, plan_asked, promised, rare_items
from confide.collect.jobs.plan_study import rise_chart, study_of
from confide.collect.jobs.record_files import read_records
from confide.collect.jobs.requests import CollectPlan
from confide.collect.perturbed_release import weaknesses
from confide.collect.planning.charts import promise_charts
from confide.collect.planning.emask_goals import GOALS
from confide.collect.planning.emask_plan import EmaskPlan, plan_emask
from confide.collect.planning.scheme_choice import LONGEST
from confide.collect.planning.strict_plans import GammaPlan, plan_columns, plan_cut_and_paste, plan_mask
from confide.collect.schemes.cut_and_paste import CutAndPaste
from confide.collect.schemes.promise import gamma_words, is_weak
from confide.collect.schemes.scheme import Scheme
from confide.collect.survey.questions import survey_domains
from confide.collect.survey.survey_file import read_survey
from confide.core.bounds import at_most
from confide.core.errors import UsageError
from confide.core.figures import Chart, Shown, Study
from confide.core.jobs.fields import fields_of
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.jobs.records import FileReading
from confide.core.transactions.container import Transactions

__all__ = ["Planned", "plan"]

SUPPORT = 0.02  # of the itemset whose standard errors a plan states
_WORTH_SAYING = 1.2  # times the error


@dataclass(frozen=True, kw_only=True)
class Planned(Outcome, Shown):
    """The plan: `answer` fit for JSON, `scheme` where fields or items are known, and `notes` for the person.

    `published` are notes that matter once the scheme file is handed out; `draw` makes the charts of its page.
    """

    name: str
    scheme: Scheme | None
    published: tuple[str, ...]
    private: bool
    draw: Callable[[], tuple[Chart, ...]] = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        derived = {"document": self.answer, "page": self.study, "save": self._write}
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    def to_dict(self) -> dict[str, Any]:
        """What was planned, and its notes."""
        return {"scheme": self.name, **self.answer, "notes": list(self.notes)}

    def bound_scheme(self) -> Scheme:
        """The scheme, fit for a file; refused where neither fields nor items are known."""
        if self.scheme is None:
            raise UsageError(
                "a scheme file needs the fields or items it is for; declare fields by their values and bins, or name a "
                "file as sample"
            )
        return self.scheme

    def study(self) -> Study:
        """The plan as a page."""
        return study_of(f"A plan: {self.name}", self.answer, self.draw(), private=self.private)

    def _write(self, path: Path, replace: bool) -> str:
        """Write the scheme file, and say what becomes public with it."""
        scheme = self.bound_scheme()
        scheme.write(path, replace=replace)
        return "\n".join((*self.published, f"scheme written to {path} (sha256 {scheme.fingerprint[:16]}...)"))


@dataclass(frozen=True, kw_only=True)
class _Found:
    """What a planner found; `errors` forecasts standard errors for so many records."""

    scheme: Scheme | None
    answer: Mapping[str, Any]
    errors: Callable[[int], Mapping[str, float]]
    notes: tuple[str, ...] = ()


def plan(request: CollectPlan, host: Host = QUIET) -> Outcome:
    """Choose a scheme's parameters for a promise, or for goals: `Planned`. With `describe` say which scheme fits.

    Raises CannotMeetError, with the nearest setting that works, when the promise or a hard goal cannot be had. Goals
    that are not hard are wishes: a plan that misses some says so in its notes.

    >>> planned = plan(CollectPlan(rho1=0.05, rho2=0.5, values={"sex": ["f", "m"], "ill": ["no", "yes"]}))
    >>> planned.answer["gamma"], planned.scheme.cells
    (19.0, 4)
    >>> planned.notes
    ("an answer shifts anyone's odds by at most a factor of 19",)
    """
    if request.describe is not None:
        _refuse_idle(request, DESCRIBING, "describe=")
        return describe_file(request)
    if request.survey is not None:
        request = _with_questions(request, request.survey)
    if request.people is not None or request.within is not None:
        _refuse_idle(request, _ASKED, "a plan for people= or within=")
        return Planned(**plan_asked(request))
    _refuse_idle(request, _USED[request.name], f"a plan of {request.name}")
    return _emask(request) if request.name not in _PLANNERS else _strict(request)


def _with_questions(request: CollectPlan, survey: Path) -> CollectPlan:
    """The same request with the fields and values of a survey's questions."""
    domains = survey_domains(read_survey(survey))
    bins = {name: domain.edges for name, domain in domains.items() if isinstance(domain, Bins)}
    values = {name: tuple(domain) for name, domain in domains.items() if not isinstance(domain, Bins)}
    return replace(request, survey=None, values=values or None, bins=bins or None)


def _refuse_idle(request: CollectPlan, used: AbstractSet[str], what: str) -> None:
    """Refuse what would change nothing: a caller who gives it expects it to count."""
    how_to_read = {field.name for field in fields_of(FileReading)}
    for option in fields_of(CollectPlan):
        given = getattr(request, option.name)
        if given not in (None, ()) and option.name not in used | how_to_read:
            raise UsageError(f"{what} does not use {option.name}=; leave it out")
    if request.describe is not None:
        return
    for name in ("columns", "kind"):
        if getattr(request, name) is not None and request.sample is None:
            raise UsageError(f"{name} says how to read a file; name one as sample")


# -- strict promises ---------------------------------------------------------------------------------------------------


def _strict(request: CollectPlan) -> Planned:
    promise = promised(request.gamma, request.rho1, request.rho2, request.epsilon)
    domain = domain_of(request)
    if domain.fields is not None and (request.fields is not None or request.max_length is not None):
        raise UsageError("the fields say how many there are; leave out fields and max_length")
    found = _PLANNERS[request.name](request, domain, promise)
    answer = {"scheme": request.name, **promise.given, "epsilon": math.log(promise.gamma), **found.answer}
    if request.records is not None:
        answer["standard_error_by_length"] = found.errors(request.records)
    said = f"an answer shifts anyone's odds by at most a factor of {at_most(promise.gamma)}"
    return Planned(
        name=request.name,
        scheme=found.scheme,
        answer=answer,
        draw=lambda: _charts(found.scheme, promise.gamma, request.records or _rows(domain)),
        notes=(*domain.notes, said, *found.notes, *_less_noise(domain, promise.gamma, found)),
        published=domain.published,
        private=domain.sample is not None,
    )


def _less_noise(domain: PlanDomain, gamma: float, found: _Found) -> tuple[str, ...]:
    """How much less single answers err under the same gamma, where each person is asked for one field."""
    if domain.fields is None or len(domain.fields) == 1:
        return ()
    single = SampledDesign(domains=domain.fields, gamma=gamma, size=1)
    times = found.errors(1)["1"] / single.standard_error(length=1, support=SUPPORT, records=1)
    if times < _WORTH_SAYING:
        return ()
    said = (
        f"single answers would err {times:.{int(times < 10)}f} times less under the same promise if each person were "
        "asked for one field; for the best plan say how many people there are (people=), or how near supports must "
        "come (within=)"
    )
    return (said,)


def _rows(domain: PlanDomain) -> int | None:
    return None if domain.sample is None else len(domain.sample)


def _charts(scheme: Scheme | None, gamma: float, records: int | None) -> tuple[Chart, ...]:
    return (rise_chart(gamma),) if scheme is None or records is None else promise_charts(scheme, records)


def _gamma_diagonal(request: CollectPlan, domain: PlanDomain, promise: Promised) -> _Found:
    if domain.items is not None:
        raise UsageError("gamma-diagonal is for tables of fields; for records of items plan mask or emask")
    planned = GammaPlan(gamma=promise.gamma, rho1=request.rho1 or 0.05, rho2=request.rho2 or 0.5)
    known = domain.fields
    if known is None:
        if request.records is not None:
            raise UsageError("records gives errors once the fields are known; declare them, or name a sample")
        return _Found(scheme=None, answer={}, errors=lambda records: {})

    def errors(records: int) -> dict[str, float]:
        found = planned.standard_errors(known, records=records, support=SUPPORT)
        return {str(n): error for n, error in found.items()}

    return _Found(scheme=planned.scheme(known), answer={"cells": known.cells}, errors=errors)


def _columns(request: CollectPlan, domain: PlanDomain, promise: Promised) -> _Found:
    if domain.items is not None:
        raise UsageError("a matrix for each field is for tables of fields; for records of items plan mask or emask")
    if domain.fields is None:
        if request.records is not None:
            raise UsageError("records gives errors once the fields are known; declare them, or name a sample")
        return _Found(scheme=None, answer={}, errors=lambda records: {})
    planned = plan_columns(promise.gamma, domain.fields)

    def errors(records: int) -> dict[str, float]:
        return {str(n): error for n, error in planned.standard_errors(records=records, support=SUPPORT).items()}

    return _Found(scheme=planned.scheme(), answer=planned.to_dict(), errors=errors)


def _mask(request: CollectPlan, domain: PlanDomain, promise: Promised) -> _Found:
    m, longest = _lengths(request, domain)
    universe = None if domain.items is None else len(domain.items)
    planned = plan_mask(promise.gamma, fields=m, max_length=None if m is not None else longest, universe=universe)

    def errors(records: int) -> dict[str, float]:
        lengths = range(1, min(m or longest, LONGEST) + 1)
        return {str(n): flip_error(planned.p, planned.p, length=n, support=SUPPORT, records=records) for n in lengths}

    bound = planned.scheme(items=domain.items, fields=domain.fields) if _is_known(domain) else None
    return _Found(scheme=bound, answer=planned.to_dict(), errors=errors)


def _cut_and_paste(request: CollectPlan, domain: PlanDomain, promise: Promised) -> _Found:
    m, longest = _lengths(request, domain)
    planned = plan_cut_and_paste(promise.gamma, K=request.K, fields=m, max_length=None if m is not None else longest)
    held = m or longest

    def errors(records: int) -> dict[str, float]:
        lengths = range(1, min(planned.K, held, LONGEST) + 1)
        return {
            str(n): cut_error(
                planned.K, planned.rho, record_length=held, length=n, support=SUPPORT, records=records
            )
            for n in lengths
        }  # fmt: skip

    bound = planned.scheme(items=domain.items, fields=domain.fields) if _is_known(domain) else None
    notes = () if m is not None else CutAndPaste(K=planned.K, rho=planned.rho).length_notes(domain.sample)
    return _Found(scheme=bound, answer=planned.to_dict(), errors=errors, notes=notes)


def _is_known(domain: PlanDomain) -> bool:
    return domain.fields is not None or domain.items is not None


def _lengths(request: CollectPlan, domain: PlanDomain) -> tuple[int | None, int]:
    """(number of fields, items of the longest record): the first, or None, decides which is meant."""
    m = request.fields if domain.fields is None else len(domain.fields)
    longest = request.max_length
    if domain.items is not None:
        longest = longest or max(1, int(domain.sample.lengths.max(initial=1)))
    if m is None and longest is None:
        raise UsageError(
            f"{request.name} needs the number of fields (fields) or the items of the longest record (max_length)"
        )
    return m, longest or 0


_PLANNERS = {"gamma-diagonal": _gamma_diagonal, "matrix": _columns, "mask": _mask, "cut-and-paste": _cut_and_paste}

# -- goals -------------------------------------------------------------------------------------------------------------


def _emask(request: CollectPlan) -> Planned:
    sample: Transactions | None = None
    notes: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    if request.sample is not None:
        sample, notes = read_records(
            request.sample, columns=request.columns, kind=request.kind, reading=request.reading()
        )
        if not isinstance(sample, Transactions):
            raise UsageError("emask is for records of items; for a table plan gamma-diagonal or mask")
        published = rare_items(sample)
    wished = {name: getattr(request, name) for name in GOALS}
    found = plan_emask(
        avg_support=request.avg_support,
        records=request.records,
        sample=sample,
        max_support=request.max_support,
        goals={name: goal for name, goal in wished.items() if goal is not None},
        weights=dict.fromkeys(request.hard, 0.0),
    )
    notes += (*_missed(found), *_worst(found), *_held_back(found))
    scheme = None
    if sample is not None:
        longest = request.max_length or max(1, int(sample.lengths.max(initial=1)))
        if request.max_length is None:
            notes += (f"records longer than the sample's longest, {longest} items, will be refused; see max_length",)
        scheme = found.scheme(items=sample.labels, max_length=longest)
        notes += tuple(f"warning: {text}" for text in weaknesses(scheme))
    answer = {"scheme": "emask", **found.to_dict()}
    if scheme is not None and is_weak(scheme.amplification().epsilon):
        answer["weak"] = f"gamma for whole records is {gamma_words(scheme.amplification().epsilon)}"
    return Planned(
        name="emask",
        scheme=scheme,
        answer=answer,
        draw=found.charts,
        notes=notes,
        published=published,
        private=sample is not None,
    )


def _missed(found: EmaskPlan) -> tuple[str, ...]:
    if not found.missed:
        return ()
    each = (
        f"{name}: {found.attained[name]:.4g} where {found.goals[name]:g} was wished, {ratio:.2f} times as much"
        for name, ratio in found.missed.items()
    )
    said = (
        f"the goals exclude each other: no plan comes nearer to all of them, and this one misses "
        f"{' and '.join(found.missed)}; make a goal hard to have it kept or refused, or collect more records"
    )
    return (*each, said)


def _worst(found: EmaskPlan) -> tuple[str, ...]:
    """What the average of `visible` hides, where nobody bounded it."""
    worst = found.attained.get("worst_visible")
    if worst is None or "worst_visible" in found.goals:
        return ()
    said = (
        f"a 1 that is seen is true with a chance of {found.attained['visible']:.2g} on average, and of {worst:.2g} for "
        "the commonest item; the goal worst_visible bounds that"
    )
    return (said,)


def _held_back(found: EmaskPlan) -> tuple[str, ...]:
    """What the bound on what is not sent did: the goals alone would have sent every item that someone holds."""
    bound = found.goals.get("absent", math.inf)
    if found.p > _NEARLY_SURE:  # the bound was moved
        said = (
            f"warning: p is {found.p:.10g}: an item that someone holds is always sent, and one that is not sent is "
            "surely not held; only the items added at random hide anything"
        )
    elif found.attained["absent"] > bound * (1 - 1e-3):
        said = (
            f"p is {found.p:.4g}, as large as absent={bound:g} allows: an item that is not sent lowers the odds that "
            "someone has it by this factor at most"
        )
    else:
        return ()
    return (said,)


_NEARLY_SURE = 0.999


_SAMPLED = {"scheme", "sample", "columns", "kind"}
_PROMISED = _SAMPLED | {"gamma", "rho1", "rho2", "epsilon", "records", "bins", "values"}
_ASKED = (_PROMISED - {"records", "scheme"}) | {"people", "within"}
_USED = {
    "gamma-diagonal": _PROMISED,
    "matrix": _PROMISED,
    "mask": _PROMISED | {"fields", "max_length"},
    "cut-and-paste": _PROMISED | {"fields", "max_length", "K"},
    "emask": _SAMPLED | {"avg_support", "max_support", "records", "max_length", "hard", *GOALS},
}
