"""Itemsets and rules of the true records, from perturbed ones in a file or a collector's store."""

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from confide.collect.estimating.reconstruction import mine as reconstruct
from confide.collect.estimating.reconstruction import reconstructed_rules, surest
from confide.collect.estimating.rule_errors import EstimatedRules
from confide.collect.schemes.scheme import Scheme, read_scheme
from confide.collect.service.store import read_store, shown
from confide.collect.tasks.record_files import read_fields, read_items
from confide.core.errors import UsageError
from confide.core.itemsets.container import Itemsets

__all__ = ["MineRequest", "Mined", "mine"]


@dataclass(frozen=True, kw_only=True)
class MineRequest:
    """What to search for, and where.

    `perturbed` is a file of perturbed records, the records themselves, or a collector's store (FILE.duckdb,
    postgresql://...), which knows its scheme; else `scheme` is needed, or its file. `min_confidence` asks for rules of
    at least this confidence; `top` for the surest few only, those of the largest selected_low (of rules
    confidence_selected_low). The rest is as for `Scheme.mine`; `format` says how to read a file of items whose name
    does not.
    """

    perturbed: Any
    min_support: int | float
    scheme: Scheme | str | PathLike[str] | Mapping[str, Any] | None = None
    max_length: int | None = None
    keep_near: float = 0.0
    consistent: bool = False
    confidence: float = 0.95
    min_confidence: float | None = None
    top: int | None = None
    record_length: int | None = None
    format: str | None = None


@dataclass(frozen=True, kw_only=True)
class Mined:
    """The itemsets found, the `rules` if they were asked for, and what the person should know when reading them.

    `top` cuts the rules where there are any, else the itemsets.
    """

    scheme: Scheme
    itemsets: Itemsets
    rules: EstimatedRules | None
    notes: tuple[str, ...]


def mine(request: MineRequest) -> Mined:
    """Find the itemsets, or rules, that hold in enough of the *true* records behind perturbed ones.

    >>> from confide import Randomness, Transactions
    >>> from confide.collect import Emask
    >>> true = Transactions.from_lists([["tea", "milk"]] * 3000 + [["beer"]] * 5000)
    >>> scheme = Emask(p=0.9, q=0.95)
    >>> sent = scheme.perturb(true, randomness=Randomness.seeded(1))
    >>> found = mine(MineRequest(perturbed=sent, scheme=scheme, min_support=0.2, min_confidence=0.9))
    >>> [" ".join(labels) for labels, _ in found.itemsets]
    ['beer', 'milk', 'tea', 'milk tea']
    >>> len(found.rules)
    2
    """
    scheme, records, notes = _read(request)
    found = reconstruct(
        scheme,
        records,
        min_support=request.min_support,
        max_length=request.max_length,
        keep_near=request.keep_near,
        consistent=request.consistent,
        confidence=request.confidence,
        record_length=request.record_length,
    )
    notes += _notes(scheme, found, request)
    if request.min_confidence is None:
        kept = found
        if request.top is not None:
            kept = surest(scheme, found, request.top, confidence=request.confidence)
        return Mined(scheme=scheme, itemsets=kept, rules=None, notes=notes)
    rules = reconstructed_rules(
        found,
        min_confidence=request.min_confidence,
        scheme=scheme,
        confidence=request.confidence,
        top=request.top,
        record_length=request.record_length,
    )
    return Mined(scheme=scheme, itemsets=found, rules=rules, notes=(*notes, *_rule_notes(rules)))


def _read(request: MineRequest) -> tuple[Scheme, Any, tuple[str, ...]]:
    """The scheme, and the perturbed records in the form in which they are mined."""
    scheme = None if request.scheme is None else read_scheme(request.scheme)
    source = request.perturbed
    if isinstance(source, str | PathLike) and (str(source).endswith(".duckdb") or "://" in str(source)):
        collected = read_store(str(source), scheme=scheme)
        said = f"read {shown(str(source))}: {len(collected.records):,} records"
        return collected.scheme, collected.records, (said,)
    if scheme is None:
        raise UsageError("perturbed records mean nothing without their scheme; give scheme= (the scheme or its file)")
    if scheme.sends_items:
        return (scheme, *read_items(source, format=request.format))
    return (scheme, *read_fields(source))


def _notes(scheme: Scheme, found: Itemsets, request: MineRequest) -> tuple[str, ...]:
    notes = scheme.mining_notes()
    if request.keep_near:
        below = int(found.columns["near"].sum())
        notes += (
            f"kept {below:,} sets whose estimate lies up to {request.keep_near:g} standard errors below the threshold",
        )
    if request.consistent:
        where = "" if request.min_confidence is not None else "; the unbiased ones are in column unprojected"
        notes += (f"estimates are projected to consistent ones{where}",)
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
