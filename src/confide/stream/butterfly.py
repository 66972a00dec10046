"""Butterfly: publish the supports of frequent itemsets so that no rare pattern can be worked out from them.

    scheme "blocks"   noise that comes and goes with the records, by key (`blocks`); it keeps the promise of a run
    the others        the paper's (Wang and Liu 2011), one value for each support (`paper`); they promise nothing

Of the paper's schemes too, the defaults are safer than its own rules, which are options for redoing its figures:
`alpha` (how much noise), `membership` (what is published), `epoch` (how long values are kept).
"""

import hashlib
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, get_args

from confide.core.errors import RequirementError, UsageError
from confide.core.figures import ShownFields
from confide.core.itemsets.container import Itemsets
from confide.core.randomness import Randomness
from confide.core.requirements import OutputPrivacy
from confide.core.requirements.base import check_count, is_number
from confide.stream.blocks.keyed import KeyedNoise, experiment_key
from confide.stream.blocks.law import RunNoise
from confide.stream.noise import NoiseLaw
from confide.stream.paper.biases import SCHEMES as PAPER_SCHEMES
from confide.stream.paper.class_publisher import ClassPublisher, ClassRules, ClassTable
from confide.stream.paper.published_values import Memory, PublishedValue
from confide.stream.setting import Alpha, Setting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from confide.stream.blocks.block_publisher import BlockPublisher

__all__ = ["Butterfly", "ClassTable", "SanitisedItemsets", "SetTable"]

Scheme = Literal["blocks", "basic", "order", "ratio", "hybrid"]
_BY_KEY = {"source": "key", "generator": "AES-256 under a key that the owner keeps"}


@dataclass(frozen=True, kw_only=True, eq=False)
class SetTable:
    """The owner's part of a release by blocks, one row an itemset; it holds true supports: do not publish.

    `supports` and `values` stand in the order of the itemsets that went in; `published` where the value went out.
    """

    supports: "NDArray[np.int64]"
    values: "NDArray[np.int64]"
    published: "NDArray[np.bool_]"


@dataclass(frozen=True, kw_only=True, eq=False)
class SanitisedItemsets(ShownFields):
    """One release: `data` is public, its supports are sanitised; `owner` is not.

    `requirement` has the span that the scheme keeps. `number` counts releases from 1; `randomness` says where the noise
    came from.
    """

    data: Itemsets
    requirement: OutputPrivacy
    number: int
    randomness: dict[str, Any]
    owner: SetTable | ClassTable = field(repr=False)


