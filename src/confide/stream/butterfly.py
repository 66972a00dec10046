"""Butterfly*: publish the supports of frequent itemsets so that no rare pattern can be worked out from them.

    itemsets --> classes of equal support --> values said before are kept
                                          --> the others: a shift by the scheme, one draw of noise each
             --> published if the value is large enough

Where the paper's own rules leak, the defaults are safer ones, and the paper's are options for redoing its figures:
`alpha` (how much noise), `membership` (what is published), `epoch` (how long values are kept).
"""

from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from confide.core.errors import RequirementError, UsageError
from confide.core.itemsets.container import Itemsets
from confide.core.randomness import Randomness
from confide.core.requirements import OutputPrivacy
from confide.core.requirements.base import check_count, is_number
from confide.core.transactions.labels import label_order
from confide.stream.biases import SCHEMES, Scheme, scheme_shifts
from confide.stream.memory import Memory, PublishedValue
from confide.stream.noise import NoiseLaw
from confide.stream.setting import Alpha, Setting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

__all__ = ["Butterfly", "ClassTable", "SanitisedItemsets"]

_ANY = -(1 << 62)  # a threshold that every value reaches
_SMALL = 1 << 26  # records in a window whose values fit 32 bits, whatever epsilon allows within reason
_FEW = 1 << 15  # labels that 16 bits can number
_DRAWN_AT_ONCE = 1 << 10

_MOST_RANKS = 1 << 16


class _Ranks(dict[str, tuple[int, int, str]]):
    """Labels ranked once: one window after another holds much the same."""

    def __missing__(self, label: str) -> tuple[int, int, str]:
        found = self[label] = label_order(label)
        return found


_RANKS = _Ranks()


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


@dataclass(frozen=True, kw_only=True, eq=False)
class SanitisedItemsets:
    """One release: `data` is public, its supports are sanitised; `owner` is not.

    `number` counts releases from 1; `randomness` says where the noise came from.
    """

    data: Itemsets
    requirement: OutputPrivacy
    law: NoiseLaw
    number: int
    randomness: dict[str, Any]
    owner: ClassTable = field(repr=False)


