"""Perturbing at the client: records a second against three libraries of local privacy, and against a plain matrix.

The job the libraries share with us is k-ary randomised response: one of 2,000 cells (six attributes of 4, 5, 5, 5, 2
and 2 values) in, one out, at gamma 19 (epsilon = ln 19). Their clients take one value a call, so each is called as its
documentation calls it, on fewer records; seconds are for a million records on both sides. Ours draws from the system's
randomness, exactly; multi-freq-ldpy and pure-ldp draw from Mersenne Twisters with floating-point chances, opendp from
the system as well. One thread throughout, so seconds are those the processor spent: others may share the machine.

EMASK perturbs BMS-WebView-2 at the paper's p and q (Table 3.1), against numpy drawing the boolean matrix in blocks.
"""

import importlib.util
import math
import pathlib
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from confide.collect import Emask, GammaDiagonal
from confide.core.transactions.container import Transactions

DOMAINS, GAMMA = (4, 5, 5, 5, 2, 2), 19
RECORDS, ROUNDS, SEED = 4_000_000, 5, 1
P, Q = 0.5350, 0.9958


def million(call: Callable[[], object], records: int) -> float:
    """Processor seconds for a million records, from one call on `records` of them."""
    began = time.process_time()
    call()
    return (time.process_time() - began) * 1e6 / records


def rivals(cells: int, values: list[int]) -> Iterator[tuple[str, Callable[[], object], int]]:
    """(name, perturb some records, how many) for each library that is installed."""
    epsilon = math.log(GAMMA)
    if _there("pure_ldp", "statsmodels"):  # the second is needed to import the first
        from pure_ldp.frequency_oracles.direct_encoding import DEClient

        client = DEClient(epsilon=epsilon, d=cells, index_mapper=lambda value: value)
        yield "pure-ldp", lambda: [client.privatise(value) for value in values], len(values)
    if _there("multi_freq_ldpy"):
        from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client

        yield "multi-freq-ldpy", lambda: [GRR_Client(value, cells, epsilon) for value in values], len(values)
    if _there("opendp"):
        import opendp.prelude as dp

        dp.enable_features("contrib")
        chance = GAMMA / (GAMMA + cells - 1)
        respond = dp.m.make_randomized_response(list(range(cells)), prob=chance)
        few = values[:1000]
        yield "opendp", lambda: [respond(value) for value in few], len(few)


def _there(*packages: str) -> bool:
    absent = [name for name in packages if importlib.util.find_spec(name) is None]
    if absent:
        print(f"perturbing: {absent[0]} is not installed; left out", file=sys.stderr)
    return not absent


def boolean_matrix(tx: Transactions, block: int = 2000) -> int:
    """EMASK as it is written down: the matrix of all entries, block by block; gives the number of ones."""
    draw = np.random.default_rng(SEED)
    ones = 0
    for start in range(0, len(tx), block):
        rows = tx.take(np.arange(start, min(start + block, len(tx))))
        truth = np.zeros((len(rows), tx.n_items), dtype=np.bool_)
        truth[np.repeat(np.arange(len(rows)), rows.lengths), rows.indices] = True
        uniform = draw.random(truth.shape, dtype=np.float32)
        ones += len(np.flatnonzero(np.where(truth, uniform < P, uniform >= Q)))
    return ones


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Ours against each library, then EMASK against the matrix."""
    scheme = GammaDiagonal(domains=DOMAINS, gamma=GAMMA)
    draw = np.random.default_rng(SEED)
    codes = np.column_stack([draw.integers(0, size, RECORDS) for size in DOMAINS]).astype(np.int32)
    whole = scheme.fields.join(codes)
    for name, call, records in rivals(scheme.cells, whole[:20_000].tolist()):
        for form, given in (("six columns of codes", codes), ("cells", whole)):
            yield _row(
                f"perturb records of 2,000 cells, given as {form}",
                lambda given=given: million(lambda: scheme.perturb(given), RECORDS),  # type: ignore[misc]
                lambda call=call, records=records: million(call, records),  # type: ignore[misc]
                name,
                f"gamma {GAMMA}; {RECORDS:,} records, rival {records:,}; seconds a million records",
            )
    tx = Transactions.read(data / "bms/BMS-WebView-2.dat.gz")
    many = tx.take(np.tile(np.arange(len(tx)), 5))
    emask = Emask(p=P, q=Q)
    yield _row(
        "perturb BMS-WebView-2 with EMASK",
        lambda: million(lambda: emask.perturb(many), len(many)),
        lambda: million(lambda: boolean_matrix(tx), len(tx)),
        "numpy, boolean matrix in blocks",
        f"p {P}, q {Q}; {len(many):,} transactions, rival {len(tx):,}; seconds a million transactions",
    )


def _row(claim: str, ours: Callable[[], float], rival: Callable[[], float], name: str, settings: str) -> dict[str, Any]:
    """Both by turns after one warm-up of each."""
    ours(), rival()
    pairs = [(ours(), rival()) for _ in range(ROUNDS)]
    ratios = [other / own for own, other in pairs]
    own, other = (statistics.median(side) for side in zip(*pairs, strict=True))
    return {
        "claim": f"{claim}: {1 / own:.1f} million a second",
        "ours": round(own, 5),
        "rival": {"name": name, "seconds": round(other, 5)},
        "ratio": round(statistics.median(ratios), 1),
        "spread": [round(min(ratios), 1), round(max(ratios), 1)],
        "settings": f"{settings}; median of {ROUNDS}; seed {SEED}; system randomness",
    }
