"""The owner's own auditor of a run by blocks: every release against the true counts, and its noise drawn again.

With the key it can draw any noise again, by code of its own; it does so for some sets of each release, others each
time, and sees that those were published with that very value, or were not.
"""

import hashlib
import json
import struct
from bisect import bisect_right
from itertools import accumulate
from typing import Any

from confide.audit.verifiers.streams.block_claims import BlockClaims
from confide.core.errors import VerificationError
from confide.core.itemsets.container import Itemsets
from confide.core.streams.header import LawWeights, StreamHeader, unchained

__all__ = ["BlockWatch", "NoiseAgain", "refused"]

_DRAWN_AGAIN = 3  # sets of each release
_MOST_LABELS = 1 << 16


class BlockWatch:
    """Checks one release after another; `check` raises VerificationError and nothing leaves.

    `key` is the run's; `number` how many releases there were, and `sha256` where the chain stands.
    """

    def __init__(self, header: StreamHeader, *, key: bytes, number: int = 0, sha256: str | None = None):
        self.claims = BlockClaims(header)
        fault = self.claims.sound() or next((x.name for x in self.claims.checks() if not x.ok), "")
        if fault:
            raise VerificationError(f"the run cannot keep its promise: {fault}")
        self.header, self.number = header, number
        self.sha256 = header.sha256 if sha256 is None else sha256
        self._again = NoiseAgain(self.claims, key)
        self._block: int | None = None

    def check(self, line: bytes, true: Itemsets, block: int) -> None:
        """See that a line may leave; `true` are the itemsets of its window with their counts, `block` its newest."""
        body, digest = unchained(line)
        found = json.loads(line)
        number = self.number + 1
        if hashlib.sha256(body).hexdigest() != digest or found["previous"] != self.sha256:
            raise refused(number, "the chain of hashes is broken")
        if found["release"] != number or found["id"] != f"{self.header.run}-{number}":
            raise refused(number, "another number follows")
        if found["records"] != true.n_transactions:
            raise refused(number, "it counts another window")
        if self._block is not None and block <= self._block:
            raise refused(number, "its noise was used before")
        self._values(found["itemsets"], true, block)
        self.number, self.sha256, self._block = number, digest, block

    def _values(self, published: list[tuple[list[str], int]], true: Itemsets, block: int) -> None:
        number, reach = self.number + 1, self.claims.laws.reach
        low, high = self.claims.threshold, self.claims.ceiling(true.n_transactions)
        names, ends, items = true.labels, true.offsets.tolist(), true.items.tolist()
        counts = true.supports.tolist()
        held = {}
        for i, count in enumerate(counts):
            held[tuple([names[j] for j in items[ends[i] : ends[i + 1]]])] = count
        out = {}
        for labels, value in published:
            key = tuple(labels)
            count = held.get(key)
            if count is None or key in out:
                raise refused(number, "a set that was not mined, or is there twice")
            if not -reach <= value - count <= reach:
                raise refused(number, "a value that its noise cannot give")
            if not low <= value <= high:
                raise refused(number, "a value that may not be published")
            out[key] = value
        sets = list(held)
        for turn in range(min(_DRAWN_AGAIN, len(sets))):
            key = sets[(self.number * _DRAWN_AGAIN + turn) * 7919 % len(sets)]
            value = held[key] + self._again.noise(key, block)
            leaves = low <= value <= high and held[key] >= low - reach
            if out.get(key) != (value if leaves else None):
                raise refused(number, "a value with other noise than its key gives")


class NoiseAgain:
    """The noise of any set in any window, drawn under the key: slowly, and by code of its own."""

    def __init__(self, claims: BlockClaims, key: bytes):
        self.claims, self._key = claims, key
        laws = claims.laws
        self._items, self._lanes = self._bytes("items"), dict[str, tuple[int, int]]()
        self._block = self._opened(laws.block)
        self._stays = None if laws.permanent is None else self._opened(laws.permanent)

    def noise(self, labels: tuple[str, ...], block: int) -> int:
        """What is added to the count of a set in the window whose newest block has this number."""
        reach = self.claims.laws.reach
        first, second = 0, 0
        for label in labels:
            lane = self._lanes.get(label) or self._lane(label)
            first, second = first + lane[0], second + lane[1]
        lanes = first % (1 << 64), second % (1 << 64)
        total = 0 if self._stays is None else self._draw_noise(self._stays, lanes, [0])
        total += self._draw_noise(self._block, lanes, self._slots(block))
        return max(-reach, min(reach, total))

    def _lane(self, label: str) -> tuple[int, int]:
        """The two words of a label, kept for as many labels as there is room for."""
        if len(self._lanes) >= _MOST_LABELS:
            self._lanes.clear()
        found = hashlib.shake_256(self._items + label.encode()).digest(16)
        lane = self._lanes[label] = int.from_bytes(found[:8], "little"), int.from_bytes(found[8:], "little")
        return lane

    def _slots(self, block: int) -> list[int]:
        span, blocks = self.claims.header.requirement.span, self.claims.laws.blocks
        low = (1 << 56) - 1
        if span == "release":
            return [16 << 56 | (block & low)]
        if span == "run":
            return [16 << 56 | (b & low) for b in range(block - blocks + 1, block + 1)]
        slots, start, left = [], block - blocks + 1, blocks
        while left:
            level = 0
            while start % (2 << level) == 0 and (2 << level) <= left:
                level += 1
            slots.append((16 + level) << 56 | (start >> level & low))
            start, left = start + (1 << level), left - (1 << level)
        return slots

    def _bytes(self, purpose: str) -> bytes:
        return hashlib.shake_256(b"confide stream noise 1\0" + purpose.encode() + b"\0" + self._key).digest(32)

    def _opened(self, law: LawWeights) -> tuple[Any, LawWeights, list[int]]:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        words = " ".join(["draw", str(law.first), *map(str, law.weights)])
        return Cipher(algorithms.AES(self._bytes(words)), modes.ECB()).encryptor(), law, [*accumulate(law.weights)]

    def _draw_noise(self, opened: tuple[Any, LawWeights, list[int]], lanes: tuple[int, int], slots: list[int]) -> int:
        cipher, law, ends = opened
        form, (first, second) = f"<{2 * len(slots)}Q", lanes
        text = struct.pack(form, *[word for slot in slots for word in (first, second ^ slot)])
        words = struct.unpack(form, cipher.update(text))[::2]
        return sum([law.first + bisect_right(ends, word >> 11) for word in words])


def refused(number: int, why: str) -> VerificationError:
    """The error that keeps a release back."""
    return VerificationError(f"release {number} may not leave: {why}; nothing of it was handed out")
