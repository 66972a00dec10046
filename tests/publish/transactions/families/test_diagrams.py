"""Decision diagrams: every operation against listing the sets, counts beyond 64 bits, and connect at 40%."""

from itertools import combinations
from math import comb
from random import Random

import numpy as np
import pytest

from confide.publish.transactions.families import diagrams as zdd
from confide.publish.transactions.families.diagrams import (
    DecisionDiagram,
    Sets,
    TooLargeError,
    build,
    levels_by_support,
)

Family = set[frozenset[int]]


def sets(family: Family) -> Sets:
    listed = [sorted(x) for x in family]
    starts = np.cumsum([0, *map(len, listed)], dtype=np.int64)
    return Sets(starts, np.array([v for x in listed for v in x], dtype=np.int32))


def listed(diagram: DecisionDiagram) -> Family:
    found = [frozenset(x) for x in diagram.sets()]
    assert len(found) == len(set(found)), "a set is in a diagram once"
    return set(found)


def subsets(family: Family, longest: int = 99) -> Family:
    return {frozenset(c) for x in family for size in range(min(len(x), longest) + 1) for c in combinations(x, size)}


def minimal(family: Family) -> Family:
    return {x for x in family if not any(y < x for y in family)}


def random_family(rng: Random, n_items: int = 7) -> Family:
    share = rng.random()
    return {frozenset(v for v in range(n_items) if rng.random() < share) for _ in range(rng.randint(0, 8))}


def codes(rng: Random, n_items: int = 7) -> np.ndarray:
    return np.array(rng.sample(range(n_items), n_items), dtype=np.int32)


@pytest.mark.parametrize("seed", range(200))
def test_operations_agree_with_listing_the_sets(seed: int):
    rng = Random(seed)
    f, g, order, longest = random_family(rng), random_family(rng), codes(rng), rng.randint(1, 8)

    def made(recipe):
        return listed(build(recipe, order))

    assert made(lambda b: b.family(sets(f))) == f
    assert made(lambda b: b.subsets(sets(f))) == subsets(f)
    assert made(lambda b: b.subsets(sets(f), longest)) == subsets(f, longest)
    assert made(lambda b: b.minus(b.family(sets(f)), b.subsets(sets(g)))) == f - subsets(g)
    assert made(lambda b: b.minimal(b.family(sets(f)))) == minimal(f)
    least = minimal(g)
    assert made(lambda b: b.supersets(b.subsets(sets(f)), b.family(sets(least)))) == {
        x for x in subsets(f) if any(y <= x for y in least)
    }


@pytest.mark.parametrize("seed", range(200))
def test_counting_and_dropping_agree_with_listing_the_sets(seed: int):
    rng = Random(seed)
    f = random_family(rng)
    longest = rng.choice([None, 1, 2, 3])
    diagram = build(lambda b: b.minus(b.subsets(sets(f)), b.family(sets(random_family(rng)))), codes(rng))
    everything = listed(diagram)
    for item in codes(rng):
        counted = [x for x in everything if longest is None or len(x) <= longest]
        counts = diagram.counts(7, longest)
        assert counts.total == len(counted)
        assert counts.per_item.tolist() == [sum(v in x for x in counted) for v in range(7)]
        if everything:
            assert len(diagram.smallest()) == min(map(len, everything))
            assert frozenset(diagram.smallest()) in everything
        diagram = diagram.without([int(item)])
        everything = {x for x in everything if item not in x}
        assert listed(diagram) == everything


def test_items_without_a_level_are_left_out_of_the_sets():
    diagram = build(lambda b: b.family(sets({frozenset({0, 9}), frozenset({1})})), np.array([1, 0], dtype=np.int32))
    assert listed(diagram) == {frozenset({0}), frozenset({1})}


@pytest.mark.parametrize("n", [61, 62, 63, 100, 700])
def test_counts_are_exact_beyond_what_a_machine_word_holds(n: int):
    one, two = frozenset(range(n)), frozenset(range(n - 1, n + 5))
    diagram = build(lambda b: b.subsets(sets({one, two})), np.arange(n + 5, dtype=np.int32))
    counts = diagram.counts(n + 5)
    assert counts.total == 2**n + 2**6 - 2
    assert counts.per_item.tolist() == [2 ** (n - 1)] * (n - 1) + [2 ** (n - 1) + 2**5 - 1] + [2**5] * 5
    few = diagram.counts(n + 5, 30)
    assert few.total == sum(comb(n, j) for j in range(31)) + 2**6 - 2
    assert few.per_item[0] == sum(comb(n - 1, j) for j in range(30))


def test_a_store_that_is_too_small_grows_and_one_past_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch):
    rng = Random(1)
    f = {frozenset(rng.sample(range(30), 12)) for _ in range(40)}
    order = np.arange(30, dtype=np.int32)
    monkeypatch.setattr(zdd, "_FIRST_NODES", 64)
    assert build(lambda b: b.subsets(sets(f)), order).counts(30).total == len(subsets(f))
    with pytest.raises(TooLargeError, match="more than 300 nodes"):
        build(lambda b: b.subsets(sets(f)), order, most_nodes=300)


def test_the_rarest_item_is_on_top():
    assert levels_by_support(np.array([5, 2, 9, 2]), np.array([True, True, False, True])).tolist() == [1, 3, 0]
