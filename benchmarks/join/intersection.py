"""Private intersection against openmined-psi (its Diffie-Hellman protocol on NIST P-256, in C++), same values.

Both sides of each protocol run in this process, messages and all. openmined-psi is single-threaded, so it is compared
with one thread of ours, too. In both protocols each value is hashed to the curve once and multiplied twice; with
ours both sides learn the intersection, with the rival's only the client. The rival's messages go through protobuf,
ours are bytes; neither crosses a wire. Half of the values are shared.
"""

import pathlib
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from confide.join.protocol.intersection import private_intersection

SMALL, LARGE, ROUNDS = 20_000, 100_000, 3


def openmined(left: list[str], right: list[str]) -> list[str]:
    """The values in common by openmined-psi, revealed to the client."""
    import private_set_intersection.python as psi

    client, server = psi.client.CreateWithNewKey(True), psi.server.CreateWithNewKey(True)
    setup = psi.ServerSetup()
    # RAW: the exact protocol; the others are filters that may find values that are not there.
    setup.ParseFromString(server.CreateSetupMessage(0.001, len(left), right, psi.DataStructure.RAW).SerializeToString())
    request = psi.Request()
    request.ParseFromString(client.CreateRequest(left).SerializeToString())
    response = psi.Response()
    response.ParseFromString(server.ProcessRequest(request).SerializeToString())
    return [left[i] for i in client.GetIntersection(setup, response)]


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds and result of one call."""
    began = time.perf_counter()
    result = call()
    return time.perf_counter() - began, result


def row(n: int, *, workers: int | None, rounds: int, claim: str) -> dict[str, Any]:
    """One claim, both by turns."""
    left, right = [f"key-{i:09}" for i in range(n)], [f"key-{i:09}" for i in range(n // 2, n + n // 2)]
    private_intersection(left[:100], right[:100])
    pairs, same = [], True
    for _ in range(rounds):
        own, found = timed(partial(private_intersection, left, right, workers=workers))
        other, expected = timed(partial(openmined, left, right))
        pairs.append((own, other))
        same &= sorted(found) == sorted(expected) == left[n // 2 :]
    ratios = [other / own for own, other in pairs]
    middle = statistics.median(ratios)
    return {
        "claim": claim + (", same values" if same else ", VALUES DIFFER"),
        "ours": round(statistics.median(own for own, _ in pairs), 2),
        "rival": round(statistics.median(other for _, other in pairs), 2),
        "ratio": round(middle, 2),
        "spread": round((max(ratios) - min(ratios)) / middle, 3),
        "settings": f"rival: openmined-psi, RAW, one thread; median of {rounds}",
    }


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """One thread of ours, then all cores at the size of the claim."""
    yield row(SMALL, workers=1, rounds=ROUNDS, claim=f"intersect {SMALL:,} x {SMALL:,} values on one core")
    yield row(LARGE, workers=None, rounds=1, claim=f"intersect {LARGE:,} x {LARGE:,} values on all cores")
