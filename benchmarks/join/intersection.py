"""Private intersection against openmined-psi (its Diffie-Hellman protocol on NIST P-256, in C++), same values.

Both sides of each protocol run in this process, messages and all. openmined-psi is single-threaded, so it is compared
with one thread of ours, too. In both protocols each value is hashed to the curve once and multiplied twice; with
ours both sides learn the intersection, with the rival's only the client. The rival's messages go through protobuf,
ours are bytes; neither crosses a wire. Half of the values are shared. Both sides share the cores of this machine; two
sites with machines of their own encrypt their own values side by side, which saves a quarter of the steps.

The rival of the last row is the least that libsodium needs: a hash and two multiplications for each value of each side.
"""

import hashlib
import pathlib
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from confide.core.runtime.threads import cores
from confide.join import private_intersection

SMALL, LARGE, LARGEST, ROUNDS = 20_000, 100_000, 250_000, 3


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


def libsodium(values: int) -> float:
    """Seconds of one core that libsodium alone would need for so many values at each side."""
    import rbcl

    secret, some = rbcl.crypto_core_ristretto255_scalar_random(), 2_000
    digests = [hashlib.sha512(str(i).encode()).digest() for i in range(some)]
    began = time.process_time()
    points = [rbcl.crypto_core_ristretto255_from_hash(digest) for digest in digests]
    for _ in range(2):
        points = [rbcl.crypto_scalarmult_ristretto255(secret, point) for point in points]
    return (time.process_time() - began) / some * 2 * values


def largest() -> dict[str, Any]:
    """The size of the thesis' Figure 9, against the floor of libsodium, both in seconds of the processor."""
    n = LARGEST
    left, right = [f"key-{i:09}" for i in range(n)], [f"key-{i:09}" for i in range(n // 2, n + n // 2)]
    private_intersection(left[:3000], right[:3000])
    floor = libsodium(n)
    began = time.process_time()
    wall, found = timed(partial(private_intersection, left, right))
    own = time.process_time() - began
    return {
        "claim": f"intersect {n:,} x {n:,} values" + (", same values" if len(found) == n // 2 else ", VALUES DIFFER"),
        "ours": round(own, 2),
        "rival": round(floor, 2),
        "ratio": round(floor / own, 2),
        "spread": None,
        "settings": f"processor's seconds; rival: what libsodium alone would need; ours took {wall:.1f} s by the clock "
        f"on {cores()} cores",
    }


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
    yield largest()
