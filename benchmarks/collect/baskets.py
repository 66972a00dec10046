"""The 64 most frequent itemsets of baskets: rounds of questions (SVSM) beside EMASK and a plain reimplementation.

`python -m benchmarks collect.baskets`. F1 of the top 64 at epsilon 1, 2 and ln 19 on BMS-WebView-1 and -2, retail and
the first 36,682 records of kosarak; means of six seeds, `spread` is their standard deviation. The ratio is ours over
the plain reimplementation (`tests/oracles/basket_rounds.py`: numpy's generator, hashed answers drawn by their
binomial law, lengths of baskets brought to shares as in ours).

EMASK has no gamma for whole baskets that means something. Here it keeps epsilon for one swapped item only; its epsilon
for whole baskets stands beside it, and so does the standard error in points that a single support would have if epsilon
held for the longest basket. It is helped: only the 400 most frequent items are perturbed, and it knows the support of
the 64th set.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
from tests.oracles.basket_rounds import plain_search

from confide import Randomness, Transactions
from confide.collect import BasketSearch, Emask
from confide.collect.baskets.basket_search import SHARES
from confide.mining import frequent_itemsets

__all__ = ["run"]

TOP, SEEDS = 64, range(6)
EPSILONS = {"1": 1.0, "2": 2.0, "ln 19": math.log(19)}
FILES = {
    "BMS-WebView-1": "bms/BMS-WebView-1.dat.gz",
    "BMS-WebView-2": "bms/BMS-WebView-2.dat.gz",
    "retail": "retail/retail.dat.gz",
    "kosarak": "kosarak/kosarak_first36682.dat.gz",
}
_ITEMS = 400

Sets = set[frozenset[str]]


def run(data: Path) -> Iterator[dict[str, Any]]:
    """Yield a record for each dataset and epsilon."""
    for name, file in FILES.items():
        baskets = Transactions.read(data / file)
        truth, support = _true_top(baskets)
        numbers = [row.tolist() for row in np.split(baskets.indices, baskets.indptr[1:-1])]
        common = baskets.keep_items(baskets.supports() >= np.sort(baskets.supports())[-_ITEMS:][0]).without_unused()
        for said, epsilon in EPSILONS.items():
            gamma = round(math.exp(epsilon), 12)
            ours = [_f1(_search(baskets, gamma, seed), truth) for seed in SEEDS]
            plain = [_f1(_plain(numbers, baskets.labels, epsilon, seed), truth) for seed in SEEDS]
            one = Emask(p=0.5, q=round(gamma / (1 + gamma), 12))
            each = gamma ** (1 / baskets.longest)  # a swapped item's gamma, if epsilon is for all of a basket
            swapped = [_f1(_emask(one, common, support, seed), truth) for seed in SEEDS]
            noise = 50 / math.sqrt(len(baskets)) * 2 * (1 + each) / (each - 1)
            longest = one.for_items(baskets.labels, baskets.longest).amplification().epsilon
            yield {
                "claim": f"{name}, epsilon {said}: F1 of the top {TOP} itemsets",
                "ours": round(mean(ours), 3),
                "rival": {
                    "name": "plain SVSM",
                    "F1": round(mean(plain), 3),
                    "emask, one item": round(mean(swapped), 3),
                    "its epsilon for whole baskets": round(longest, 1),
                    "its standard error for whole baskets, points": round(noise, 1),
                },
                "ratio": round(mean(ours) / mean(plain), 3) if mean(plain) else None,
                "spread": {
                    "ours": round(stdev(ours), 3),
                    "plain SVSM": round(stdev(plain), 3),
                    "emask, one item": round(stdev(swapped), 3),
                },
                "settings": {"people": len(baskets), "items": baskets.n_items, "seeds": len(SEEDS), "shares": SHARES},
            }


def _true_top(baskets: Transactions) -> tuple[Sets, int]:
    share = 0.05
    while len(found := frequent_itemsets(baskets, min_support=share)) < TOP:
        share /= 2
    ordered = sorted(found, key=lambda one: -one[1])[:TOP]
    return {frozenset(labels) for labels, _ in ordered}, ordered[-1][1]


def _f1(found: Sets, truth: Sets) -> float:
    return 2 * len(found & truth) / (len(found) + len(truth))


def _search(baskets: Transactions, gamma: float, seed: int) -> Sets:
    search = BasketSearch(items=baskets.labels, gamma=gamma, top=TOP)
    return {frozenset(labels) for labels, _ in search.run(baskets, randomness=Randomness.seeded(seed))}


def _plain(numbers: list[list[int]], labels: tuple[str, ...], epsilon: float, seed: int) -> Sets:
    rng = np.random.default_rng(seed)
    found = plain_search(numbers, len(labels), epsilon=epsilon, top=TOP, shares=SHARES, rng=rng)
    return {frozenset(labels[i] for i in one) for one in found}


def _emask(scheme: Emask, baskets: Transactions, support: int, seed: int) -> Sets:
    sent = scheme.perturb(baskets, randomness=Randomness.seeded(seed))
    found = scheme.mine(sent, min_support=support, max_length=4)
    order = np.argsort(-found.columns["estimate"], kind="stable")[:TOP]
    return {frozenset(labels) for labels, _ in found.take(order)}
