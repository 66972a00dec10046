"""Borders: the thesis' examples, and counting by hand on random borders."""

from itertools import combinations
from math import inf

import pytest

from confide.publish.transactions.families.borders import (
    Border,
    BorderPair,
    covered,
    difference,
    disjoint,
    intersection,
    maximal,
    members,
)


def mask(text: str) -> int:
    return sum(1 << ord(c) - ord("a") for c in text)


def edge(alpha: str, beta: str) -> BorderPair:
    return BorderPair(mask(alpha), mask(beta))


def text(itemset: int) -> str:
    return "".join(chr(ord("a") + v) for v in members(itemset))


def mole_border() -> Border:
    """Figure 17, c and d deleted; p = 3."""
    return Border([mask(x) for x in ("ae", "af", "ag", "be", "bfg")], [mask(x) for x in ("abef", "abfg", "befg")], 3)


def sets_of(edges: list[BorderPair], longest: float = inf) -> set[int]:
    found = set()
    for alpha, beta in edges:
        free = list(members(beta & ~alpha))
        for size in range(len(free) + 1):
            for chosen in combinations(free, size):
                itemset = alpha | sum(1 << v for v in chosen)
                if itemset.bit_count() <= longest:
                    found.add(itemset)
    return found


def test_three_moles_of_the_running_example_hold_ag():  # Example 14
    assert mole_border().count(mask("ag")) == 3


def test_one_edge_is_counted_by_the_formula():  # section 4.4.2
    assert covered(edge("af", "abef"), mask("ef"), 3) == 1
    assert covered(edge("af", "abef"), 0, inf) == 4


def test_an_edge_counts_nothing_that_its_beta_does_not_hold():  # erratum: W = 0 unless X is within beta
    assert covered(edge("a", "ab"), mask("c"), inf) == 0


def test_intersections_of_edges():  # Example 15
    assert intersection(edge("ae", "abef"), edge("ab", "abeg")) == edge("abe", "abe")
    assert intersection(edge("ae", "abef"), edge("bg", "abeg")) is None


def test_a_difference_of_edges():  # Example 16
    assert difference(edge("ae", "adefg"), edge("ae", "ade")) == [edge("aef", "adefg"), edge("aeg", "adefg")]


def test_itemsets_of_one_edge_outside_two_others():  # Example 17
    parts = disjoint([edge("ae", "adefg")], [edge("ae", "ade"), edge("a", "abe")])
    assert sum(sign * covered(part, mask("ae"), 4) for sign, part in parts) == 5


def test_suppressing_a_leaves_the_border_of_figure_19():  # Example 18; its E(a) forgets <ag,abfg>
    border = mole_border()
    assert len(border.edges(0)) == 6
    before = border.deltas()
    lost = border.suppress(0)
    assert sorted(map(text, border.upper)) == ["be", "bfg"]
    assert [text(beta) for beta in border.lower] == ["befg"]
    after = border.deltas()
    assert {text(1 << v): before[v] for v in before} == {"a": 8, "b": 7, "e": 6, "f": 6, "g": 5}
    assert {text(1 << v): after[v] for v in after} == {"b": 4, "e": 3, "f": 2, "g": 2}
    assert all(after.get(v, 0) == before[v] - lost[v] for v in before if v != 0)


@pytest.mark.parametrize("seed", range(300))
def test_counts_and_deltas_agree_with_listing(seed: int):
    import random

    rng = random.Random(seed)
    lower = maximal(rng.getrandbits(7) for _ in range(rng.randint(1, 6)))
    upper = [x ^ 127 for x in maximal(rng.getrandbits(7) | rng.getrandbits(7) for _ in range(rng.randint(1, 6)))]
    longest = rng.choice([1, 2, 3, inf])
    border = Border(upper, lower, longest)
    listed = sets_of(border.edges(), longest)
    assert border.count() == len(listed)
    within = rng.getrandbits(7) & rng.getrandbits(7) & rng.getrandbits(7)
    assert border.count(within) == sum(within & ~x == 0 for x in listed)
    for item in rng.sample(range(7), 7):
        lost = border.suppress(item)
        gone = {x for x in listed if x >> item & 1}
        listed -= gone
        assert {v: n for v, n in lost.items() if n} == {
            v: n for v in range(7) if v != item and (n := sum(x >> v & 1 for x in gone))
        }
        assert sets_of(border.edges(), longest) == listed
