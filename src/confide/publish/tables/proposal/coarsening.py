"""How the values of a quasi-identifier could be made coarser; a beginning, to be edited by whoever knows the column.

whole numbers, numbers    a declared range with steps; its ends are rounded outwards, past the values that occur
dates                     month, year, decade
codes of digits           masked from the right
other texts               a file of values: those that begin with the same word stand together at level 1
"""

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from confide.core.tables.hierarchy import TOP, Hierarchy
from confide.publish.tables.proposal.facts import ColumnFacts

__all__ = ["Coarsening", "coarsening_of", "first_words", "round_range"]

_CELLS = 100
_POST = {"zip", "zipcode", "postcode", "postal", "plz"}
MOST_VALUES = 20_000
"""Longer lists of texts are masked, since nobody edits such a file."""

_GAPS = frozenset({"", "?", "-", ".", "na", "n/a", "nan", "null", "unknown", "missing"})  # as people write nothing


@dataclass(frozen=True, kw_only=True)
class Coarsening:
    """What to write into the schema: a recipe or range (`entries`), or a hierarchy of its own; and what to look at."""

    entries: dict[str, Any]
    hierarchy: Hierarchy | None
    advice: str


def coarsening_of(facts: ColumnFacts) -> Coarsening:
    """A beginning for this column."""
    if facts.kind == "whole" and _POST & set(re.findall("[a-z]+", facts.name.lower())):
        return Coarsening(entries={"hierarchy": {"build": "masks"}}, hierarchy=None, advice="masked from the right")
    if facts.kind in ("whole", "number"):
        assert facts.low is not None
        assert facts.high is not None
        low, high, step = round_range(facts.low, facts.high, whole=facts.kind == "whole", name=facts.name)
        entries: dict[str, Any] = {"range": (low, high)} | ({} if step == 1 else {"step": step})
        advice = "range: the least and most there can be, known anyway"
        if facts.written is not None:
            entries["written"] = facts.written
            advice += "; the comma is taken as a decimal mark"
        return Coarsening(entries=entries, hierarchy=None, advice=advice)
    if facts.kind == "date":
        recipe = {"build": "dates"} | ({"levels": ["day", "month", "year", "decade"]} if facts.timed else {})
        how = {} if facts.written is None else {"written": facts.written}
        return Coarsening(entries={"hierarchy": recipe, **how}, hierarchy=None, advice=_date_advice(facts))
    if facts.kind == "code" or len(facts.values) > MOST_VALUES:
        return Coarsening(entries={"hierarchy": {"build": "masks"}}, hierarchy=None, advice="masked from the right")
    grouped = first_words(facts.values)
    gaps = [value for value in facts.values if value.strip().lower() in _GAPS]
    said = f"; {gaps[0]!r} seems to mean missing: empty such cells, or leave it a value of its own" if gaps else ""
    if grouped is None:
        advice = "add levels between value and *: one column of the file for each" + said
        return Coarsening(entries={}, hierarchy=Hierarchy.flat(sorted(facts.values)), advice=advice)
    advice = "level 1 joins values that begin alike: check what belongs" + said
    return Coarsening(entries={}, hierarchy=grouped, advice=advice)


def _date_advice(facts: ColumnFacts) -> str:
    """Levels, and what to look at where the order of day and month is a guess."""
    levels = "day, month, year, decade" if facts.timed else "month, year, decade"
    if facts.written not in ("day-first", "month-first"):
        return levels
    return f"{levels}; the {facts.written.removesuffix('-first')} is taken to come first: check it"


def round_range(low: float, high: float, *, whole: bool, name: str = "") -> tuple[float, float, float]:
    """Round ends and a step: past the values that occur, since the smallest and the largest are somebody's.

    >>> round_range(17, 90, whole=True), round_range(17, 90, whole=True, name="age")
    ((0, 100, 1), (0, 120, 1))
    >>> round_range(1931, 2004, whole=True), round_range(0.13, 2.7, whole=False)
    ((1930, 2010, 1), (0, 3, 0.05))
    """
    if whole and "age" in re.findall("[a-z]+", name.lower()) and low >= 0 and high < 120:
        return 0, 120, 1
    unit = 10.0 ** math.floor(math.log10(max(high - low, 1e-9)))
    begin, end = math.floor(low / unit) * unit, math.ceil(high / unit) * unit
    if 0 <= begin <= high - low:
        begin = 0.0
    begin -= unit * (begin == low and low != 0)
    end += unit * (end == high and high != 0)
    step = _round_up((end - begin) / _CELLS)
    if not whole and step == 1:  # which a schema takes for whole numbers
        step = 0.5
    tidy = [
        int(x) if float(x).is_integer() else float(f"{x:.10g}") for x in (begin, end, max(1, step) if whole else step)
    ]
    return tidy[0], tidy[1], tidy[2]


def first_words(values: tuple[str, ...]) -> Hierarchy | None:
    """Three levels: the value, all that begin with the same word, anything; None where that would join nothing.

    >>> first_words(("Self-emp-inc", "Self-emp-not-inc", "Private")).rows[1]
    ('Self-emp-inc', 'Self ...', '*')
    """
    words = {value: re.split(r"[^\w]", value.strip(), maxsplit=1)[0] for value in values}
    times = Counter(words.values())
    if not 1 < len(times) < len(values):
        return None
    above = {value: f"{word} ..." if times[word] > 1 and word else value for value, word in words.items()}
    return Hierarchy.from_rows([(value, above[value], TOP) for value in sorted(values)])


def _tidy(number: float) -> float:
    """Without what floating point added; whole numbers as such."""
    short = float(f"{number:.10g}")
    return int(short) if short.is_integer() else short


def _round_up(value: float) -> float:
    """The next of 1, 2, 5, 10, 20, 50, ... and their tenths."""
    unit = 10.0 ** math.floor(math.log10(value))
    return next(unit * times for times in (1, 2, 5, 10) if unit * times >= value * (1 - 1e-9))
