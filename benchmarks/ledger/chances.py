"""How much likelier a value becomes, exactly, where places of a cell were refilled by newcomers.

`python -m benchmarks ledger.chances`. A cell of k places shows the same values in both releases; m people left and m
came, with their values. Whoever knows who stayed, left and came, and holds every world equally likely, counts worlds:
of those who left, and of those who came, somebody has each value of a multiset M, and the rest of the values is with
those who stayed:

    worlds(M) = orders(M) x orders(M) x orders(V - M)        chance of v = sum over M of worlds(M) x share of v / all

`ours` is the largest chance minus the share of the value in the cell, over everybody in it, `rival` that of one release
alone, 0. The formula is held against listing every world, for all cells of up to four places.
"""

import pathlib
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import comb, perm
from typing import Any

import numpy as np

from benchmarks.ledger.after import _Series, _with_persons
from benchmarks.publish import adult

PLACES, YEARS_LEFT, CAME = 5, 0.05, 0.1


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each number of refilled places, and one for Adult."""
    checked = _hold_against_listing(4)
    for refilled in range(1, PLACES):
        worst = max((_excess(values, refilled), values) for values in _cells(PLACES))
        yield {
            "claim": f"a cell of {PLACES} places, {refilled} refilled: the largest chance above the share of a value",
            "ours": round(float(worst[0]), 4),
            "rival": 0,
            "ratio": None,
            "spread": None,
            "settings": {"values": list(worst[1]), "cells held against listing all worlds": checked},
        }
    yield _adult(data)


def _cells(places: int) -> list[tuple[int, ...]]:
    """How often each value stands in a cell of so many places, for every cell with two values or more."""
    counts = {tuple(sorted(Counter(v).values())) for v in combinations_with_replacement(range(places), places)}
    return sorted(one for one in counts if len(one) > 1)


def _ways(count: int) -> list[int]:
    """For each number t of `count` equal values that are with those who left: by how much it multiplies the worlds.

    worlds(M) is a constant times the product of 1 / (t! t! (count - t)!) over values; this is a whole number of those.
    """
    return [comb(count, t) * perm(count, count - t) for t in range(count + 1)]


def _summed(counts: tuple[int, ...], refilled: int, doubled: int | None = None) -> int:
    """The worlds in which `refilled` values are with those who left; each counted as often as value `doubled` is."""
    sums = [1]
    for v, count in enumerate(counts):
        own = [n * t if v == doubled else n for t, n in enumerate(_ways(count))]
        found = [0] * min(refilled + 1, len(sums) + len(own) - 1)
        for i, n in enumerate(sums):
            for t, m in enumerate(own[: len(found) - i]):
                found[i + t] += n * m
        sums = found
    return sums[refilled] if refilled < len(sums) else 0


@cache
def _chances(counts: tuple[int, ...], refilled: int) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    """The chance of each value for somebody who stayed, and for somebody who left or came."""
    worlds, left = _summed(counts, refilled), max(1, sum(counts) - refilled)
    taken = [Fraction(_summed(counts, refilled, v), worlds) for v in range(len(counts))]
    stay = tuple((count - n) / left for count, n in zip(counts, taken, strict=True))
    return stay, tuple(n / refilled for n in taken)


def _excess(counts: tuple[int, ...], refilled: int) -> Fraction:
    """The largest chance of a value above its share, over everybody in the cell."""
    if not refilled:
        return Fraction(0)
    stay, moved = _chances(counts, refilled)
    shares = [Fraction(count, sum(counts)) for count in counts]
    known = moved if refilled == sum(counts) else (*stay, *moved)
    return max(chance - share for chance, share in zip(known, shares * 2, strict=False))


def _hold_against_listing(largest: int) -> int:
    """Compare the formula with all worlds, listed; how many cells were compared."""
    compared = 0
    for places in range(2, largest + 1):
        for counts in _cells(places):
            shown = Counter(dict(enumerate(counts)))
            for refilled in range(1, places):
                worlds = [
                    world
                    for world in product(range(len(counts)), repeat=places + refilled)
                    if Counter(world[:places]) == shown and Counter(world[refilled:]) == shown
                ]  # first those who left, then those who stayed, then those who came
                for at, said in ((0, 1), (refilled, 0), (places, 1)):
                    found = [Fraction(sum(w[at] == v for w in worlds), len(worlds)) for v in range(len(counts))]
                    if tuple(found) != _chances(counts, refilled)[said]:
                        raise AssertionError(f"{counts}, {refilled} refilled: the formula does not count worlds")
                compared += 1
    return compared


def _adult(data: pathlib.Path) -> dict[str, Any]:
    """Adult in two years, built on one another: of each cell how much likelier a value became."""
    import tempfile

    import pyarrow as pa

    frame, schema = adult.table(data), adult.schema(sensitive="occupation")
    frame, known = _with_persons(frame, schema)
    draw = np.random.default_rng(1)
    arrival = draw.permutation(frame.num_rows)
    first = int(frame.num_rows / (1 + CAME))
    stay = draw.permutation(arrival[:first])[int(first * YEARS_LEFT) :]
    with tempfile.TemporaryDirectory() as folder:
        series = _Series.new(folder)
        series.release(frame.take(pa.array(np.sort(arrival[:first]))), known, PLACES, 2)
        there = np.sort(np.concatenate([stay, arrival[first:]]))
        series.release(frame.take(pa.array(there)), known, PLACES, 2, carry=0.025)
    before, now = series.ledger.releases
    assert now.places is not None
    assert now.cells is not None
    holder_before = np.flatnonzero(before.groups >= 0)  # place p of the first release is its p-th person
    holder_now = np.full(len(now.cells), -1, dtype=np.int64)
    people = np.flatnonzero(now.places >= 0)
    holder_now[now.places[people]] = people
    places = np.arange(len(holder_before))
    refilled = holder_now[places] != holder_before
    excess, one = [], []
    for cell in np.unique(now.cells[places[refilled]]).tolist():
        inside = places[now.cells[places] == cell]
        counts = tuple(sorted(np.unique(before.values[holder_before[inside]], return_counts=True)[1].tolist()))
        number = int(refilled[inside].sum())
        excess.append(float(_excess(counts, number)))
        one.append(number == 1)
    return {
        "claim": f"Adult, two years, k={PLACES}, l=2: the largest chance above the share of a value, over cells",
        "ours": round(max(excess), 4),
        "rival": 0,
        "ratio": None,
        "spread": None,
        "settings": {
            "cells with refilled places": len(excess),
            "with one": sum(one),
            "most, where one place was refilled": max(e for e, o in zip(excess, one, strict=True) if o),
            "mean": round(float(np.mean(excess)), 4),
        },
    }
