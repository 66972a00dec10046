"""Memory of published values: one for each support, so that nothing is drawn twice.

Fresh noise on a count that has not changed averages out, and so it does on a count that goes to and fro (100, 101, 100,
...). So a value belongs to a support, not to a release:

- a class keeps its value while any member is unchanged, and newcomers take it: both have the same support;
- a support that returns reuses its value, for the rest of the epoch.

An epoch is a number of releases. At its end, supports that the last release did not have are forgotten; without one,
nothing ever is. `epoch=1` is the paper's rule (Prior Knowledge 5.9), under which counts that go to and fro leak.

What stays visible: that a value has not changed, or has returned. And whoever knows one true support knows the value
of that support, for as long as the epoch lasts.

It is kept as a table with a row for each support: which release had it last, the published value, and its shift. No
row is ever cleared: an epoch that has ended shows in the number of the release.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Memory", "PublishedValue"]

_FIRST_ROWS = 256


class PublishedValue(NamedTuple):
    """The value that was published for a support, and the shift it was drawn with."""

    value: int
    shift: int


class Memory:
    """Published values by support, for `epoch` releases (None: for ever).

    `when[t]` is the release that had support t last, 0 for none; `table[t]` its value and shift; `scratch` are zeros
    that kernels use and leave as zeros.
    """

    when: "NDArray[np.int64]"
    table: "NDArray[np.int64]"
    scratch: "NDArray[np.int64]"

    def __init__(self, epoch: int | None = None):
        import numpy as np

        self.epoch, self.releases = epoch, 0
        self.when, self.scratch = np.zeros(_FIRST_ROWS, dtype=np.int64), np.zeros(_FIRST_ROWS, dtype=np.int64)
        self.table = np.zeros((_FIRST_ROWS, 2), dtype=np.int64)

    @classmethod
    def restore(
        cls, values: Mapping[int, PublishedValue], last: frozenset[int], releases: int, epoch: int | None
    ) -> "Memory":
        """Restore a memory: `values` maps each support to its published value; `last` holds the supports of release
        number `releases`."""
        memory = cls(epoch)
        memory.releases = releases
        memory.make_room(max(values, default=0))
        for support, value in values.items():
            # What the last release did not have is forgotten when the epoch ends, whenever it was there before that.
            memory.when[support] = releases if support in last else releases - 1
            memory.table[support] = value
        return memory

    def make_room(self, support: int) -> None:
        """Add rows until there is one for this support."""
        import numpy as np

        if support < len(self.when):
            return
        more = max(2 * len(self.when), support + 1) - len(self.when)
        self.when, self.scratch = (
            np.concatenate([x, np.zeros(more, dtype=np.int64)]) for x in (self.when, self.scratch)
        )
        self.table = np.concatenate([self.table, np.zeros((more, 2), dtype=np.int64)])

    @property
    def oldest(self) -> int:
        """The number of the oldest release whose values the next one must repeat."""
        return self._oldest(self.releases)

    def _oldest(self, releases: int) -> int:
        return 0 if self.epoch is None else self.epoch * (releases // self.epoch)

    @property
    def values(self) -> dict[int, PublishedValue]:
        """Published values by support, as the last release left them."""
        import numpy as np

        kept = np.flatnonzero((self.when > 0) & (self.when >= self._oldest(max(self.releases - 1, 0))))
        pairs = self.table[kept].tolist()
        return {
            support: PublishedValue(value, shift) for support, (value, shift) in zip(kept.tolist(), pairs, strict=True)
        }

    @property
    def last(self) -> frozenset[int]:
        """The supports of the last release."""
        import numpy as np

        return frozenset(np.flatnonzero(self.when == self.releases).tolist() if self.releases else ())
