"""Two releases of the same baskets by different settings: whether all their items together keep the promise.

`python -m benchmarks ledger.baskets`. Private items as in the thesis (section 4.5.1): each basket has a copy of its
commonest item. Whoever joins the rows of both releases sees each basket with the items of either; that is held against
the least that each promises (the smaller k and p, the larger h). `ours` is the number of pairs in which it does not
hold, `rival` the same with `after=`, where the second shows only items of the first. *Could be added*: pairs in which
some item of the second release could be added to the first without breaking that promise.
"""

import pathlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from benchmarks.publish.experiment_items import copy_private_items
from confide.audit.verifiers.transactions.coherence import coherence_check
from confide.core.errors import CannotMeetError
from confide.core.requirements import Coherence
from confide.core.series.shown_items import EarlierItems
from confide.core.transactions.container import Transactions
from confide.publish import suppress

SETTINGS = ((0.4, 5, 2), (0.5, 5, 2), (0.6, 5, 2), (0.8, 5, 1), (0.5, 10, 2), (0.6, 20, 1), (0.8, 20, 2), (0.5, 3, 3))


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each set of baskets."""
    yield _pairs("Groceries", Transactions.read(data / "groceries" / "groceries.csv.gz"))
    yield _pairs("BMS-WebView-1", Transactions.read(data / "bms" / "BMS-WebView-1.dat.gz"))


@dataclass(frozen=True)
class _Made:
    requirement: Coherence
    items: frozenset[str]


def _pairs(name: str, baskets: Transactions) -> dict[str, Any]:
    given = copy_private_items(baskets)
    tx, private = given.transactions, given.private
    made = []
    for h, k, p in SETTINGS:
        requirement = Coherence(h=h, k=k, p=p)
        try:
            made.append(_Made(requirement, _items(suppress(tx, requirement, private=private, explain=False).data)))
        except CannotMeetError:
            continue
    counted = {"pairs": 0, "nested": 0, "broken": 0, "could be added": 0, "broken, built on the first": 0}
    for one, other in combinations(made, 2):
        counted["pairs"] += 1
        least = _least(one.requirement, other.requirement)
        first, second = (one, other) if len(one.items) >= len(other.items) else (other, one)
        if second.items <= first.items:
            counted["nested"] += 1
        else:
            counted["broken"] += not _holds(tx, private, first.items | second.items, least)
            more = second.items - first.items
            counted["could be added"] += any(_holds(tx, private, first.items | {item}, least) for item in more)
        earlier = EarlierItems(items=first.items, hashes=("0" * 64,), name="first")
        built = suppress(tx, second.requirement, private=private, explain=False, earlier=earlier).data
        counted["broken, built on the first"] += not _holds(tx, private, first.items | _items(built), least)
    return {
        "claim": f"{name}: pairs of releases whose items together break the promise",
        "ours": counted["broken"],
        "rival": counted.pop("broken, built on the first"),
        "ratio": None,
        "spread": None,
        "settings": {**counted, "settings": len(made), "rival": "built on the first (after=)", "records": len(tx)},
    }


def _items(data: Transactions) -> frozenset[str]:
    supports = data.supports()
    return frozenset(label for label, n in zip(data.labels, supports.tolist(), strict=True) if n)


def _least(one: Coherence, other: Coherence) -> Coherence:
    return Coherence(h=max(one.h, other.h), k=min(one.k, other.k), p=min(one.p, other.p))


def _holds(tx: Transactions, private: tuple[str, ...], items: frozenset[str], least: Coherence) -> bool:
    whole = tx.keep_items(np.array([label in items for label in tx.labels], dtype=np.bool_))
    return bool(coherence_check(whole, least, [label for label in private if label in items]).ok)
