"""Itemsets and rules of the true records, from perturbed ones in a file or a collector's store."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import isfinite
from os import PathLike
from statistics import NormalDist
from typing import Any

from confide.collect.estimating.reconstruction import mine as reconstruct
from confide.collect.estimating.reconstruction import reconstructed_rules, surest
from confide.collect.estimating.rule_errors import EstimatedRules
from confide.collect.jobs.record_files import read_fields, read_items
from confide.collect.jobs.requests import CollectMine
from confide.collect.schemes.scheme import Scheme, read_scheme
from confide.collect.service.store import hide_password, read_store
from confide.collect.survey.question_results import charts_of, question_results, tables_of
from confide.collect.survey.questions import check_survey
from confide.collect.survey.survey_file import read_survey
from confide.core.errors import UsageError
from confide.core.figures import Column, Figure, Figures, Study, Table
from confide.core.itemsets.container import Itemsets
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.tables.reading import Reading

__all__ = ["Mined", "mine"]


@dataclass(frozen=True, kw_only=True)
class Mined(Outcome):
    """The itemsets found, and the `rules` if they were asked for.

    `top` cuts the rules where there are any, else the itemsets.
    """

    scheme: Scheme
    itemsets: Itemsets
    rules: EstimatedRules | None


def mine(request: CollectMine, host: Host = QUIET) -> Mined:
    """Find the itemsets, or rules, that hold in enough of the *true* records behind perturbed ones.

    >>> from confide import Randomness, Transactions
    >>> from confide.collect import Emask
    >>> true = Transactions.from_lists([["tea", "milk"]] * 3000 + [["beer"]] * 5000)
    >>> scheme = Emask(p=0.9, q=0.95)
    >>> sent = scheme.perturb(true, randomness=Randomness.seeded(1))
    >>> found = mine(CollectMine(perturbed=sent, scheme=scheme, min_support=0.2, min_confidence=0.9))
    >>> [" ".join(labels) for labels, _ in found.itemsets]
    ['beer', 'milk', 'tea', 'milk tea']
    >>> len(found.rules)
    2
    """
    if request.population and request.min_confidence is not None:
        raise UsageError(
            "population= goes with itemsets: intervals of rules are for the people who took part",
            parameter="population",
        )
    scheme, records, notes = _read(request, request.reading(host.say))
    found = reconstruct(
        scheme,
        records,
        min_support=request.min_support,
        max_length=request.max_length,
        keep_near=request.keep_near,
        consistent=request.consistent,
        population=request.population,
        confidence=request.confidence,
        record_length=request.record_length,
    )
    notes += _notes(scheme, found, request)
    if request.min_confidence is None:
        if request.top is not None:
            found = surest(scheme, found, request.top, confidence=request.confidence)
        page = partial(_page, request, scheme, records, found)
        return _itemsets_outcome(scheme, found, notes, request.confidence, page)
    rules = reconstructed_rules(
        found,
        min_confidence=request.min_confidence,
        scheme=scheme,
        confidence=request.confidence,
        top=request.top,
        record_length=request.record_length,
    )
    return _rules_outcome(scheme, found, rules, (*notes, *_rule_notes(rules)))


def _itemsets_outcome(
    scheme: Scheme, found: Itemsets, notes: tuple[str, ...], confidence: float, page: Callable[[], Study]
) -> Mined:
    return Mined(
        scheme=scheme,
        itemsets=found,
        rules=None,
        answer=found,
        notes=notes,
        rows=partial(_rows, found),
        reading=partial(_rows_for_reading, found, confidence),
        title=f"{len(found):,} itemsets of {found.n_transactions:,} records, estimated",
        legend=f"in the table, +/- is the {confidence:.0%} interval of a set named beforehand, and from and to that of "
        "one that was found (selected_low and selected_high); the surest come first",
        summary=f"{len(found):,} itemsets",
        page=page,
    )


def _page(request: CollectMine, scheme: Scheme, records: Any, found: Itemsets) -> Study:
    """A chart for each question, then the sets that were found."""
    survey = None if request.survey is None else read_survey(request.survey)
    if survey is not None:
        check_survey(survey, scheme)
    results = question_results(
        scheme, records, survey=survey, confidence=request.confidence, population=request.population
    )
    shown = ("share", "from", "to")
    rows = tuple(
        (" · ".join(row["items"]), *(row[name] / found.n_transactions for name in _ENDS))
        for row in sorted(_rows(found), key=lambda row: -row["selected_low"])
    )
    columns = (Column("answers that go together", "text"), *(Column(name, "share") for name in shown))
    return Study(
        title="Results" if survey is None or not survey.title else survey.title,
        lead=f"Shares are estimated from {found.n_transactions:,} answers that were changed at random. A thin line, "
        f"and from and to, are {request.confidence:.0%} intervals.",
        facts=Figures(Figure("answers", found.n_transactions, "count", "answers")),
        tables={**tables_of(results), "Sets that were found": Table(columns, rows)},
        charts=charts_of(results, confidence=request.confidence),
        private=False,
    )


def _rows(found: Itemsets) -> list[dict[str, Any]]:
    columns = {name: values.tolist() for name, values in found.columns.items()}
    return [
        {"items": list(labels), "support": support, **{name: round(v[i], 3) for name, v in columns.items()}}
        for i, (labels, support) in enumerate(found)
    ]


_SHORT = {"support": "records", "selected_low": "from", "selected_high": "to"}
_ENDS = ("estimate", "selected_low", "selected_high")
_LEFT_OUT = ("estimate", "std_error", "low", "high")


def _rows_for_reading(found: Itemsets, confidence: float) -> list[dict[str, Any]]:
    """The surest first, under short headings; the interval is the one for what was selected."""
    rows = sorted(_rows(found), key=lambda row: (-row["selected_low"], -row["estimate"]))
    errors = NormalDist().inv_cdf((1 + confidence) / 2)
    return [_shortened(row, found.n_transactions, errors) for row in rows]


def _shortened(row: dict[str, Any], records: int, errors: float) -> dict[str, Any]:
    """`errors` is how many standard errors half an interval is."""
    shown: dict[str, Any] = {}
    for name, value in row.items():
        if name not in _LEFT_OUT:
            shown[_SHORT.get(name, name)] = value if name == "items" else round(value)
        if name == "support":
            shown["% of all"] = round(100 * value / records, 1) if records else 0.0
        if name == "std_error":
            shown["+/-"] = round(errors * value)
    return shown


def _rules_outcome(scheme: Scheme, found: Itemsets, rules: EstimatedRules, notes: tuple[str, ...]) -> Mined:
    return Mined(
        scheme=scheme,
        itemsets=found,
        rules=rules,
        answer=rules.to_arrow(),
        notes=notes,
        rows=lambda: _rule_rows(rules.to_arrow()),
        # what is shown was selected, so the intervals for rules named beforehand are left out
        reading=lambda: _rule_rows(rules.to_arrow().drop_columns(["confidence_low", "confidence_high"])),
        title=f"{len(rules):,} rules of the true records, estimated",
        summary=f"{len(rules):,} rules",
    )


def _rule_rows(table: Any) -> list[dict[str, Any]]:
    """Rows fit for JSON, which knows no infinity: a conviction may be infinite."""
    return [
        {name: None if isinstance(value, float) and not isfinite(value) else value for name, value in row.items()}
        for row in table.to_pylist()
    ]


def _read(request: CollectMine, reading: Reading) -> tuple[Scheme, Any, tuple[str, ...]]:
    """The scheme, and the perturbed records in the form in which they are mined."""
    scheme = None if request.scheme is None else read_scheme(request.scheme)
    source = request.perturbed
    if isinstance(source, str | PathLike) and (str(source).endswith(".duckdb") or "://" in str(source)):
        collected = read_store(str(source), scheme=scheme)
        said = f"read {hide_password(str(source))}: {len(collected.records):,} records"
        return collected.scheme, collected.records, (said,)
    if scheme is None:
        raise UsageError(
            "perturbed records mean nothing without their scheme; give scheme= (the scheme or its file)",
            parameter="scheme",
        )
    if scheme.sends_items:
        return (scheme, *read_items(source, format=request.format, reading=reading))
    return (scheme, *read_fields(source, reading=reading))


def _notes(scheme: Scheme, found: Itemsets, request: CollectMine) -> tuple[str, ...]:
    notes = scheme.mining_notes()
    if request.keep_near:
        below = int(found.columns["near"].sum())
        notes += (
            f"kept {below:,} sets whose estimate lies up to {request.keep_near:g} standard errors below the threshold",
        )
    if request.consistent:
        where = "" if request.min_confidence is not None else "; the unbiased ones are in column unprojected"
        notes += (f"estimates are projected to consistent ones{where}",)
    if request.population:
        said = (
            "errors and intervals are for the population, of which the people who answered are taken for a random draw"
        )
        notes += (said,)
    if len(found):
        said = (
            f"of the intervals selected_low to selected_high, {request.confidence:g} or more are expected to hold the "
            "truth, as a share of those shown of each length; low to high holds for a set that was named beforehand"
        )
        notes += (said,)
    noise = int((found.columns["selected_low"] <= 0).sum())
    if noise:
        said = (
            f"warning: {noise:,} of {len(found):,} sets have an interval that reaches down to 0 (selected_low), so "
            "they may be noise; raise min_support, ask for shorter sets (max_length), or collect more records"
        )
        notes += (said,)
    return notes


def _rule_notes(rules: EstimatedRules) -> tuple[str, ...]:
    above = int((rules.confidence > 1).sum())
    if not above:
        return ()
    said = (
        f"warning: {above:,} of {len(rules):,} rules have a confidence above 1, which no true rule has: their supports "
        "are noisy; read confidence_selected_low and confidence_selected_high, or ask for consistent estimates"
    )
    return (said,)
