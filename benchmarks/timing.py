"""How every benchmark times: the two sides by turns, the median of each, and how far the runs lie apart."""

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

__all__ = ["by_turns", "compare", "peak_memory", "seconds"]


def seconds(call: Callable[[], object]) -> float:
    """Time of one call, by the clock."""
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def by_turns(ours: Callable[[], object], rival: Callable[[], object], *, rounds: int) -> dict[str, float]:
    """Both in turn, without a warm-up: the least seconds of each, the median ratio rival / ours, and its spread."""
    pairs = [(seconds(ours), seconds(rival)) for _ in range(rounds)]
    ratios = [other / own for own, other in pairs]
    middle = median(ratios)
    return {
        "ours": min(own for own, _ in pairs),
        "rival": min(other for _, other in pairs),
        "ratio": middle,
        "spread": (max(ratios) - min(ratios)) / middle,
    }


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
            side.append(seconds(call))
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
    """The result of a call, and the bytes of resident memory it needed at its peak above what was there before.

    Linux forgets the peak of a process when it is asked to, so that what came before the call, compiling above all,
    does not hide it. Memory that the process had freed but not given back is not counted again. A call that makes do
    with such memory needs 0: Linux resets the peak to a rough count of pages, some dozens below the exact one it tells
    as resident, so that the difference alone would then be negative.
    """
    Path("/proc/self/clear_refs").write_text("5")
    before = _resident("VmRSS")
    result = call()
    return result, max(0, _resident("VmHWM") - before)


def _resident(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))
