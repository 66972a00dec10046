"""Our frequency oracles beside pure-ldp and multi-freq-ldpy: errors, and how much faster, at gamma 19.

`python -m benchmarks collect.oracles`. One field of 64 values, 5,000 people with geometric shares, five seeds; errors
are root mean squares of an estimated share. The ratio is the rival's seconds (answers and estimates) over ours. The
rivals draw one person at a time, from a generator that protects nobody. Local hashing has no row: pure-ldp's fails with
the xxhash that is pinned ("Strings must be encoded before hashing"). multi-freq-ldpy cuts negative shares off and
scales the rest to 1, ours and pure-ldp do not, so its errors are smaller and biased.
"""

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from confide import Randomness
from confide.collect import SampledDesign, UnaryEncoding

__all__ = ["run"]

VALUES, PEOPLE, GAMMA, SEEDS = 64, 5_000, 19, range(5)
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
    }
    measured = {name: _measure(_ours(scheme), truth) for name, scheme in ours.items()}
    for rival, name, estimate in _rivals():
        error, seconds = _measure(estimate, truth)
        own, spent = measured[name]
        yield {
            "claim": f"{name}: error and seconds beside {rival}",
            "ours": {"error": round(own, 5), "seconds": round(spent, 4)},
            "rival": {"name": rival, "error": round(error, 5), "seconds": round(seconds, 4)},
            "ratio": round(seconds / spent, 1),
            "spread": None,
            "settings": {"values": VALUES, "people": PEOPLE, "gamma": GAMMA, "error ratio": round(own / error, 3)},
        }


def _measure(estimate: Callable[[Any, int], Any], truth: Any) -> tuple[float, float]:
    shares = np.bincount(truth, minlength=VALUES) / PEOPLE
    estimate(truth[:100], 0)  # compiled before the clock starts
    squares, began = [], time.perf_counter()
    for seed in SEEDS:
        squares.append(np.mean((np.asarray(estimate(truth, seed)) - shares) ** 2))
    return float(np.sqrt(np.mean(squares))), (time.perf_counter() - began) / len(SEEDS)


def _ours(scheme: Any) -> Callable[[Any, int], Any]:
    values = np.arange(VALUES, dtype=np.int32)[:, None]

    def estimate(truth: Any, seed: int) -> Any:
        answers = scheme.perturb(truth.astype(np.int32)[:, None], randomness=Randomness.seeded(seed))
        return scheme.estimator(answers)((0,), values)[0] / len(truth)

    return estimate


def _rivals() -> Iterator[tuple[str, str, Callable[[Any, int], Any]]]:
    from multi_freq_ldpy.pure_frequency_oracles import GRR, UE
    from pure_ldp.frequency_oracles.direct_encoding import DEClient, DEServer
    from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer

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
    yield "multi-freq-ldpy", "k-ary", multi(GRR.GRR_Client, GRR.GRR_Aggregator_MI)
    yield "multi-freq-ldpy", "optimal unary", multi(UE.UE_Client, UE.UE_Aggregator_MI, True)
