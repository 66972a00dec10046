"""Output privacy of a whole run, from its file and passport alone.

What follows without the true counts: the noise is enough; every value is one that the noise can give, and large enough
to be published; the releases are one chain, none missing; and some counts exist that explain all of them: smaller sets
are in at least as many records, and a count moves no faster than records come and go; by the paper's schemes, one count
has one value.
Whether the noise was drawn as the law says, only the owner can see.
"""

import itertools
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from confide.audit.verifiers.streams.block_claims import BlockClaims
from confide.audit.verifiers.streams.noise_claims import NoiseClaims
from confide.audit.verifiers.streams.run_passport import check_run_passport
from confide.core.checks import Check
from confide.core.streams.header import KeyedLaws
from confide.core.streams.releases import WindowRelease
from confide.core.streams.run import StreamRun

if TYPE_CHECKING:
    from confide.core.passport import Passport

__all__ = ["verify_output_privacy"]

_MOST_RECORDS = 1 << 40
_LATEST = 1e15
_MOST_SUBSETS = 1 << 10
Range = tuple[int, int]
Claims = NoiseClaims | BlockClaims


def verify_output_privacy(run: StreamRun, passport: "Passport") -> Iterable[Check]:
    """Every check of a run; those that need earlier ones are left out when these fail."""
    keyed = isinstance(run.header.noise, KeyedLaws)
    claims: Claims = BlockClaims(run.header) if keyed else NoiseClaims(run.header)
    yield check_run_passport(run, passport)
    fault = claims.sound()
    yield Check(name="the first line makes sense", ok=not fault, detail=fault or _window(run))
    if fault:
        return
    yield from claims.checks()
    yield Check(
        name="the noise came from a key" if keyed else "the noise came from the operating system",
        ok=True,
        weak=run.header.randomness.get("source") not in ("system", "key"),
        detail=str(run.header.randomness.get("source"))[:20],
    )
    chain = _chain(run)
    yield chain
    if not chain.ok:
        return
    values = _values(run, claims)
    yield values
    if not values.ok:
        return
    yield from _explained(run, claims, one_value=not keyed)


def _window(run: StreamRun) -> str:
    header = run.header
    size = f"{header.records:,} records" if header.records is not None else f"{header.seconds:g} seconds"
    step = f"{header.every:,} records" if header.every_seconds is None else f"{header.every_seconds:g} seconds"
    return f"windows of {size}, a release every {step}"


def _chain(run: StreamRun) -> Check:
    """Every release holds the hash of the one before; numbers, ids and offsets follow each other."""
    name, header = "the releases are one chain", run.header
    before, offset = header.sha256, 0
    time = float("-inf")
    for number, release in enumerate(run.releases, start=1):
        records = release.data.n_transactions
        fault = ""
        if release.previous != before or release.number != number or release.id != f"{header.run}-{number}":
            fault = "does not follow the one before"
        elif release.offset < offset + ((header.every or 0) if number > 1 else 1) or release.offset < records:
            fault = "comes too soon after the one before"
        elif header.records is not None and (records != header.records or release.until is not None):
            fault = "is of another window"
        elif header.seconds is not None and not _is_time(release.until, time):
            fault = "lacks its time, or goes back in time"
        elif header.every_seconds is not None and not _is_block_end(release.until, time, header.every_seconds):
            fault = "does not end with a block"
        elif records > _MOST_RECORDS:
            fault = "counts more records than anybody has"
        if fault:
            return Check(name=name, ok=False, detail=f"release {number} {fault}")
        before, offset = release.sha256, release.offset
        time = time if release.until is None else release.until
    return Check(name=name, ok=bool(run.releases), detail=f"{len(run.releases):,} releases, {offset:,} records")


def _is_time(found: float | None, before: float) -> bool:
    return type(found) is float and before <= found and abs(found) < _LATEST


def _is_block_end(found: float | None, before: float, step: float) -> bool:
    """Whether a window ends where a block does, a block or more after the window before."""
    if found is None:
        return False
    number = round(found / step)
    return number * step == found and (before == float("-inf") or number > round(before / step))


def _values(run: StreamRun, claims: Claims) -> Check:
    name, least = "every value is one that the noise gives and membership allows", claims.threshold
    count = 0
    for release in run.releases:
        data = release.data
        if len(set(_sets(data.offsets.tolist(), data.items.tolist()))) < len(data):
            return Check(name=name, ok=False, detail=f"release {release.number} has a set twice")
        for value in set(data.supports.tolist()):
            low, high = claims.counts_behind(value, data.n_transactions)
            large = value > claims.ceiling(data.n_transactions)
            if value < least or large or low > high:
                size = "small" if value < least else "large"
                fault = f"is too {size} to be published" if value < least or large else "no count can give"
                return Check(name=name, ok=False, detail=f"release {release.number} has a value that {fault}")
        count += len(data)
    return Check(name=name, ok=True, detail=f"{count:,} values, the least allowed is {least}")


