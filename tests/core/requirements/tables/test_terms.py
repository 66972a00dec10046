"""What a requirement of a table says it leaves open is open, and what it does not name is stopped."""

import itertools
from functools import cache

import pyarrow as pa
import pytest

from confide import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    RecursiveDiversity,
    Schema,
    SimpleDiversity,
    TCloseness,
)
from confide.audit.examination import examine
from confide.core.requirements import OthersKnown
from confide.core.requirements.tables.terms import LEAVES, MINIMALITY, PEOPLE, ROWS, RULES, SEVERAL_ROWS, UNDECLARED

SINGLE = [
    KAnonymity(k=5),
    AlphaK(alpha=0.6, k=4),
    SimpleDiversity(l=2),
    DistinctDiversity(l=2),
    DistinctDiversity(l=4),
    EntropyDiversity(l=1.4),
    RecursiveDiversity(c=3, l=2),
    RecursiveDiversity(c=2, l=3),
    TCloseness(t=0),
    TCloseness(t=0.2),
    BetaLikeness(beta=1.5),
    BetaLikeness(beta=1.5, enhanced=True),
    DeltaDisclosure(delta=1),
]
PAIRS = [one & other for one, other in itertools.combinations(SINGLE, 2)]
KNOWN = [OthersKnown(of=one) for one in SINGLE if one.of_sensitive]
EVERY = pytest.mark.parametrize(
    "requirement", [*SINGLE, *PAIRS, *KNOWN, *(KAnonymity(k=3) & one for one in KNOWN)], ids=str
)
SCHEMA = {"age": {"role": "quasi-identifier"}, "illness": {"role": "sensitive"}}


def table(*groups):
    """Groups as mappings of sensitive values to how many rows have them."""
    rows = [(str(age), value) for age, group in enumerate(groups) for value, n in group.items() for _ in range(n)]
    return pa.table({"age": [age for age, _ in rows], "illness": [value for _, value in rows]})


ONE_VALUE = [
    table({"x": 20}, {"x": 18, "y": 2}),
    table({"x": 20}, {"x": 1980, "y": 20}),
    table({"x": 20}, {"x": 10, "y": 10}),
]
"""Tables with a group whose rows all share one value."""

SPREAD = {"x": 950, **{f"y{n}": 1 for n in range(50)}}
COMMON = [table(SPREAD, SPREAD), table(SPREAD, {name: 2 * n for name, n in SPREAD.items()})]
"""Tables in which a group has one value in 95% of its rows."""

ONE_ROW = [
    table({"x": 1}, {"x": 1}),
    table({"x": 1}, {"x": 199, "y": 1}),
]
"""Tables in which a row looks like no other."""


TABLES = {"one value": ONE_VALUE, "one common value": COMMON, "one row": ONE_ROW}


def parts_of(requirement):
    """Its parts; with one sensitive column there are no other values to know."""
    return [getattr(part, "of", part) for part in getattr(requirement, "parts", [requirement])]


@cache
def holds(kind, number, requirement):
    return examine(TABLES[kind][number], Schema.from_dict(SCHEMA), requirement=requirement).ok


@EVERY
@pytest.mark.parametrize(
    ("kind", "sentences"),
    [
        ("one value", ("when all rows of a group share it", "all rows of a group may share it")),
        (
            "one common value",
            ("guessing the commonest sensitive value", "when all rows of a group share it", "of a common sensitive"),
        ),
        ("one row", ("where few rows look alike",)),
    ],
)
def test_an_attack_is_called_open_exactly_where_some_table_allows_it(requirement, kind, sentences):
    told = any(sentence in limit for limit in requirement.does_not_stop for sentence in sentences)
    parts = parts_of(requirement)
    allowed = any(all(holds(kind, number, part) for part in parts) for number in range(len(TABLES[kind])))
    if kind == "one common value" and any(isinstance(part, TCloseness | BetaLikeness) for part in parts):
        assert (
            allowed or not told
        )  # closeness compares with the release: where 95% of all rows have a value, it is known
    else:
        assert told == allowed


@EVERY
@pytest.mark.parametrize("terms", [ROWS, PEOPLE, LEAVES, RULES], ids=["rows", "people", "leaves", "rules"])
def test_words_are_those_of_the_release_and_say_what_no_requirement_stops(requirement, terms):
    words = requirement.phrase(terms)
    text = " ".join((words.promise, *words.stops, *words.does_not_stop, *requirement.other_terms_in(terms).values()))
    assert "{" not in text
    assert MINIMALITY in words.does_not_stop
    assert not set(words.stops) & set(words.does_not_stop)
    if terms in (ROWS, PEOPLE):
        assert UNDECLARED in words.does_not_stop
        assert (SEVERAL_ROWS in words.does_not_stop) == (terms is ROWS)
    else:
        assert not any(word in text for word in ("row", "sensitive", "quasi-identifier", "group"))


def test_with_other_values_known_one_value_for_all_is_not_called_open():
    limits = (KAnonymity(k=3) & OthersKnown(of=DistinctDiversity(l=2))).does_not_stop
    assert not any("share it" in text for text in limits)
