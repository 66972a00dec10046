"""Slow twins of reconstruction: whole matrices, whole laws, all outcomes, in exact fractions."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import comb

Law = Mapping[frozenset[str], Fraction]
Matrix = list[list[Fraction]]


def powerset(items: Iterable[str]) -> list[frozenset[str]]:
    """All subsets, the shorter first."""
    listed = sorted(items)
    return [frozenset(part) for n in range(len(listed) + 1) for part in combinations(listed, n)]


# -- laws: every outcome of one record, with its chance --------------------------------------------------------------


def flipped(record: Iterable[str], universe: Sequence[str], p: Fraction, q: Fraction) -> Law:
    """Mask and Emask, entry by entry."""
    true = set(record)
    law = {}
    for seen in powerset(universe):
        chance = Fraction(1)
        for item in universe:
            stays = p if item in true else q
            chance *= stays if (item in true) == (item in seen) else 1 - stays
        law[seen] = chance
    return law


def cut_and_pasted(record: Iterable[str], universe: Sequence[str], k: int, rho: Fraction) -> Law:
    """Cut-and-Paste as its definition says: how many, which ones, then every other item by itself."""
    true = sorted(record)
    law = dict.fromkeys(powerset(universe), Fraction(0))
    for drawn in range(k + 1):
        kept = min(drawn, len(true))
        for cut in combinations(true, kept):
            others = [item for item in universe if item not in cut]
            for pasted in powerset(others):
                chance = rho ** len(pasted) * (1 - rho) ** (len(others) - len(pasted))
                law[frozenset(cut) | pasted] += chance / (k + 1) / comb(len(true), kept)
    return law


def outcomes(laws: Sequence[Law]) -> Iterator[tuple[list[frozenset[str]], Fraction]]:
    """Every perturbed database that records with these laws can become, and its chance."""
    for seen in product(*(law.items() for law in laws)):
        chance = Fraction(1)
        for _, own in seen:
            chance *= own
        yield [record for record, _ in seen], chance


# -- matrices and their inverses -------------------------------------------------------------------------------------


def inverse(matrix: Matrix) -> Matrix:
    """Gauss and Jordan."""
    n = len(matrix)
    rows = [[*row, *(Fraction(i == j) for j in range(n))] for i, row in enumerate(matrix)]
    for i in range(n):
        pivot = next(r for r in range(i, n) if rows[r][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [entry / rows[i][i] for entry in rows[i]]
        for r in range(n):
            if r != i:
                rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i], strict=True)]
    return [row[n:] for row in rows]


def eq_3_4(p: Fraction, q: Fraction, n: int) -> Matrix:
    """Entry [i][j]: the chance that a record with j of the n items has i of them afterwards."""
    return [
        [
            sum(
                (
                    comb(j, k) * p**k * (1 - p) ** (j - k) * comb(n - j, i - k)
                    * q ** (n - j - i + k) * (1 - q) ** (i - k)
                    for k in range(max(0, i + j - n), min(i, j) + 1)
                ),
                Fraction(0),
            )
            for j in range(n + 1)
        ]
        for i in range(n + 1)
    ]  # fmt: skip


def all_patterns(p: Fraction, q: Fraction, n: int) -> Matrix:
    """The 2**n by 2**n matrix of Eq. 3.4's unreduced form: pattern to pattern, entry by entry."""
    patterns = list(product((0, 1), repeat=n))

    def chance(v: tuple[int, ...], u: tuple[int, ...]) -> Fraction:
        result = Fraction(1)
        for after, before in zip(v, u, strict=True):
            stays = p if before else q
            result *= stays if after == before else 1 - stays
        return result

    return [[chance(v, u) for u in patterns] for v in patterns]


def true_count(rows: Sequence[Iterable[str]], itemset: Iterable[str], p: Fraction, q: Fraction) -> Fraction:
    """Count all 2**n patterns of the itemset in perturbed rows, invert the whole matrix, read off all-ones."""
    items = sorted(itemset)
    patterns = list(product((0, 1), repeat=len(items)))
    counts = dict.fromkeys(patterns, 0)
    for row in rows:
        held = set(row)
        counts[tuple(int(item in held) for item in items)] += 1
    weights = inverse(all_patterns(p, q, len(items)))[-1]
    return sum((weight * counts[pattern] for weight, pattern in zip(weights, patterns, strict=True)), Fraction(0))


# -- mining ------------------------------------------------------------------------------------------------------------


def level_wise(
    universe: Iterable[str], estimate: Callable[[frozenset[str]], Fraction], threshold: int
) -> dict[frozenset[str], Fraction]:
    """Sets whose estimate, and that of all their parts, reaches the threshold."""
    found: dict[frozenset[str], Fraction] = {}
    for candidate in powerset(universe):
        parts = [candidate - {item} for item in candidate]
        if candidate and all(part in found for part in parts if part):
            value = estimate(candidate)
            if value >= threshold:
                found[candidate] = value
    return found
