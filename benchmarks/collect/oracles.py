"""Our frequency oracles beside pure-ldp and multi-freq-ldpy: errors, and how much faster, at gamma 19.

`python -m benchmarks collect.oracles`. One field of 64 values, 5,000 people with geometric shares, 40 seeds; errors
are root mean squares of an estimated share. The ratio is the rival's seconds (answers and estimates) over ours. The
rivals draw one person at a time, from a generator that protects nobody. multi-freq-ldpy cuts negative shares off and
scales the rest to 1: beside it, ours are cut and scaled likewise (both are biased then). Both rivals hash text, which
the xxhash that is pinned takes as bytes only, and seeds beyond 32 bits: here it is encoded for them.
"""

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import xxhash

from confide import Randomness
from confide.collect import LocalHashing, SampledDesign, SubsetSelection, UnaryEncoding

__all__ = ["run"]

VALUES, PEOPLE, GAMMA, SEEDS = 64, 5_000, 19, range(40)
HASHED = range(8)  # seeds of local hashing, of which the rivals hash every value for every person
EPSILON = math.log(GAMMA)


def run(data: Path) -> Iterator[dict[str, Any]]:
    """Yield a record for each rival and mechanism."""
    weights = 0.9 ** np.arange(VALUES)
    truth = np.random.default_rng(1).choice(VALUES, PEOPLE, p=weights / weights.sum())
    domain = {"value": VALUES}
    ours = {
        "k-ary": SampledDesign(domains=domain, gamma=GAMMA, size=1, scheme="k-ary"),
        "optimal unary": UnaryEncoding(domains=domain, gamma=GAMMA),
        "symmetric unary": UnaryEncoding(domains=domain, gamma=GAMMA, symmetric=True),
        "local hashing": LocalHashing(domains=domain, gamma=GAMMA),
        "subset selection": SubsetSelection(domains=domain, gamma=GAMMA),
    }
    for rival, name, estimate in _rivals():
        seeds = HASHED if name == "local hashing" else SEEDS
        error, seconds = _measure(estimate, truth, seeds)
        own, spent = _measure(_ours(ours[name], cut=rival == "multi-freq-ldpy"), truth, SEEDS)
        yield {
            "claim": f"{name}: error and seconds beside {rival}",
            "ours": {"error": round(own, 5), "seconds": round(spent, 4)},
            "rival": {"name": rival, "error": round(error, 5), "seconds": round(seconds, 4)},
            "ratio": round(seconds / spent, 1),
            "spread": None,
            "settings": {
                "values": VALUES,
                "people": PEOPLE,
                "gamma": GAMMA,
                "seeds of the rival": len(seeds),
                "error ratio": round(own / error, 3),
            },
        }


def _measure(estimate: Callable[[Any, int], Any], truth: Any, seeds: range) -> tuple[float, float]:
    shares = np.bincount(truth, minlength=VALUES) / PEOPLE
    estimate(truth[:100], 0)  # compiled before the clock starts
    squares, began = [], time.perf_counter()
    for seed in seeds:
        squares.append(np.mean((np.asarray(estimate(truth, seed)) - shares) ** 2))
    return float(np.sqrt(np.mean(squares))), (time.perf_counter() - began) / len(seeds)


def _ours(scheme: Any, *, cut: bool) -> Callable[[Any, int], Any]:
    values = np.arange(VALUES, dtype=np.int32)[:, None]

    def estimate(truth: Any, seed: int) -> Any:
        answers = scheme.perturb(truth.astype(np.int32)[:, None], randomness=Randomness.seeded(seed))
        shares = scheme.estimator(answers)((0,), values)[0] / len(truth)
        return np.maximum(shares, 0) / np.maximum(shares, 0).sum() if cut else shares

    return estimate


class _Text:
    """What the rivals take from xxhash: the hash of a text."""

    @staticmethod
    def xxh32(text: str, seed: int) -> Any:
        return xxhash.xxh32(text.encode(), seed=int(seed) & 0xFFFFFFFF)


def _rivals() -> Iterator[tuple[str, str, Callable[[Any, int], Any]]]:
    from multi_freq_ldpy.pure_frequency_oracles import GRR, LH, SS, UE
    from pure_ldp.frequency_oracles.direct_encoding import DEClient, DEServer
    from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer, lh_client, lh_server
    from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer

    for module in (LH, lh_client, lh_server):
        module.xxhash = _Text

    def pure(client: Any, server: Any, **options: Any) -> Callable[[Any, int], Any]:
        def estimate(truth: Any, seed: int) -> Any:
            np.random.seed(seed)
            device, collector = client(EPSILON, VALUES, **options), server(EPSILON, VALUES, **options)
            for value in truth.tolist():
                collector.aggregate(device.privatise(value + 1))
            return np.array([collector.estimate(v + 1, suppress_warnings=True) for v in range(VALUES)]) / len(truth)

        return estimate

    def multi(client: Any, server: Any, *options: Any) -> Callable[[Any, int], Any]:
        def estimate(truth: Any, seed: int) -> Any:
            np.random.seed(seed)
            answers = [client(int(value), VALUES, EPSILON, *options) for value in truth]
            sized = () if server is UE.UE_Aggregator_MI else (VALUES,)
            return server(answers, *sized, EPSILON, *options)

        return estimate

    yield "pure-ldp", "k-ary", pure(DEClient, DEServer)
    yield "pure-ldp", "optimal unary", pure(UEClient, UEServer, use_oue=True)
    yield "pure-ldp", "symmetric unary", pure(UEClient, UEServer)
    yield "pure-ldp", "local hashing", pure(LHClient, LHServer, use_olh=True)
    yield "multi-freq-ldpy", "k-ary", multi(GRR.GRR_Client, GRR.GRR_Aggregator_MI)
    yield "multi-freq-ldpy", "optimal unary", multi(UE.UE_Client, UE.UE_Aggregator_MI, True)
    yield "multi-freq-ldpy", "local hashing", multi(LH.LH_Client, LH.LH_Aggregator_MI, True)
    yield "multi-freq-ldpy", "subset selection", multi(SS.SS_Client, SS.SS_Aggregator_MI)
