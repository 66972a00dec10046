"""Diversity of groups: the definitions by hand, twins on random tables, and persons with several values."""

import numpy as np
import pyarrow as pa
import pytest
from tests.audit.verifiers.tables.test_closeness import numbered
from tests.audit.verifiers.tables.test_look import column, holds
from tests.oracles import tables as oracles

from confide import AlphaK, DistinctDiversity, EntropyDiversity, KAnonymity, RecursiveDiversity, SimpleDiversity

ROLES = {"q": "quasi-identifier", "s": "sensitive"}


def test_distinct_counts_values():
    assert column(["a", "a", "a", "b"], DistinctDiversity(l=2))
    assert not column(["a", "a", "a", "b"], DistinctDiversity(l=3))


def test_entropy_of_equal_shares_reaches_their_number_and_not_more():
    assert column(["a", "b", "c"] * 7, EntropyDiversity(l=3))
    assert not column(["a", "b", "c"] * 7, EntropyDiversity(l=3.0000001))
    assert not column(["a", "b", "c"] * 7 + ["a"], EntropyDiversity(l=3))
    # counts 4, 2, 2: an entropy of 1.5 bits, the 2**1.5 = 2.828... of equally common values
    assert column(["a"] * 4 + ["b"] * 2 + ["c"] * 2, EntropyDiversity(l=2.8284))
    assert not column(["a"] * 4 + ["b"] * 2 + ["c"] * 2, EntropyDiversity(l=2.8285))


@pytest.mark.parametrize("seed", range(80))
def test_random_tables_agree_with_the_twins(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 60)), int(rng.integers(1, 7))
    columns = {"q": rng.integers(0, 3, n).tolist(), "s": rng.integers(0, m, n).tolist()}
    if seed % 2:
        columns["p"] = rng.integers(0, max(1, n // 2), n).tolist()
    frame, roles, person = numbered(columns)
    groups = oracles.members(columns, ["q"], "s", person)
    for l in (2, 3, 4):  # noqa: E741
        for make, options in (
            (SimpleDiversity, {"l": l}),
            (DistinctDiversity, {"l": l}),
            (EntropyDiversity, {"l": l}),
            (EntropyDiversity, {"l": l - 0.5}),
            (RecursiveDiversity, {"c": 1.5, "l": l}),
            (RecursiveDiversity, {"c": 4, "l": l}),
            (AlphaK, {"alpha": 1 / l, "k": 2}),
            (KAnonymity, {"k": 2 * l}),
        ):
            requirement = make(**options)
            assert holds(frame, requirement, roles) == oracles.holds(groups, requirement.kind, **options)


@pytest.mark.parametrize("seed", range(60))
def test_what_holds_of_persons_holds_whichever_of_their_rows_is_looked_at(seed):
    rng = np.random.default_rng(seed)
    columns = {
        "q": rng.integers(0, 2, 14).tolist(),
        "s": rng.integers(0, 4, 14).tolist(),
        "p": rng.integers(0, 8, 14).tolist(),
    }
    frame, roles, _ = numbered(columns)
    every = [counts for group in oracles.picks(columns, ["q"], "s", "p") for counts in group]
    for l in (2, 3):  # noqa: E741
        if holds(frame, SimpleDiversity(l=l), roles):
            assert all(counts[0] * l <= sum(counts) for counts in every)
        if holds(frame, DistinctDiversity(l=l), roles):
            assert all(len(counts) >= l for counts in every)
        if holds(frame, RecursiveDiversity(c=2, l=l), roles):
            assert all(counts[0] < 2 * sum(counts[l - 1 :]) for counts in every)
        if holds(frame, EntropyDiversity(l=l - 0.5), roles):
            assert all(oracles.entropy_at_least(counts, l - 0.5) for counts in every)


def test_a_value_that_every_person_has_is_never_diverse():
    """Three persons, all with x; one has y and z too. By rows there are three values, x in 3 of 5."""
    frame = pa.table({"q": ["g"] * 5, "p": [1, 2, 3, 3, 3], "s": ["x", "x", "x", "y", "z"]})
    by_rows, by_persons = {**ROLES, "p": "insensitive"}, {**ROLES, "p": "person"}
    for requirement in (DistinctDiversity(l=2), RecursiveDiversity(c=4, l=2), EntropyDiversity(l=2)):
        assert holds(frame, requirement, by_rows)
        assert not holds(frame, requirement, by_persons)
