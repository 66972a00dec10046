"""Few blanks by which every row finds k - 1 others that look like it.

A rare combination (fewer than k rows) must leave something blank. Rows with the same pattern form a group; what it
lacks to k is lent by combinations with rows to spare, which then leave the same columns blank. Greedy: always the
pattern that costs least for each rare row it settles; joining a group that is there costs the blanks of the row alone.
Who is left over at the end makes whole groups leave more columns blank. All that is repeated with costs shaken a
little, and the cheapest answer is kept.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.publish.tables.blanking.patterns import Pattern

__all__ = ["Cover", "cover_rare"]

_SHAKEN = 0.3


@dataclass(frozen=True)
class Cover:
    """`taken[p]` are (combination, rows) of pattern p; `left` the rare combinations for which there is none."""

    taken: dict[int, list[tuple[int, int]]]
    left: tuple[int, ...]
    cost: float


def cover_rare(counts: NDArray[np.int64], patterns: Sequence[Pattern], k: int, *, rounds: int) -> Cover:
    """The cheapest of so many covers; the first is not shaken. Fewest rows left come before cost."""
    draw = np.random.default_rng(0)
    settled = np.array([counts[list(pattern.rare)].sum() for pattern in patterns], np.int64)
    lent = np.array([(counts[list(pattern.lenders)] - k).sum() for pattern in patterns], np.int64)
    useful = np.flatnonzero((settled > 0) & (settled + lent >= k))
    costs = np.array([patterns[p].cost for p in useful.tolist()]) * np.maximum(k, settled[useful]) / settled[useful]
    covers = []
    for r in range(rounds):
        factors = 1 + (_SHAKEN * draw.random(len(patterns)) if r else np.zeros(len(patterns)))
        prices = list(zip((costs * factors[useful]).tolist(), useful.tolist(), strict=True))
        covers.append(_cover(counts, patterns, k, factors, prices))
    return min(covers, key=lambda cover: (int(counts[list(cover.left)].sum()), cover.cost))


def _cover(
    counts: NDArray[np.int64],
    patterns: Sequence[Pattern],
    k: int,
    factors: NDArray[np.float64],
    heap: list[tuple[float, int]],
) -> Cover:
    """One cover; `heap` holds the prices of the patterns that may begin, which their factors multiply."""
    waiting = {combo: int(counts[combo]) for combo in np.flatnonzero(counts < k).tolist()}
    spare = {combo: int(counts[combo]) - k for pattern in patterns for combo in pattern.lenders}
    taken: dict[int, list[tuple[int, int]]] = {}

    def price(p: int) -> float | None:
        """What pattern p costs for each rare row that it would settle; None if it can settle none."""
        pattern = patterns[p]
        settled = sum(waiting.get(combo, 0) for combo in pattern.rare)
        if not settled:
            return None
        if p in taken:
            return pattern.cost
        if settled + sum(spare[combo] for combo in pattern.lenders) < k:
            return None
        return float(pattern.cost * max(k, settled) / settled * factors[p])

    heapq.heapify(heap)
    while waiting and heap:
        then, p = heapq.heappop(heap)
        now = price(p)
        if now is None:
            continue
        if now > then + 1e-12:  # others took some of its rows meanwhile: prices only rise until a pattern is taken
            heapq.heappush(heap, (now, p))
            continue
        pattern = patterns[p]
        rows = [(combo, waiting.pop(combo)) for combo in pattern.rare if combo in waiting]
        lacking = 0 if p in taken else k - sum(count for _, count in rows)
        for combo in sorted(pattern.lenders, key=lambda combo: -spare[combo]):
            if lacking <= 0:
                break
            lent = min(lacking, spare[combo])
            if lent:
                spare[combo] -= lent
                lacking -= lent
                rows.append((combo, lent))
        taken.setdefault(p, []).extend(rows)
    for combo in list(waiting):
        if combo in waiting:
            _widen(combo, waiting, spare, taken, patterns, k)
    cost = sum(patterns[p].cost * count for p, rows in taken.items() for _, count in rows)
    return Cover(taken, tuple(waiting), cost)


def _widen(
    combo: int,
    waiting: dict[int, int],
    spare: dict[int, int],
    taken: dict[int, list[tuple[int, int]]],
    patterns: Sequence[Pattern],
    k: int,
) -> None:
    """Settle a combination that found nobody: whole groups, or all rows of others, leave more columns blank with it."""
    best: tuple[float, int, list[tuple[float, int, int]]] | None = None
    for p, pattern in enumerate(patterns):
        if combo not in pattern.rare:
            continue
        fits = {*pattern.rare, *pattern.lenders}
        gained = sum(waiting.get(other, 0) for other in pattern.rare)
        price = pattern.cost * gained
        offers: list[tuple[float, int, int]] = []  # what it costs, a pattern (or -1 and a combination), the rows
        for q, rows in taken.items():
            if rows[0][0] in fits and set(patterns[q].blank) < set(pattern.blank):
                count = sum(many for _, many in rows)
                offers.append(((pattern.cost - patterns[q].cost) * count, q, count))
        offers += [(pattern.cost * (spare[other] + k), -1 - other, spare[other] + k) for other in pattern.lenders]
        used = []
        for offer in sorted(offer for offer in offers if offer[2]):
            if gained >= k:
                break
            used.append(offer)
            price, gained = price + offer[0], gained + offer[2]
        if gained >= k and (best is None or price < best[0]):
            best = price, p, used
    if best is None:
        return
    _, p, used = best
    rows = [(other, waiting.pop(other)) for other in patterns[p].rare if other in waiting]
    for _, q, count in used:
        if q >= 0:
            rows += taken.pop(q)
        else:
            rows.append((-1 - q, count))
            spare[-1 - q] = -k  # all of its rows have gone
    taken.setdefault(p, []).extend(rows)
