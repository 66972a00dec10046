"""Minimal moles and whole releases that keep items (Tree-Cohesion); private items as in section 4.5.1, delta 1.

`python -m benchmarks publish.items`. The one public program for minimal moles takes, by its own logs, 843 to 2,278 s
for T40I10D100K; it cannot be run here. Rivals in the same run:

- *plain*: Figure 13 of the thesis as printed, with each item's records in one Python integer (so that a support is one
  AND and one bit count, in C);
- *pyfim*: Borgelt's eclat (C), asked only how many itemsets of up to p items are in k records or more: less than
  finding minimal moles takes, according to the thesis;
- *scipy*: the sparse product X'X, which counts all pairs.

Seconds are medians of our runs; a rival that takes long runs once, between ours. The verifier's time stands apart.
"""

import pathlib
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from statistics import median
from typing import Any

import numpy as np

from benchmarks.publish.experiment_items import copy_private_items, draw_private_items
from confide.core.errors import CannotMeetError
from confide.core.randomness import Randomness
from confide.core.requirements import Coherence
from confide.core.samples.quest import quest
from confide.core.stages import STAGES
from confide.core.transactions.container import Transactions
from confide.publish import minimal_moles, suppress

RUNS = 3


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each claim."""
    retail, connect = (Transactions.read(data / name / f"{name}.dat.gz") for name in ("retail", "connect"))
    for name, tx, k, p, bound in (
        ("retail", retail, 20, 4, 1.0),
        ("connect", connect, 100, 5, 8.0),
        ("connect", connect, 100, 6, 25.0),
    ):
        yield from _moles_and_release(name, tx, Coherence(h=0.6, k=k, p=p), bound)
    yield _memory(data / "connect" / "connect.dat.gz")
    first = retail.take(np.arange(10_000)).without_unused()
    yield _against_plain("the first 10,000 records of retail", first, Coherence(h=0.6, k=5, p=4))
    yield _against_plain("connect", connect, Coherence(h=0.6, k=100, p=3))
    for name, tx in (("retail", retail), ("connect", connect)):
        yield _refusal(name, tx)
    yield _t40()
    yield _pairs_against_scipy()
    yield _ten_million()


def _moles_and_release(name: str, tx: Transactions, requirement: Coherence, bound: float) -> Iterator[dict[str, Any]]:
    made = copy_private_items(tx)
    search = lambda: minimal_moles(made.transactions, requirement, private=made.private)  # noqa: E731
    found = search()  # compiles, or loads, the kernels
    other: dict[str, Any] = {"name": "none"}
    if requirement.p <= 5:
        rows = [tx.indices[a:b].tolist() for a, b in pairwise(tx.indptr)]
        other = _once("pyfim eclat, only counting the frequent itemsets", lambda: _frequent(rows, requirement))
        other.pop("result")
    times = _times(search)
    settings = {**requirement.to_dict(), "bound_seconds": bound, "minimal_moles_by_size": found.counts()}
    yield _record(f"minimal moles of {name}, p = {requirement.p}", times, other, settings)

    release = suppress(made.transactions, requirement, private=made.private, verify=False)
    whole = _times(lambda: suppress(made.transactions, requirement, private=made.private, verify=False))
    check = STAGES["publish transactions"].verifier("coherence")
    verified: list[Any] = []
    verifying = _times(lambda: verified.append(all(c.ok for c in check(release.data, release.passport))))
    assert all(verified)
    yield {
        "claim": f"whole item-utility release of {name}, p = {requirement.p}, against its minimal moles (at most 3)",
        "ours": round(median(whole), 3),
        "rival": {"name": "minimal moles alone", "seconds": round(median(times), 3)},
        "ratio": round(median(times) / median(whole), 3),
        "spread": _spread(whole),
        "settings": {
            **requirement.to_dict(),
            "verifier_seconds": round(median(verifying), 3),
            "share_of_occurrences_lost": round(release.loss["share_of_occurrences_lost"], 4),
            "worst_k": release.loss["worst_k"],
            "worst_h": round(release.loss["worst_h_share"], 4),
        },
    }


def _against_plain(name: str, tx: Transactions, requirement: Coherence) -> dict[str, Any]:
    made = copy_private_items(tx)
    search = lambda: minimal_moles(made.transactions, requirement, private=made.private)  # noqa: E731
    found = search()
    plain = lambda: plain_moles(made.transactions, requirement, made.private)  # noqa: E731
    other = _once("plain Figure 13 on Python integers", plain)
    assert other.pop("result") == found.counts()
    settings = {**requirement.to_dict(), "minimal_moles_by_size": found.counts()}
    return _record(f"minimal moles of {name}, p = {requirement.p}", _times(search), other, settings)


def _memory(path: pathlib.Path) -> dict[str, Any]:
    """The peak of a process that does nothing else, reading the file included."""
    code = (
        "import resource, sys\n"
        "from confide import Coherence, Transactions\n"
        "from benchmarks.publish.experiment_items import copy_private_items\n"
        "from confide.publish import minimal_moles\n"
        "made = copy_private_items(Transactions.read(sys.argv[1]))\n"
        "minimal_moles(made.transactions, Coherence(h=0.6, k=100, p=6), private=made.private)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    return {
        "claim": "peak memory of a process that finds the minimal moles of connect, p = 6, in megabytes",
        "ours": int(done.stdout),
        "rival": None,
        "ratio": None,
        "spread": None,
        "settings": {"bound_megabytes": 1000},
    }


def _refusal(name: str, tx: Transactions) -> dict[str, Any]:
    made = copy_private_items(tx)
    try:
        minimal_moles(made.transactions, Coherence(h=0.4, k=20, p=4), private=made.private)
    except CannotMeetError as refusal:
        reason = str(refusal)
    return {
        "claim": f"h = 0.4 on {name} is refused with its reason",
        "ours": reason,
        "rival": None,
        "ratio": None,
        "spread": None,
        "settings": {"h": 0.4, "k": 20, "p": 4},
    }


def _t40() -> dict[str, Any]:
    """A random 15% of the items public, the rest private; and plain on a tenth of the data, for the ratio."""
    requirement = Coherence(h=0.4, k=10, p=4)
    seconds, counts = [], []
    tx = quest("T40I10D100K", seed=1)
    for seed in range(1, 6):
        private = draw_private_items(tx, public_share=0.15, randomness=Randomness.seeded(seed))
        began = time.perf_counter()
        counts.append(minimal_moles(tx, requirement, private=private).counts())
        seconds.append(time.perf_counter() - began)
    small = quest("T40I10D10K", seed=1)
    private = draw_private_items(small, public_share=0.15, randomness=Randomness.seeded(1))
    times = _times(lambda: minimal_moles(small, requirement, private=private))
    other = _once("plain Figure 13, on a tenth of the data", lambda: plain_moles(small, requirement, private))
    assert other.pop("result") == minimal_moles(small, requirement, private=private).counts()
    return {
        "claim": "minimal moles of T40I10D100K, 15% of the items public (public program, by its logs: 843 to 2,278 s)",
        "ours": round(median(seconds), 3),
        "rival": other,
        "ratio": round(other["seconds"] / median(times), 1),
        "spread": _spread(seconds),
        "settings": {
            **requirement.to_dict(),
            "bound_seconds": 2.0,
            "five_selections_by_size": counts,
            "ours_on_a_tenth": round(median(times), 3),
        },
    }


def _pairs_against_scipy() -> dict[str, Any]:
    tx = quest("T10I4D1M", items=10_000, patterns=10_000, seed=1)
    requirement = Coherence(h=1.0, k=50, p=2)
    matrix = tx.to_sparse().astype(np.int32)
    minimal_moles(tx, requirement)
    other = _once("scipy X'X", lambda: (matrix.T @ matrix).nnz)
    other.pop("result")
    times = _times(lambda: minimal_moles(tx, requirement))
    return _record("minimal moles of a million T10 transactions, p = 2", times, other, requirement.to_dict())


def _ten_million() -> dict[str, Any]:
    tx = quest("T10I4D10M", items=10_000, patterns=10_000, seed=1)
    requirement = Coherence(h=1.0, k=50, p=2)
    times = _times(lambda: minimal_moles(tx, requirement))
    found = minimal_moles(tx, requirement)
    settings = {
        **requirement.to_dict(),
        "bound_seconds": 15.0,
        "items": tx.n_items,
        "minimal_moles_by_size": found.counts(),
        "peak_megabytes_of_the_process": _peak(),
    }
    return _record("minimal moles of ten million T10 transactions, N = 10,000", times, {"name": "none"}, settings)


# -- rivals ---------------------------------------------------------------------------------------------------------


def plain_moles(tx: Transactions, requirement: Coherence, private: tuple[str, ...]) -> dict[int, int]:
    """Figure 13 as printed (with its errata), on Python integers: how many minimal moles there are of each size."""
    records = [0] * tx.n_items
    held = np.zeros((tx.n_items, len(tx)), dtype=np.bool_)
    held[tx.indices, np.repeat(np.arange(len(tx)), tx.lengths)] = True
    for code in range(tx.n_items):
        records[code] = int.from_bytes(np.packbits(held[code]).tobytes(), "big")
    del held
    hidden = {tx.codes[label] for label in private}
    secrets = sorted((records[s] for s in hidden), key=int.bit_count, reverse=True)

    def is_mole(cohort: int) -> bool:
        support = cohort.bit_count()
        if support < requirement.k:
            return True
        allowed = requirement.most_private(support)
        return any((cohort & s).bit_count() > allowed for s in secrets if s.bit_count() > allowed)

    counts: dict[int, int] = {}
    free = {}
    for code in range(tx.n_items):
        if code not in hidden:
            if is_mole(records[code]):
                counts[1] = counts.get(1, 0) + 1
            else:
                free[(code,)] = records[code]
    for size in range(2, int(requirement.p) + 1):
        larger = {}
        starts: dict[tuple[int, ...], list[int]] = {}
        for itemset in free:
            starts.setdefault(itemset[:-1], []).append(itemset[-1])
        for prefix, lasts in starts.items():
            for a, b in combinations(sorted(lasts), 2):
                candidate = (*prefix, a, b)
                if size > 2 and any((*candidate[:i], *candidate[i + 1 :]) not in free for i in range(size - 2)):
                    continue
                cohort = free[(*prefix, a)] & records[b]
                if not cohort:
                    continue
                if is_mole(cohort):
                    counts[size] = counts.get(size, 0) + 1
                elif size < requirement.p:
                    larger[candidate] = cohort
        free = larger
    return counts


def _frequent(rows: list[list[int]], requirement: Coherence) -> int:
    import fim

    return len(fim.eclat(rows, target="s", supp=-requirement.k, zmin=1, zmax=requirement.p, report="#"))


# -- timing ---------------------------------------------------------------------------------------------------------


def _times(call: Callable[[], Any]) -> list[float]:
    times = []
    for _ in range(RUNS):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return times


def _once(name: str, call: Callable[[], Any]) -> dict[str, Any]:
    began = time.perf_counter()
    result = call()
    return {"name": name, "seconds": round(time.perf_counter() - began, 3), "result": result}


def _spread(times: list[float]) -> list[float]:
    return [round(min(times), 3), round(max(times), 3)]


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _record(claim: str, times: list[float], rival: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    seconds = rival.get("seconds")
    return {
        "claim": claim,
        "ours": round(median(times), 3),
        "rival": rival,
        "ratio": None if seconds is None else round(seconds / median(times), 1),
        "spread": _spread(times),
        "settings": {"runs": RUNS, **settings},
    }