def _sets(ends: list[int], items: list[int]) -> Iterator[tuple[int, ...]]:
    return (tuple(items[a:b]) for a, b in pairwise(ends))


def _explained(run: StreamRun, claims: Claims, *, one_value: bool) -> Iterator[Check]:
    """Whether some counts explain all values: by inclusion, over time, and, if so drawn, one value for one count."""
    nested, moving, single = 0, 0, 0
    last: dict[frozenset[str], tuple[Range, int, int]] = {}
    epoch: dict[int, Range] = {}
    for release in run.releases:
        records = release.data.n_transactions
        ranges = {labels: claims.counts_behind(value, records) for labels, value in release.data.as_dict().items()}
        nested = nested or (release.number if _crossed(ranges) else 0)
        moving = moving or (release.number if _jumped(last, ranges, release) else 0)
        if not one_value:
            continue
        if run.header.epoch is not None and (release.number - 1) % run.header.epoch == 0:
            epoch = {}
        known_before = len(epoch)
        for value in set(release.data.supports.tolist()):
            low, high = claims.counts_behind(value, records)
            known = epoch.get(value, (low, high))
            epoch[value] = min(low, known[0]), max(high, known[1])
        if not single and len(epoch) > known_before and not _apart(epoch.values()):
            single = release.number
    for name, at in (
        ("a smaller set is in as many records or more", nested),
        ("counts move no faster than the window", moving),
        *((("no count needs two values", single),) if one_value else ()),
    ):
        yield Check(name=name, ok=not at, detail=f"no counts explain release {at}" if at else "")


def _crossed(ranges: dict[frozenset[str], Range]) -> bool:
    """Whether some set needs a larger count than a set inside it can have, however many items lie between them."""
    most: dict[frozenset[str], int | None] = {}  # the least bound on any published set inside; None: there is none

    def bound(labels: frozenset[str]) -> int | None:
        if labels not in most:
            inside = [found for item in labels if len(labels) > 1 and (found := bound(labels - {item})) is not None]
            own = [ranges[labels][1]] if labels in ranges else []
            most[labels] = min([*inside, *own], default=None)
        return most[labels]

    far: list[frozenset[str]] = []
    for labels in sorted(ranges, key=len):
        gaps = len(labels) > 1 and any(labels - {item} not in most for item in labels)
        if gaps and 1 << len(labels) > _MOST_SUBSETS:
            far.append(labels)
            continue
        allowed = bound(labels)
        if allowed is not None and ranges[labels][0] > allowed:
            return True
    return bool(far) and _far_crossed(ranges, far)


def _far_crossed(ranges: dict[frozenset[str], Range], long: list[frozenset[str]]) -> bool:
    """The same for sets too long to try all their subsets: against each set that was published."""
    codes: dict[str, int] = {}
    masks = {labels: sum(1 << codes.setdefault(item, len(codes)) for item in labels) for labels in ranges}
    rising = sorted((high, masks[labels]) for labels, (_, high) in ranges.items())
    for labels in long:
        low, mask = ranges[labels][0], masks[labels]
        if any(other & mask == other for high, other in rising[: bisect_left(rising, (low, 0))]):
            return True
    return False


def _jumped(
    last: dict[frozenset[str], tuple[Range, int, int]], ranges: dict[frozenset[str], Range], new: WindowRelease
) -> bool:
    """Whether a count would have to move faster than records came and left since its set was last published.

    What is left of a range goes on in `last`, so that many small steps cannot add up to one that is too large.
    """
    came, left = new.offset, new.offset - new.data.n_transactions  # in all, so far
    if any(left < gone for _, _, gone in itertools.islice(last.values(), 1)):
        return True
    for labels, (low, high) in ranges.items():
        if labels in last:
            (lowest, highest), before, gone = last[labels]
            low, high = max(low, lowest - (left - gone)), min(high, highest + came - before)
            if low > high:
                return True
        last[labels] = (low, high), came, left
    return False


def _apart(ranges: Iterable[Range]) -> bool:
    """Whether each range can be given a number of its own: earliest end first (Hall)."""
    import heapq

    waiting: list[int] = []
    free = -1
    ordered = sorted(ranges)
    place = 0
    while place < len(ordered) or waiting:
        if not waiting:
            free = max(free, ordered[place][0])
        while place < len(ordered) and ordered[place][0] <= free:
            heapq.heappush(waiting, ordered[place][1])
            place += 1
        if heapq.heappop(waiting) < free:
            return False
        free += 1
    return True