@dataclass(kw_only=True, eq=False)
class Butterfly:
    """Sanitises the itemsets of one window after another.

    `scheme`: "basic" adds noise only; "order" also shifts supports apart, so that their order survives; "ratio" shifts
    them in proportion; "hybrid" takes `lam` of order and 1 - `lam` of ratio (a larger `lam`, from 0 to 1, keeps more of
    the order). `depth`: with how many classes below it each class is weighed by "order"; larger is better and slower.
    `noise`: "uniform", "triangular", "rademacher" (refused where it reveals counts), or a `NoiseLaw` of your own.
    `threshold` is the least value that is published; with `membership="support"` any value may be.

    `alpha="paper"` halves the variance; `membership="support"` publishes whatever has support `min_support`, not what
    has a value large enough; `epoch` is the number of releases after which supports that have gone are forgotten (None:
    never). The paper's rules are "paper", "support" and 1; they leak.

    The promise holds for each release. A rare pattern is inferred with a squared error of at least delta K^2 by whoever
    adds and subtracts supports; someone who knows that its count is between 0 and K can always guess K/2. Equal values
    in a release show equal supports. Counts that drift over many releases can be averaged.

    Cost: a release takes time in proportion to its itemsets, and about 20 microseconds for each new class by "order"
    at depth 2. Not for use by two threads at once.

    >>> requirement = OutputPrivacy(epsilon=0.05, delta=0.4, min_support=25, vulnerable=5)
    >>> butterfly = Butterfly(requirement=requirement, randomness=Randomness.seeded(1))
    >>> window = Itemsets.from_pairs([("a", 90), ("b", 70), ("ab", 70), ("c", 26)], n_transactions=100)
    >>> release = butterfly.release(window)
    >>> release.data.support_of("b") == release.data.support_of("ab")
    True
    >>> butterfly.release(window).data == release.data  # nothing changed, so nothing is drawn again
    True
    """

    requirement: OutputPrivacy = field(kw_only=False)
    scheme: Scheme = "basic"
    lam: float = 0.4
    depth: int = 2
    noise: "str | NoiseLaw" = "uniform"
    alpha: Alpha = "safe"
    membership: Literal["value", "support"] = "value"
    epoch: int | None = None
    randomness: Randomness = field(default_factory=Randomness.system)
    _memory: Memory = field(init=False, repr=False)
    _drawn: "Ints" = field(init=False, repr=False)
    _imported: tuple[Any, Any] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.scheme not in SCHEMES:
            raise RequirementError(
                f"scheme={self.scheme!r} is unknown; use one of {', '.join(SCHEMES)}",
                parameter="scheme",
                value=self.scheme,
            )
        if not is_number(self.lam) or not 0 <= self.lam <= 1:
            raise RequirementError(
                f"lam={self.lam} is not a share; use a number from 0 (ratio) to 1 (order)",
                parameter="lam",
                value=self.lam,
            )
        check_count("depth", self.depth, least=1, why="weighs no pair of classes")
        if self.epoch is not None:
            check_count("epoch", self.epoch, least=1, why="is no number of releases")
        if self.membership not in ("value", "support"):
            raise RequirementError(
                f"membership={self.membership!r} is unknown; use 'value', or 'support' (it leaks)",
                parameter="membership",
                value=self.membership,
            )
        import numpy as np

        self.setting = Setting.of(self.requirement, self.noise, alpha=self.alpha)
        self.threshold = self.setting.threshold(shifted=self.scheme != "basic")
        self._memory, self._drawn = Memory(self.epoch), np.zeros(0, dtype=np.int64)

    # -- releasing ------------------------------------------------------------------------------------------------

    def release(self, itemsets: Itemsets) -> SanitisedItemsets:
        """Sanitise the frequent itemsets of a window, all of them or the closed ones, mined at `min_support` or below.

        Sets below `min_support` are left out. Labels of items in no published set do not leave. Keep the memory
        (`save`) before you hand the release on.
        """
        if not isinstance(itemsets, Itemsets):
            raise UsageError(
                f"release takes Itemsets, not {type(itemsets).__name__}; give SlidingWindow(...).closed() or frequent()"
            )
        np, kernels, memory = self._tools()
        n = len(itemsets.supports)
        supports, offsets, items = _plain(itemsets.supports), _plain(itemsets.offsets), _plain(itemsets.items)
        member, classes, rows = np.empty(n, np.int64), np.empty((5, n), np.int64), np.empty(n, np.int64)
        least, oldest = self.requirement.min_support, memory.oldest
        if len(self._drawn) < n:
            self._drawn = self.setting.law.draw(max(4 * n, _DRAWN_AT_ONCE), self.randomness)
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
            if self.scheme != "basic":
                self._shift(classes, fresh)
        threshold = _ANY if self.membership == "support" else self.threshold
        used = np.zeros(len(itemsets.labels), np.int64)
        out = kernels.Published(
            np.empty(n + 1, offsets.dtype), np.empty(len(items), items.dtype), np.empty(n, np.int64), rows, used
        )
        number = memory.releases + 1
        kept, total, labels, ascending = kernels.put_out(
            kernels.Sets(offsets, items), member, classes, threshold, remembered, number, out
        )
        memory.releases = number
        names = itemsets.labels
        data = _itemsets(
            out.offsets[: kept + 1],
            out.items[:total],
            out.values[:kept],
            tuple([names[code] for code in used[:labels].tolist()]),
            itemsets.n_transactions,
        )
        if not ascending or not _in_label_order(data.labels):
            data = _sorted_by_labels(data)
        return SanitisedItemsets(
            data=data,
            requirement=self.requirement,
            law=self.setting.law,
            number=number,
            randomness=self.randomness.describe(),
            owner=ClassTable(
                supports=classes[0],
                values=classes[1],
                shifts=classes[2],
                sizes=classes[3],
                fresh=fresh,
                published=classes[1] >= threshold,
            ),
        )

    def _tools(self) -> tuple[Any, Any, Memory]:
        """numpy, the kernels and the memory: a release takes some microseconds, and importing them again is dear."""
        if self._imported is None:
            import numpy

            from confide.stream import _class_kernels

            self._imported = numpy, _class_kernels
        return (*self._imported, self._memory)

    def _shift(self, classes: "Ints", fresh: "Bools") -> None:
        """Shift the classes that are new, as the scheme says."""
        supports, values, sizes = classes[0], classes[1], classes[3]
        kept = ~fresh
        shifts = scheme_shifts(
            self.scheme,
            supports[fresh],
            sizes[fresh],
            setting=self.setting,
            lam=self.lam,
            depth=self.depth,
            kept=(supports[kept], values[kept], sizes[kept]),
        )
        classes[2, fresh] = shifts
        values[fresh] += shifts

    @property
    def releases(self) -> int:
        """How many releases there were."""
        return self._memory.releases

    def published_values(self) -> tuple[dict[int, int], frozenset[int]]:
        """The owner's: the published value of each support, and the supports of the last release."""
        return {support: value for support, (value, _) in self._memory.values.items()}, self._memory.last

    # -- remembering ----------------------------------------------------------------------------------------------

    def to_bytes(self, *, key: bytes | None = None) -> bytes:
        """The memory of what was said, with the parameters it holds for; encrypted under a key of 32 bytes."""
        from confide.stream.state_file import pack

        return pack(self._memory, self._parameters(), key=key)

    def resume_bytes(self, data: bytes, *, key: bytes | None = None, source: object = None) -> None:
        """Take up the memory that `to_bytes` gave; refused if damaged, or of other parameters."""
        from confide.stream.state_file import unpack

        self._memory = unpack(data, self._parameters(), epoch=self.epoch, fits=self._fits, key=key, source=source)

    def save(self, path: str | PathLike[str], *, key: bytes | None = None) -> None:
        """Write the memory to a file, whole or not at all; it holds true supports: do not publish."""
        from confide.stream.state_file import write_state

        write_state(path, self.to_bytes(key=key))

    def resume(self, path: str | PathLike[str], *, key: bytes | None = None) -> None:
        """Take up the memory in a file that `save` wrote."""
        from confide.stream.state_file import read_state

        self.resume_bytes(read_state(path), key=key, source=path)

    def _parameters(self) -> dict[str, Any]:
        law = self.setting.law
        return {
            "requirement": self.requirement.to_dict(),
            "scheme": self.scheme,
            "lam": self.lam,
            "depth": self.depth,
            "noise": {"first": law.first, "weights": list(law.weights)},
            "alpha": self.alpha,
            "membership": self.membership,
            "epoch": self.epoch,
        }

    def _fits(self, support: int, published: PublishedValue) -> bool:
        """Whether this support may have been given this value, by its law and the bound on precision."""
        law = self.setting.law
        if support < self.requirement.min_support:
            return False
        least, most = self.setting.shifts(support)
        noise = published.value - support - published.shift - law.first
        return least <= published.shift <= most and 0 <= noise < len(law.weights) and law.weights[noise] > 0


