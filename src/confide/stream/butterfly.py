"""Butterfly*: publish the supports of frequent itemsets so that no rare pattern can be worked out from them.

    itemsets --> classes of equal support --> values said before are kept
                                          --> the others: a shift by the scheme, one draw of noise each
             --> published if the value is large enough

Where the paper's own rules leak, the defaults are safer ones, and the paper's are options for redoing its figures:
`alpha` (how much noise), `membership` (what is published), `epoch` (how long values are kept).
"""

from dataclasses import dataclass, field
from functools import lru_cache
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from confide.core.errors import RequirementError, UsageError
from confide.core.itemsets.container import Itemsets
from confide.core.randomness import Randomness
from confide.core.requirements import OutputPrivacy
from confide.core.requirements.base import check_count, is_number
from confide.core.transactions.labels import label_order
from confide.stream.biases import SCHEMES, Scheme, scheme_shifts
from confide.stream.memory import Memory, Said
from confide.stream.noise import NoiseLaw
from confide.stream.setting import Alpha, Setting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Butterfly", "ClassTable", "StreamRelease"]

_rank = lru_cache(maxsize=1 << 16)(label_order)  # one window after another holds much the same labels


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
class StreamRelease:
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
    _memory: Memory = field(default_factory=Memory, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.scheme not in SCHEMES:
            raise RequirementError(f"scheme={self.scheme!r} is unknown; use one of {', '.join(SCHEMES)}")
        if not is_number(self.lam) or not 0 <= self.lam <= 1:
            raise RequirementError(f"lam={self.lam} is not a share; use a number from 0 (ratio) to 1 (order)")
        check_count("depth", self.depth, least=1, why="weighs no pair of classes")
        if self.epoch is not None:
            check_count("epoch", self.epoch, least=1, why="is no number of releases")
        if self.membership not in ("value", "support"):
            raise RequirementError(f"membership={self.membership!r} is unknown; use 'value', or 'support' (it leaks)")
        self.setting = Setting.of(self.requirement, self.noise, alpha=self.alpha)

    @property
    def threshold(self) -> int:
        """The least value that is published; with `membership="support"` any value may be."""
        return self.setting.threshold(shifted=self.scheme != "basic")

    # -- releasing ------------------------------------------------------------------------------------------------

    def release(self, itemsets: Itemsets) -> StreamRelease:
        """Sanitise the frequent itemsets of a window, all of them or the closed ones, mined at `min_support` or below.

        Sets below `min_support` are left out. Labels of items in no published set do not leave. Keep the memory
        (`save`) before you hand the release on.
        """
        import numpy as np

        if not isinstance(itemsets, Itemsets):
            raise UsageError(
                f"release takes Itemsets, not {type(itemsets).__name__}; give SlidingWindow(...).closed() or frequent()"
            )
        counted = itemsets.supports.astype(np.int64, copy=False)
        frequent = np.flatnonzero(counted >= self.requirement.min_support)
        supports, member, sizes = np.unique(counted[frequent], return_inverse=True, return_counts=True)
        table, memory = self._decide(supports, sizes)
        out = table.published[member]
        data = _published(itemsets.take(frequent[out]), table.values[member][out])
        self._memory = memory
        return StreamRelease(
            data=data,
            requirement=self.requirement,
            law=self.setting.law,
            number=memory.releases,
            randomness=self.randomness.describe(),
            owner=table,
        )

    def _decide(self, supports: "NDArray[np.int64]", sizes: "NDArray[np.int64]") -> tuple[ClassTable, Memory]:
        """A value for each class: as said before, or drawn now."""
        import numpy as np

        recalled = self._memory.recalled(self.epoch)
        listed = supports.tolist()
        known = [recalled.get(support) for support in listed]
        fresh = np.array([said is None for said in known], dtype=np.bool_)
        kept = np.array([said for said in known if said is not None], dtype=np.int64).reshape(-1, 2)
        new = supports[fresh]
        values, shifts = np.empty(len(supports), dtype=np.int64), np.empty(len(supports), dtype=np.int64)
        values[~fresh], shifts[~fresh] = kept[:, 0], kept[:, 1]
        shifts[fresh] = scheme_shifts(
            self.scheme,
            new,
            sizes[fresh],
            setting=self.setting,
            lam=self.lam,
            depth=self.depth,
            kept=(supports[~fresh], values[~fresh], sizes[~fresh]),
        )
        values[fresh] = new + shifts[fresh] + self.setting.law.draw(len(new), self.randomness)
        drawn = dict(zip(new.tolist(), map(Said, values[fresh].tolist(), shifts[fresh].tolist()), strict=True))
        every = np.ones(len(supports), dtype=np.bool_)
        published = every if self.membership == "support" else values >= self.threshold
        table = ClassTable(
            supports=supports, values=values, shifts=shifts, sizes=sizes, fresh=fresh, published=published
        )
        return table, self._memory.after(recalled, drawn, listed)

    @property
    def releases(self) -> int:
        """How many releases there were."""
        return self._memory.releases

    def said(self) -> tuple[dict[int, int], frozenset[int]]:
        """The owner's: what was said for each support, and the supports of the last release."""
        return {support: said.value for support, said in self._memory.said.items()}, self._memory.last

    # -- remembering ----------------------------------------------------------------------------------------------

    def to_bytes(self, *, key: bytes | None = None) -> bytes:
        """The memory of what was said, with the parameters it holds for; encrypted under a key of 32 bytes."""
        from confide.stream.state_file import pack

        return pack(self._memory, self._parameters(), key=key)

    def resume_bytes(self, data: bytes, *, key: bytes | None = None, source: object = None) -> None:
        """Take up the memory that `to_bytes` gave; refused if damaged, or of other parameters."""
        from confide.stream.state_file import unpack

        self._memory = unpack(data, self._parameters(), fits=self._fits, key=key, source=source)

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

    def _fits(self, support: int, said: Said) -> bool:
        law = self.setting.law
        if support < self.requirement.min_support:
            return False
        least, most = self.setting.shifts(support)
        noise = said.value - support - said.shift - law.first
        return least <= said.shift <= most and 0 <= noise < len(law.weights) and law.weights[noise] > 0


def _published(chosen: Itemsets, values: "NDArray[np.int64]") -> Itemsets:
    """The sets with sanitised supports; only labels that occur, in label order; no further columns."""
    import numpy as np

    used, codes = np.unique(np.asarray(chosen.items), return_inverse=True)
    names = [chosen.labels[code] for code in used.tolist()]
    order = sorted(range(len(names)), key=lambda i: _rank(names[i]))
    rank = np.empty(len(names), dtype=np.int64)
    rank[order] = np.arange(len(names))
    items = rank[codes]
    sets = np.repeat(np.arange(len(chosen)), chosen.lengths)
    items = items[np.lexsort((items, sets))]  # codes ascend within each set
    return Itemsets.from_arrays(
        chosen.offsets,
        items,
        values,
        labels=tuple(names[i] for i in order),
        n_transactions=chosen.n_transactions,
    ).sorted()
