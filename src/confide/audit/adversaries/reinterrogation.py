"""The reinterrogation adversary: a collector who asks the perturbed records again once the frequent itemsets are known.

Wherever an itemset X is seen, the adversary claims that its item b is truly there, and is right with the confidence

    |{records in which X is seen and b is true}| / |{records in which X is seen}|

and for each 1 that is seen it uses the X around it that makes it surest. Everything is counted on bitmaps, a block of
records at a time. The true records are needed: this is the owner's own test before a collection, and proves nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.core.figures import ShownFields
from confide.core.itemsets.container import Itemsets
from confide.core.transactions.container import Transactions

__all__ = ["Reinterrogation", "reinterrogate"]

BLOCK = 1 << 17  # records; a bitmap of one item over them is 16 kB and stays in cache
SURE = (0.25, 0.5, 0.75, 0.9)


@dataclass(frozen=True, kw_only=True)
class Reinterrogation(ShownFields):
    """What the adversary can be sure of.

    `mean_confidence` is over the true 1s that are seen and belong to a given itemset; `seen` how many these are, of
    `ones` true 1s in all. `sure` maps a confidence to the share of *all* true 1s that are known at least so surely.
    `worst` lists the surest claims: (itemset, item, confidence, records they are about).
    """

    mean_confidence: float
    seen: int
    ones: int
    sure: dict[float, float]
    worst: tuple[tuple[tuple[str, ...], str, float, int], ...]

    def summary(self) -> str:
        """One line for the owner."""
        return (
            f"of {self.ones:,} true 1s {self.sure[0.5]:.1%} are known with a confidence of a half or more, "
            f"{self.sure[0.9]:.1%} with 0.9 or more"
        )


def reinterrogate(
    true: Transactions, perturbed: Transactions, itemsets: Itemsets, *, fewest: int = 10, shown: int = 10
) -> Reinterrogation:
    """Play that adversary with these itemsets (say, the frequent ones of the true records).

    `fewest` is how many records a claim must be about to be listed among the `shown` worst. Memory: two bitmaps for
    each item; time grows with records times the total length of the itemsets.
    """
    if len(true) != len(perturbed):
        raise UsageError(
            f"{len(perturbed):,} perturbed records for {len(true):,} true ones; they must be the same people"
        )
    if len(itemsets) == 0:
        raise InputError("no itemset is known, so there is nothing to ask with")
    sets = [[itemsets.labels[c] for c in codes] for codes in _each(itemsets)]
    items = sorted({item for one in sets for item in one})
    place = {item: i for i, item in enumerate(items)}
    coded = [[place[item] for item in one] for one in sets]
    times = np.zeros(len(sets), dtype=np.int64)
    hits = [np.zeros(len(one), dtype=np.int64) for one in coded]
    for held, seen in _blocks(true, perturbed, items):
        for i, one in enumerate(coded):
            around = np.bitwise_and.reduce(seen[one], axis=0)
            times[i] += _ones(around)
            hits[i] += np.array([_ones(around & held[b]) for b in one])
    confidence = [h / max(n, 1) for h, n in zip(hits, times.tolist(), strict=True)]
    claims = [(float(c), i, b) for i, found in enumerate(confidence) for b, c in zip(coded[i], found, strict=True)]
    claims.sort(key=lambda claim: -claim[0])
    known = _tally(_blocks(true, perturbed, items), coded, claims)
    right = np.array([n for _, n in known], dtype=np.float64)
    sure = np.array([c for c, _ in known])
    ones = len(true.indices)
    return Reinterrogation(
        mean_confidence=float((right * sure).sum() / max(right.sum(), 1)),
        seen=int(right.sum()),
        ones=ones,
        sure={level: float(right[sure >= level].sum() / max(ones, 1)) for level in SURE},
        worst=tuple((tuple(sets[i]), items[b], c, int(times[i])) for c, i, b in claims if times[i] >= fewest)[:shown],
    )


def _tally(
    blocks: Iterator[tuple[NDArray[np.uint64], NDArray[np.uint64]]],
    sets: list[list[int]],
    claims: list[tuple[float, int, int]],
) -> list[tuple[float, int]]:
    """(confidence, true 1s known so surely): each 1 that is seen counts with the surest claim about it."""
    right = np.zeros(len(claims), dtype=np.int64)
    for held, seen in blocks:
        left = held & seen  # 1s no claim has reached yet, by item
        for i, (_, x, b) in enumerate(claims):
            if not left[b].any():
                continue
            reached = np.bitwise_and.reduce(seen[sets[x]], axis=0) & left[b]
            right[i] += _ones(reached)
            left[b] ^= reached
    return [(claim[0], int(n)) for claim, n in zip(claims, right, strict=True)]


def _blocks(
    true: Transactions, perturbed: Transactions, items: list[str]
) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.uint64]]]:
    """(bitmaps of what is true, of what is seen) for each block of records, one row an item."""
    for start in range(0, len(true), BLOCK):
        stop = min(start + BLOCK, len(true))
        yield _bitmaps(true, items, start, stop), _bitmaps(perturbed, items, start, stop)


def _bitmaps(tx: Transactions, items: list[str], start: int, stop: int) -> NDArray[np.uint64]:
    row = np.full(tx.n_items + 1, -1, dtype=np.int64)
    for i, item in enumerate(items):
        row[tx.codes.get(item, -1)] = i
    row[-1] = -1
    codes = row[tx.indices[tx.indptr[start] : tx.indptr[stop]]]
    records = np.repeat(np.arange(stop - start), tx.lengths[start:stop])
    bits = np.zeros((len(items), (BLOCK + 63) // 64 * 64), dtype=np.bool_)
    keep = codes >= 0
    bits[codes[keep], records[keep]] = True
    return np.packbits(bits, axis=1).view(np.uint64)


def _each(itemsets: Itemsets) -> Iterator[NDArray[np.int32]]:
    offsets, items = itemsets.coded()
    for i in range(len(itemsets)):
        yield items[offsets[i] : offsets[i + 1]]


def _ones(words: NDArray[np.uint64]) -> int:
    return int(np.bitwise_count(words).sum())
