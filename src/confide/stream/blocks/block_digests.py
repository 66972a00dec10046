"""Which records each block of noise was used for: a block number met again with other records is refused.

Noise that is used twice cancels: whoever subtracts the two releases sees the difference of the records. A digest of
each block that is still in the window is kept in the state, under the key, so that it says nothing about the records.
"""

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from confide.core.errors import InputError
from confide.core.transactions.container import Transactions
from confide.stream.blocks.keyed import KeyedNoise
from confide.stream.blocks.used_blocks import UsedBlocks

__all__ = ["BlockDigests"]

_SIZE = 16


class BlockDigests:
    """Digests of blocks as their records come; `known` are (number, digest) of blocks whose noise was used before, and
    `used`, which knows all blocks of the key, is shown each one that is complete."""

    def __init__(
        self,
        keyed: KeyedNoise,
        known: Iterable[tuple[int, str]] = (),
        *,
        used: UsedBlocks | None = None,
        source: object = None,
    ):
        self._keyed, self._secret = keyed, keyed.derive("digests")
        self._known, self._used, self._source = dict(known), used, source
        self._oldest = min(self._known, default=None)
        self._open: tuple[int, Any] | None = None
        self._labels: tuple[str, ...] = ()
        self._codes = np.zeros((0, 2), dtype=np.uint64)

    def add(self, number: int, rows: Transactions) -> None:
        """Add records to block `number`; the block before it is complete once another number comes."""
        if self._open is None or self._open[0] != number:
            self.close()
            self._open = number, hashlib.blake2b(key=self._secret, digest_size=_SIZE)
        if rows.labels is not self._labels:
            self._labels, self._codes = rows.labels, self._keyed.codes(rows.labels)
        sums = np.zeros((len(rows.indices) + 1, 2), dtype=np.uint64)
        np.cumsum(self._codes[rows.indices], axis=0, out=sums[1:])
        self._open[1].update((sums[rows.indptr[1:]] - sums[rows.indptr[:-1]]).tobytes())

    def close(self) -> None:
        """Complete the block under way; InputError if its number was used for other records."""
        if self._open is None:
            return
        number, digest = self._open[0], self._open[1].hexdigest()
        if self._oldest is not None and number < self._oldest:
            raise InputError(
                f"goes back to block {number}, but blocks up to {max(self._known)} were used: give records that come "
                "after those, or another key with another state",
                source=self._source,
            )
        if self._known.setdefault(number, digest) != digest:
            raise InputError(
                f"block {number} holds other records than before, and noise used twice cancels: give the same "
                "records, or another key with another state",
                source=self._source,
            )
        if self._used is not None:
            self._used.check(number, digest)
        self._open = None

    def check_window_is_new(self, oldest: int) -> None:
        """See that the blocks from number `oldest` on, a whole window, do not hold the records of an earlier window:
        they would be read twice, and two readings average out. InputError otherwise."""
        numbers, digests = zip(*self.live(oldest), strict=True)
        before = None if self._used is None else self._used.find_again(oldest, digests)
        if before is not None:
            raise InputError(
                f"blocks {oldest} to {numbers[-1]} hold the records of blocks {before} to {before + len(numbers) - 1} "
                "again, under other noise, and two readings average out: give only records that come after those that "
                "were read before",
                source=self._source,
            )

    def keep(self, *, sync: bool) -> None:
        """Keep beside the key what its noise is used for: it is about to leave."""
        if self._used is not None:
            self._used.keep(sync=sync)

    def end(self) -> None:
        """No block comes any more."""
        if self._used is not None:
            self._used.close()

    def drop(self) -> None:
        """Leave the block under way out: not all of its records were seen."""
        self._open = None

    def live(self, oldest: int) -> tuple[tuple[int, str], ...]:
        """(number, digest) of the complete blocks from number `oldest` on; older ones are forgotten."""
        self._known = {number: digest for number, digest in self._known.items() if number >= oldest}
        return tuple(sorted(self._known.items()))
