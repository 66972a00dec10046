"""How every benchmark times: the two sides by turns, the median of each, and how far the runs lie apart."""

import time
from collections.abc import Callable
from statistics import median
from typing import Any

__all__ = ["compare", "peak_memory"]


def compare(
    claim: str,
    ours: Callable[[], Any],
    rival: Callable[[], Any],
    *,
    rival_name: str,
    repeats: int = 5,
    settings: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Time both by turns after one warm-up of each; the ratio is the rival's median over ours."""
    ours()
    rival()
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(max(repeats, 3)):
        for side, call in zip(times, (ours, rival), strict=True):
            began = time.perf_counter()
            call()
            side.append(time.perf_counter() - began)
    own, other = (median(side) for side in times)
    ratios = [b / a for a, b in zip(*times, strict=True)]
    return {
        "claim": claim,
        "ours": round(own, 5),
        "rival": {"name": rival_name, "seconds": round(other, 5)},
        "ratio": round(other / own, 3),
        "spread": [round(min(ratios), 3), round(max(ratios), 3)],
        "settings": {"repeats": max(repeats, 3), **(settings or {})},
    }


def peak_memory(call: Callable[[], Any]) -> tuple[Any, int]:
    """The result of a call and the bytes by which it raised the process's peak resident memory.

    Meaningful once per process and only for a call that needs more than anything before it; Linux and macOS.
    """
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = call()
    return result, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
