"""The owner's own auditor, by the paper's schemes: it sees every release before anybody else does, with the true counts
beside it.

It reads the very bytes that are about to leave, and trusts nothing that made them: what is in them is compared with the
counts of the window, with the law of the noise, and with everything it has seen leave before.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from confide.audit.verifiers.streams.block_watch import BlockWatch, refused
from confide.audit.verifiers.streams.noise_claims import NoiseClaims
from confide.core.errors import VerificationError
from confide.core.itemsets.container import Itemsets
from confide.core.streams.header import StreamHeader, unchained

__all__ = ["StreamWatch", "watch_run"]


def watch_run(header: StreamHeader, *, key: bytes | None = None, **begun: Any) -> "StreamWatch | BlockWatch":
    """The auditor of a run: by its key for blocks, by what was said before for the paper's schemes."""
    return StreamWatch(header, **begun) if key is None else BlockWatch(header, key=key, **begun)


class StreamWatch:
    """Checks one release after another; `check` raises VerificationError and nothing leaves.

    `said` are values of earlier releases by count, `last` the counts of the newest one, `number` how many there were
    and `sha256` where the chain stands: what a resumed run goes on from.
    """

    def __init__(
        self,
        header: StreamHeader,
        *,
        said: Mapping[int, int] | None = None,
        last: frozenset[int] = frozenset(),
        number: int = 0,
        offset: int = 0,
        sha256: str | None = None,
    ):
        self.claims = NoiseClaims(header)
        fault = self.claims.sound() or next((x.name for x in self.claims.checks() if not x.ok), "")
        if fault:
            raise VerificationError(f"the run cannot keep its promise: {fault}")
        self.header, self.number, self.offset = header, number, offset
        self.sha256 = header.sha256 if sha256 is None else sha256
        self.said, self._last = dict(said or {}), last
        self._ranges: dict[int, tuple[int, int]] = {}

    def check(self, line: bytes, true: Itemsets, block: int | None = None) -> None:
        """See that a line may leave; `true` are the itemsets of its window with their counts. No scheme here has
        blocks.
        """
        body, digest = unchained(line)
        found = json.loads(line)
        self._chain(body, digest, found)
        if found["records"] != true.n_transactions:
            raise refused(self.number + 1, "it counts another window")
        self._values(found["itemsets"], true)
        self.number, self.offset, self.sha256 = found["release"], found["offset"], digest

    def _chain(self, body: bytes, digest: str, found: dict[str, object]) -> None:
        number = self.number + 1
        if hashlib.sha256(body).hexdigest() != digest or found["previous"] != self.sha256:
            raise refused(number, "the chain of hashes is broken")
        if found["release"] != number or found["id"] != f"{self.header.run}-{number}":
            raise refused(number, "another number follows")
        if not isinstance(found["offset"], int) or found["offset"] < self.offset + (
            self.claims.every if self.number else 1
        ):
            raise refused(number, "it comes too soon after the one before")

    def _values(self, published: list[tuple[list[str], int]], true: Itemsets) -> None:
        number, threshold = self.number + 1, self.claims.threshold
        names, ends, items = true.labels, true.offsets.tolist(), true.items.tolist()
        counts = true.supports.tolist()
        held = {}
        begin = 0
        for end, count in zip(ends[1:], counts, strict=True):
            held[tuple([names[i] for i in items[begin:end]])] = count
            begin = end
        if self.header.epoch is not None and self.number and self.number % self.header.epoch == 0:
            self.said = {count: value for count, value in self.said.items() if count in self._last}
        out: dict[int, int] = {}
        said, ranges = self.said, self._ranges
        for labels, value in published:
            count = held.pop(tuple(labels), None)
            if count is None or count < self.header.requirement.min_support:
                raise refused(number, "a set that is not frequent, or is there twice")
            if out.get(count) == value:
                continue
            before = said.get(count)
            if before is None:
                said[count] = value
            elif before != value:
                raise refused(number, "a count that was said before has another value")
            low, high = ranges.get(count) or self._range(count)
            if not low <= value <= high:
                raise refused(number, "a value that its noise cannot give")
            if value < threshold:
                raise refused(number, "a value too small to be published")
            out[count] = value
        if any(count in out for count in held.values()):
            raise refused(number, "of two sets with one count, one is published and the other is not")
        self._last = frozenset(counts)

    def _range(self, count: int) -> tuple[int, int]:
        low, high = self.claims.shifts(count)
        self._ranges[count] = found = count + low + self.claims.law.first, count + high + self.claims.last
        return found
