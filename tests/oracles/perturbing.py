"""Perturbation schemes by their definitions: the exact law of every perturbed record, by enumeration.

A law is {what leaves: its chance}, in fractions, without chances of 0. Records of items are frozensets of positions,
categorical records tuples of codes.
"""

import itertools
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction

import numpy as np
from scipy.stats import chisquare

__all__ = [
    "assert_follows",
    "chain",
    "cut_and_paste",
    "flipping",
    "gamma",
    "gamma_diagonal",
    "one_of_each",
    "partial_supports",
    "subsets",
]

Law = dict[Hashable, Fraction]


def subsets(n: int, most: int | None = None) -> list[frozenset[int]]:
    """Every set of at most `most` of n items."""
    lengths = range((n if most is None else min(most, n)) + 1)
    return [frozenset(s) for length in lengths for s in itertools.combinations(range(n), length)]


def one_of_each(sizes: Iterable[int]) -> list[frozenset[int]]:
    """The true records of fields mapped to boolean columns."""
    starts = np.cumsum([0, *sizes])
    return [
        frozenset(int(start) + code for start, code in zip(starts, codes, strict=False))
        for codes in itertools.product(*(range(size) for size in sizes))
    ]


def _independent(n: int, chance: Mapping[int, Fraction]) -> Law:
    """Every item enters on its own, with its own chance."""
    return {
        v: weight
        for v in subsets(n)
        if (weight := math.prod((chance[i] if i in v else 1 - chance[i] for i in range(n)), start=Fraction(1)))
    }


def flipping(u: frozenset[int], n: int, p: Fraction, q: Fraction) -> Law:
    """MASK and EMASK: a 1 stays with p, a 0 with q."""
    return _independent(n, {i: p if i in u else 1 - q for i in range(n)})


def cut_and_paste(u: frozenset[int], n: int, most: int, rho: Fraction) -> Law:
    """j uniform on 0..K; min(j, m) items of u, every choice as likely; every other item with chance rho."""
    law: Counter[Hashable] = Counter()
    for j in range(most + 1):
        choices = list(itertools.combinations(sorted(u), min(j, len(u))))
        for kept in choices:
            pasted = _independent(n, {i: Fraction(1) if i in kept else rho for i in range(n)})
            for v, chance in pasted.items():
                law[v] += chance / (most + 1) / len(choices)  # type: ignore[assignment]
    return dict(law)  # type: ignore[arg-type]


def chain(codes: Sequence[int], drawn: Sequence[int], sizes: Sequence[int], gamma: Fraction) -> list[Fraction]:
    """Eq. 4.26: the chances of the next column's values, given the record and the columns drawn so far.

    As long as all earlier columns match the record, its own value of column j weighs gamma + n/n_j - 1 and any other
    n/n_j (n_j: product of the sizes up to j); after the first difference all values are equally likely.
    """
    j = len(drawn)
    if list(drawn) != list(codes[:j]):
        return [Fraction(1, sizes[j])] * sizes[j]
    weights = [Fraction(math.prod(sizes[j + 1 :]))] * sizes[j]
    weights[codes[j]] += gamma - 1
    total = sum(weights)
    return [weight / total for weight in weights]


def gamma_diagonal(u: tuple[int, ...], sizes: Iterable[int], gamma: Fraction) -> Law:
    """Eq. 4.13: gamma x on the diagonal, x elsewhere."""
    cells = list(itertools.product(*(range(size) for size in sizes)))
    x = 1 / (gamma + len(cells) - 1)
    return {v: gamma * x if v == u else x for v in cells}


def gamma(laws: Iterable[Law]) -> Fraction:
    """The largest ratio between the chances of one thing that leaves, under any two truths (Eq. 4.2)."""
    known = list(laws)
    everything = {v for law in known for v in law}
    return max(max(law[v] for law in known) / min(law[v] for law in known) for v in everything)


def partial_supports(laws: Mapping[frozenset[int], Law], itemset: frozenset[int]) -> dict[tuple[int, int], Fraction]:
    """{(l', l): chance}: of a truth with l of the itemset's items, that l' of them are there afterwards.

    Asserts that this is the same for every truth with l items.
    """
    found: dict[tuple[int, int], Fraction] = {}
    for u, law in laws.items():
        for after in range(len(itemset) + 1):
            chance = sum((c for v, c in law.items() if len(v & itemset) == after), start=Fraction(0))  # type: ignore[operator]
            assert found.setdefault((after, len(u & itemset)), chance) == chance
    return found


def assert_follows(drawn: Iterable[Hashable], law: Law, *, rate: float = 1e-6) -> None:
    """That draws follow a law, by a chi-square test whose false-alarm rate is `rate` for a seed chosen beforehand."""
    counts = Counter(drawn)
    assert set(counts) <= set(law), "something was drawn that the law rules out"
    n = sum(counts.values())
    expected = np.array([float(chance) * n for chance in law.values()])
    assert expected.min() >= 5, "too few draws for this test"
    observed = np.array([counts[v] for v in law])
    assert chisquare(observed, expected * (n / expected.sum())).pvalue > rate