@dataclass(kw_only=True, eq=False)
class Butterfly:
    """Sanitises the itemsets of one window after another.

    `scheme`: "blocks" keeps the promise of the requirement's `span`. It needs a `key` of 32 bytes (or, for experiments,
    a seeded `randomness`) and the number of `blocks` in a window: its records divided by those between two releases.
    The same key and records give the same release, so nothing need be remembered; one key is for one stream. Mine
    windows down to `mining_support`: membership is by the published value alone, from `threshold` on.

    The other schemes are the paper's, and promise nothing: "basic" adds noise only; "order" also shifts supports apart,
    so that their order survives; "ratio" shifts them in proportion; "hybrid" takes `lam` of order and 1 - `lam` of
    ratio (a larger `lam`, from 0 to 1, keeps more of the order). `depth`: with how many classes below it each class is
    weighed by "order"; larger is better and slower. `noise`: "uniform", "triangular", "rademacher" (refused where it
    reveals counts), or a `NoiseLaw` of your own. `alpha="paper"` halves the variance; `membership="support"` publishes
    whatever has support `min_support`; `epoch` is the number of releases after which supports that have gone are
    forgotten (None: never).

    Cost: a release takes time in proportion to its itemsets, a set that was not in the window before in proportion to
    the blocks of the window. Not for use by two threads at once.

    >>> requirement = OutputPrivacy(epsilon=0.05, delta=0.4, min_support=25, vulnerable=5)
    >>> butterfly = Butterfly(requirement, randomness=Randomness.seeded(1))
    >>> butterfly.mining_support, butterfly.threshold
    (17, 30)
    >>> window = Itemsets.from_pairs([("a", 290), ("b", 170), ("ab", 170), ("c", 20)], n_transactions=400)
    >>> first = butterfly.release(window, block=19)
    >>> again = Butterfly(requirement, randomness=Randomness.seeded(1)).release(window, block=19)
    >>> first.data == again.data  # the same key, itemsets and block
    True
    """

    requirement: OutputPrivacy = field(kw_only=False)
    scheme: Scheme = "blocks"
    key: bytes | None = field(default=None, repr=False)
    blocks: int = 20
    lam: float = 0.4
    depth: int = 2
    noise: "str | NoiseLaw" = "uniform"
    alpha: Alpha = "safe"
    membership: Literal["value", "support"] = "value"
    epoch: int | None = None
    randomness: Randomness = field(default_factory=Randomness.system)
    _publisher: "BlockPublisher | None" = field(default=None, init=False, repr=False)
    _last: tuple[int, bytes] | None = field(default=None, init=False, repr=False)
    _releases: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.scheme not in get_args(Scheme):
            raise RequirementError(
                f"scheme={self.scheme!r} is unknown; use one of {', '.join(get_args(Scheme))}",
                parameter="scheme",
                value=self.scheme,
            )
        if not isinstance(self.requirement, OutputPrivacy):
            raise RequirementError(f"an OutputPrivacy is needed here, not {type(self.requirement).__name__}")
        if self.scheme == "blocks":
            self._check_key()
            self.run_noise = RunNoise.of(self.requirement, blocks=self.blocks)
            self.threshold, self.mining_support = self.run_noise.threshold, self.run_noise.mining_support
        else:
            self._check_paper()
            self.requirement = replace(self.requirement, span="none")
            self.setting = Setting.of(self.requirement, self.noise, alpha=self.alpha)
            self.threshold = self.setting.threshold(shifted=self.scheme != "basic")
            self.mining_support = self.requirement.min_support
            self._classes = self._class_publisher(Memory(self.epoch))

    def _check_key(self) -> None:
        if self.key is None and self.randomness.protects:
            raise UsageError(
                "scheme='blocks' draws its noise by key; give key=, 32 bytes that stay with this stream "
                "(os.urandom(32))",
                parameter="scheme",
                value="blocks",
            )
        if self.key is not None and (not isinstance(self.key, bytes) or len(self.key) != 32):
            raise UsageError("key= is 32 bytes; make them once with os.urandom(32), and keep them", parameter="key")

    def _check_paper(self) -> None:
        assert self.scheme in PAPER_SCHEMES
        if self.key is not None:
            raise UsageError(
                f"key= goes with scheme='blocks'; scheme={self.scheme!r} draws by chance, and remembers",
                parameter="key",
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

    # -- releasing ------------------------------------------------------------------------------------------------

    def release(self, itemsets: Itemsets, *, block: int | None = None) -> SanitisedItemsets:
        """Sanitise the itemsets of a window, all of them or the closed ones, mined at `mining_support` or below.

        `block` is the number of the window's newest block, counted from 0 since the stream began. By default windows
        follow each other block by block, the first of which is full. A number that was released before is refused with
        other itemsets: noise used twice cancels.

        Sets below `mining_support` are left out, and labels of items in no published set do not leave. By the paper's
        schemes, keep the memory (`save`) before you hand the release on.
        """
        if not isinstance(itemsets, Itemsets):
            raise UsageError(
                f"release takes Itemsets, not {type(itemsets).__name__}; give SlidingWindow(...).closed() or frequent()"
            )
        if self.scheme != "blocks":
            data, table = self._classes.release(itemsets)
            return self._sanitised(data, table, self._classes.memory.releases)
        number = self._next_block(itemsets, block)
        data, owner = self._by_blocks(itemsets, number)
        self._releases += 1
        return self._sanitised(data, owner, self._releases)

    def _sanitised(self, data: Itemsets, owner: SetTable | ClassTable, number: int) -> SanitisedItemsets:
        return SanitisedItemsets(
            data=data, requirement=self.requirement, number=number, randomness=self.describe(), owner=owner
        )

    def describe(self) -> dict[str, Any]:
        """Where the noise comes from, as a passport says it."""
        if self.scheme == "blocks" and self.key is not None:
            return dict(_BY_KEY)
        return self.randomness.describe()

    def _next_block(self, itemsets: Itemsets, block: int | None) -> int:
        """The number of this window's newest block; UsageError if other itemsets had it, or it goes back."""
        if block is None:
            block = self.blocks - 1 if self._last is None else self._last[0] + 1
        if isinstance(block, bool) or not isinstance(block, int):
            raise UsageError(
                f"block={block!r} is not the number of a block; count blocks from 0", parameter="block", value=block
            )
        digest = hashlib.sha256()
        for part in (itemsets.offsets, itemsets.items, itemsets.supports):
            digest.update(part.tobytes())
        digest.update("\0".join(itemsets.labels).encode())
        found = digest.digest()
        if self._last is not None and block <= self._last[0] and (block, found) != self._last:
            raise UsageError(
                f"block={block} was released before, and other itemsets would use its noise again; "
                f"go on with block={self._last[0] + 1}",
                parameter="block",
                value=block,
            )
        self._last = block, found
        return block

    def _by_blocks(self, itemsets: Itemsets, block: int) -> tuple[Itemsets, SetTable]:
        import numpy as np

        from confide.stream.blocks.block_publisher import BlockPublisher
        from confide.stream.published_sets import published_sets

        if self._publisher is None:
            self._publisher = BlockPublisher(self.run_noise, self.secret())
        values = self._publisher.values(itemsets, block)
        leaves = self._publisher.may_leave(values, itemsets.n_transactions)
        leaves &= itemsets.supports >= self.mining_support
        supports = itemsets.supports.astype(np.int64)
        return published_sets(itemsets, values, leaves), SetTable(supports=supports, values=values, published=leaves)

    def secret(self) -> bytes:
        """The key that noise is drawn under: the owner's, or one that the seed of an experiment makes."""
        return self.key if self.key is not None else experiment_key(int(self.randomness.describe()["seed"]))

    def keyed_noise(self) -> KeyedNoise | None:
        """What draws under the key; None for the paper's schemes."""
        return KeyedNoise(self.secret()) if self.scheme == "blocks" else None

    @property
    def releases(self) -> int:
        """How many releases there were."""
        return self._releases if self.scheme == "blocks" else self._classes.memory.releases

    def published_values(self) -> tuple[dict[int, int], frozenset[int]]:
        """The owner's, by the paper's schemes: the published value of each support, and the supports of the last
        release.
        """
        memory = self._paper_memory()
        return {support: value for support, (value, _) in memory.values.items()}, memory.last

    # -- remembering, by the paper's schemes ----------------------------------------------------------------------

    def to_bytes(self, *, key: bytes | None = None) -> bytes:
        """The memory of what was said, with the parameters it holds for; encrypted under a key of 32 bytes."""
        from confide.stream.state_file import pack

        return pack(self._paper_memory(), self._parameters(), key=key)

    def resume_bytes(self, data: bytes, *, key: bytes | None = None, source: object = None) -> None:
        """Take up the memory that `to_bytes` gave; refused if damaged, or of other parameters."""
        from confide.stream.state_file import unpack

        self._paper_memory()
        memory = unpack(data, self._parameters(), epoch=self.epoch, fits=self._fits, key=key, source=source)
        self._classes = self._class_publisher(memory)

    def save(self, path: str | PathLike[str], *, key: bytes | None = None) -> None:
        """Write the memory to a file, whole or not at all; it holds true supports: do not publish."""
        from confide.stream.state_file import write_state

        write_state(path, self.to_bytes(key=key))

    def resume(self, path: str | PathLike[str], *, key: bytes | None = None) -> None:
        """Take up the memory in a file that `save` wrote."""
        from confide.stream.state_file import read_state

        self.resume_bytes(read_state(path), key=key, source=path)

    def _paper_memory(self) -> Memory:
        if self.scheme == "blocks":
            raise UsageError(
                "scheme='blocks' keeps no memory: the same key, itemsets and block give the same release",
                parameter="scheme",
                value="blocks",
            )
        return self._classes.memory

    def _class_publisher(self, memory: Memory) -> ClassPublisher:
        threshold = None if self.membership == "support" else self.threshold
        assert self.scheme != "blocks"
        rules = ClassRules(
            setting=self.setting, scheme=self.scheme, lam=self.lam, depth=self.depth, threshold=threshold
        )
        return ClassPublisher(rules, self.randomness, memory)

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
