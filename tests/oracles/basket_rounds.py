"""Questions about baskets by their definition, and a plain reimplementation of SVIM and SVSM (Wang, Li, Jha 2018).

The plain search draws each person's item in Python, and the counts of answers by their laws, from numpy's generator. It
is the paper's but for one step, `_as_shares`.
"""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np

from tests.oracles.answering import Law, answer_law

__all__ = ["basket_law", "plain_search"]


def basket_law(question, basket: frozenset[int]) -> Law:
    """{(0, *answer): chance} for a basket, as positions of items."""
    held = [number for number, one in enumerate(question.asked_sets) if set(one) <= basket]
    law, found = question.block.law, Counter()
    if question.asks == "count":
        values = [min(len(held), question.pad)]
    else:
        blanks = [len(question.asked_sets) + slot for slot in range(len(held), question.pad)]
        values = held + blanks
    for value in values:
        for answer, chance in answer_law(law, value).items():
            found[0, *answer] += chance / len(values)  # type: ignore[assignment]
    return dict(found)  # type: ignore[arg-type]


def plain_search(baskets, n_items: int, *, epsilon: float, top: int, shares, rng) -> set[frozenset[int]]:
    """The `top` sets that SVSM finds among baskets (lists of item numbers); `shares` of people for the five rounds."""
    people = [baskets[i] for i in rng.permutation(len(baskets))]
    bounds = np.cumsum([0, *shares]) / sum(shares) * len(people)
    groups = [people[round(a) : round(b)] for a, b in pairwise(bounds)]
    everything = [frozenset([i]) for i in range(n_items)]
    first = _sampled(_samples(groups[0], everything, 1, rng), everything, 1, epsilon, rng)
    likely = sorted(first, key=lambda one: -first[one])[: 2 * top]
    supports = _measure(groups[1], groups[2], likely, epsilon, rng)
    singles = sorted(supports, key=lambda one: -supports[one])[:top]
    guessed = _guess(singles, supports, 2 * top)
    supports.update(_measure(groups[3], groups[4], guessed, epsilon, rng))
    return set(sorted(supports, key=lambda one: -supports[one])[:top])


def _measure(counted, sampled, asked, epsilon: float, rng) -> dict[frozenset[int], float]:
    """Supports of the asked sets: a pad from the first people, samples of the others, and the correction."""
    lengths = [sum(one <= set(basket) for one in asked) for basket in counted]
    most = min(len(asked), 64)  # longer baskets count as this long
    shares = _oracle(np.minimum(lengths, most), most + 1, epsilon, rng)
    held = _as_shares(shares)[1:]
    pad = next((n for n in range(1, len(held) + 1) if held[:n].sum() >= 0.9 * held.sum()), 1)
    counts = np.arange(1, len(held) + 1)
    left = 1 - (held * np.maximum(counts - pad, 0)).sum() / (held * counts).sum()
    found = _sampled(_samples(sampled, asked, pad, rng), asked, pad, epsilon, rng)
    return {one: x / left for one, x in found.items()}


def _as_shares(estimates):
    """The nearest shares that can be, by bisection. The paper takes noisy lengths as they are: with few people to say
    them that makes pads and corrections of any size."""
    low, high = estimates.min() - 1, estimates.max()
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(estimates - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(estimates - low, 0)


def _samples(baskets, asked, pad: int, rng) -> list:
    """What each basket answers about: one of the asked sets it holds, or the number of a blank."""
    items = {i for one in asked for i in one} if all(len(one) == 1 for one in asked) else None
    drawn = []
    for basket in baskets:
        if items is None:
            held = [one for one in asked if one <= set(basket)]
        else:  # items are looked up, since there may be thousands
            held = [frozenset([i]) for i in basket if i in items]
        slot = int(rng.integers(max(len(held), pad)))
        drawn.append(held[slot] if slot < len(held) else slot)
    return drawn


def _sampled(drawn, asked, pad: int, epsilon: float, rng) -> dict[frozenset[int], float]:
    place = {one: number for number, one in enumerate(asked)}
    values = np.array([place[x] if isinstance(x, frozenset) else len(asked) + x for x in drawn])
    size = len(asked) + pad
    if size < pad * (4 * pad - 1) * math.exp(epsilon) + 1:  # k-ary answers, which gain from the drawing
        shares = _kary(values, size, math.log(1 + pad * (math.exp(epsilon) - 1)), rng)
    else:
        shares = _hashed(values, size, epsilon, rng)
    return {one: pad * float(shares[place[one]]) for one in asked}


def _oracle(values, size: int, epsilon: float, rng):
    kary = size < 3 * math.exp(epsilon) + 2
    return (_kary if kary else _hashed)(values, size, epsilon, rng)


def _kary(values, size: int, epsilon: float, rng):
    p, q = math.exp(epsilon) / (math.exp(epsilon) + size - 1), 1 / (math.exp(epsilon) + size - 1)
    moved = (values + rng.integers(1, size, len(values))) % size
    answers = np.where(rng.random(len(values)) < p, values, moved)
    return (np.bincount(answers, minlength=size) / len(values) - q) / (p - q)


def _hashed(values, size: int, epsilon: float, rng):
    buckets = round(math.exp(epsilon)) + 1
    p, q = math.exp(epsilon) / (math.exp(epsilon) + buckets - 1), 1 / buckets
    true = np.bincount(values, minlength=size)
    supports = rng.binomial(true, p) + rng.binomial(len(values) - true, q)
    return (supports / len(values) - q) / (p - q)


def _guess(singles, supports, number: int) -> list[frozenset[int]]:
    """The sets with the largest products: all of two or three items, longer ones of the best items."""
    most = supports[singles[0]]
    weight = {next(iter(one)): max(0.9 * supports[one] / most, 0.0) for one in singles}
    items = sorted(weight, key=lambda i: -weight[i])
    products: dict[frozenset[int], float] = {}
    for length in range(2, 9):
        few = items if length < 4 else items[: 24 if length == 4 else 16]
        for chosen in combinations(few, length):
            products[frozenset(chosen)] = math.prod(weight[i] for i in chosen)
    return sorted(products, key=lambda one: -products[one])[:number]


def exact_gamma(question) -> Fraction:
    """The largest ratio of two baskets' chances to give the same answer."""
    baskets = [
        frozenset(s) for n in range(len(question.items) + 1) for s in combinations(range(len(question.items)), n)
    ]
    laws = [basket_law(question, basket) for basket in baskets]
    return max(law.get(answer, Fraction(0)) / min(other[answer] for other in laws) for law in laws for answer in law)