def _plain(array: "NDArray[Any]") -> "NDArray[Any]":
    """As kernels take it: what cannot be written to would be another type to them, compiled anew."""
    return array if array.flags.c_contiguous and array.flags.writeable else array.copy()


def _itemsets(offsets: "Ints", items: "Ints", values: "Ints", labels: tuple[str, ...], records: int) -> Itemsets:
    """As `Itemsets.from_arrays`, without looking through arrays whose types are known to do."""
    fits = records < _SMALL and offsets.itemsize == 4 and items.itemsize == (2 if len(labels) < _FEW else 4)
    if not fits:
        return Itemsets.from_arrays(offsets, items, values, labels=labels, n_transactions=records)
    return Itemsets(offsets=offsets, items=items, supports=values.astype("i4"), labels=labels, n_transactions=records)


def _in_label_order(labels: tuple[str, ...]) -> bool:
    if len(_RANKS) > _MOST_RANKS:
        _RANKS.clear()
    keys = [_RANKS[label] for label in labels]
    return keys == sorted(keys)


def _sorted_by_labels(data: Itemsets) -> Itemsets:
    """The sets in canonical order, their codes in label order."""
    import numpy as np

    order = sorted(range(len(data.labels)), key=lambda i: label_order(data.labels[i]))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    items = rank[data.items]
    items = items[np.lexsort((items, np.repeat(np.arange(len(data)), data.lengths)))]  # codes ascend within each set
    labels = tuple(data.labels[i] for i in order)
    made = Itemsets.from_arrays(data.offsets, items, data.supports, labels=labels, n_transactions=data.n_transactions)
    return made.sorted()
