"""The paper's publisher: one value for each class of equal supports, kept in a memory.

itemsets --> classes of equal support --> values said before are kept
                                      --> the others: a shift by the scheme, one draw of noise each
         --> published if the value is large enough
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from confide.core.itemsets.container import Itemsets
from confide.core.randomness import Randomness
from confide.stream.paper.biases import Scheme, scheme_shifts
from confide.stream.paper.published_values import Memory
from confide.stream.published_sets import as_kernels_take, in_label_order, made_itemsets, sorted_by_labels
from confide.stream.setting import Setting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

__all__ = ["ClassPublisher", "ClassRules", "ClassTable"]

_ANY = -(1 << 62)  # a threshold that every value reaches
_DRAWN_AT_ONCE = 1 << 10


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassTable:
    """The owner's part of a release, one row a class; it holds true supports: do not publish.

    `supports` ascending; `values` what was said; `shifts` (the bias is shift + mean of the law); `sizes` how many
    itemsets; `fresh` where the value is new; `published` where it went out.
    """

    supports: "NDArray[np.int64]"
    values: "NDArray[np.int64]"
    shifts: "NDArray[np.int64]"
    sizes: "NDArray[np.int64]"
    fresh: "NDArray[np.bool_]"
    published: "NDArray[np.bool_]"


@dataclass(frozen=True, kw_only=True)
class ClassRules:
    """How a `ClassPublisher` works: the setting, the scheme with its `lam` and `depth`, the least published value."""

    setting: Setting
    scheme: Scheme
    lam: float
    depth: int
    threshold: int | None


class ClassPublisher:
    """Sanitises windows by the paper's schemes; `memory` is what it goes on from."""

    def __init__(self, rules: ClassRules, randomness: Randomness, memory: Memory):
        import numpy as np

        self.rules, self.randomness, self.memory = rules, randomness, memory
        self._drawn: Ints = np.zeros(0, dtype=np.int64)
        self._imported: tuple[Any, Any] | None = None

    def release(self, itemsets: Itemsets) -> tuple[Itemsets, ClassTable]:
        """What may leave of a window, and the owner's table of its classes."""
        np, kernels, memory = self._tools()
        n = len(itemsets.supports)
        supports, offsets, items = (
            as_kernels_take(itemsets.supports),
            as_kernels_take(itemsets.offsets),
            as_kernels_take(itemsets.items),
        )
        member, classes, rows = np.empty(n, np.int64), np.empty((5, n), np.int64), np.empty(n, np.int64)
        least, oldest = self.rules.setting.requirement.min_support, memory.oldest
        if len(self._drawn) < n:
            self._drawn = self.rules.setting.law.draw(max(4 * n, _DRAWN_AT_ONCE), self.randomness)
        noise = self._drawn
        remembered = kernels.Remembered(memory.when, memory.table, memory.scratch)
        found = kernels.sort_out(supports, least, remembered, oldest, noise, member, classes)
        if found < 0:
            memory.make_room(int(supports.max()))
            remembered = kernels.Remembered(memory.when, memory.table, memory.scratch)
            found = kernels.sort_out(supports, least, remembered, oldest, noise, member, classes)
        classes = classes[:, : found & 0xFFFFFFFF].copy()
        fresh = classes[4] == 1
        if found >> 32:
            self._drawn = noise[found >> 32 :]  # each draw is used once
            if self.rules.scheme != "basic":
                self._shift(classes, fresh)
        threshold = _ANY if self.rules.threshold is None else self.rules.threshold
        used = np.zeros(len(itemsets.labels), np.int64)
        out = kernels.Published(
            np.empty(n + 1, offsets.dtype), np.empty(len(items), items.dtype), np.empty(n, np.int64), rows, used
        )
        number = memory.releases + 1
        kept, total, labels, ascending = kernels.put_out(
            kernels.ClassSets(offsets, items), member, classes, threshold, remembered, number, out
        )
        memory.releases = number
        names = itemsets.labels
        data = made_itemsets(
            out.offsets[: kept + 1],
            out.items[:total],
            out.values[:kept],
            tuple([names[code] for code in used[:labels].tolist()]),
            itemsets.n_transactions,
        )
        if not ascending or not in_label_order(data.labels):
            data = sorted_by_labels(data)
        table = ClassTable(
            supports=classes[0],
            values=classes[1],
            shifts=classes[2],
            sizes=classes[3],
            fresh=fresh,
            published=classes[1] >= threshold,
        )
        return data, table

    def _tools(self) -> tuple[Any, Any, Memory]:
        """numpy, the kernels and the memory: a release takes some microseconds, and importing them again is dear."""
        if self._imported is None:
            import numpy

            from confide.stream.paper import _class_kernels

            self._imported = numpy, _class_kernels
        return (*self._imported, self.memory)

    def _shift(self, classes: "Ints", fresh: "Bools") -> None:
        """Shift the classes that are new, as the scheme says."""
        supports, values, sizes = classes[0], classes[1], classes[3]
        kept = ~fresh
        shifts = scheme_shifts(
            self.rules.scheme,
            supports[fresh],
            sizes[fresh],
            setting=self.rules.setting,
            lam=self.rules.lam,
            depth=self.rules.depth,
            kept=(supports[kept], values[kept], sizes[kept]),
        )
        classes[2, fresh] = shifts
        values[fresh] += shifts
