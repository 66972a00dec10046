"""What a run is asked for, checked once."""

import os
from dataclasses import dataclass, field
from typing import Literal

from confide.core.errors import RequirementError
from confide.core.randomness import Randomness
from confide.core.requirements import OutputPrivacy
from confide.core.requirements.base import check_count, is_number
from confide.core.streams.header import StreamHeader
from confide.stream.biases import Scheme
from confide.stream.butterfly import Butterfly
from confide.stream.noise import NoiseLaw

__all__ = ["StreamSettings", "Sync"]

Sync = Literal["group", "each", "none"]


@dataclass(frozen=True, kw_only=True)
class StreamSettings:
    """How a stream is released.

    `records`: a window of so many records; or `seconds`: of the records of the last so many seconds. `every`: a release
    after so many records, once the window is full; a larger one tells less about how counts drift. `itemsets`: "all"
    frequent ones or the "closed" ones. `scheme`, `lam`, `depth`, `noise` and `epoch` as in `Butterfly`, whose safe
    rules always hold here.

    `sync`: "group" syncs some releases at once to disk before they leave, "each" every single one, "none" leaves that
    to the system: a crash of the program loses nothing, a power cut may.

    >>> requirement = OutputPrivacy(epsilon=0.02, delta=0.4, min_support=25, vulnerable=5)
    >>> StreamSettings(requirement, records=2000).every
    100
    """

    requirement: OutputPrivacy = field(kw_only=False)
    records: int | None = None
    seconds: float | None = None
    every: int = 100
    itemsets: Literal["all", "closed"] = "all"
    scheme: Scheme = "basic"
    lam: float = 0.4
    depth: int = 2
    noise: str | NoiseLaw = "uniform"
    epoch: int | None = None
    sync: Sync = "group"
    randomness: Randomness = field(default_factory=Randomness.system, compare=False)

    def __post_init__(self) -> None:
        if (self.records is None) == (self.seconds is None):
            raise RequirementError("a window is so many records or so many seconds; give one of records= and seconds=")
        if self.records is not None:
            why = "is less than min_support, so nothing would ever be published"
            check_count("records", self.records, least=self.requirement.min_support, why=why)
        elif not is_number(self.seconds) or self.seconds is None or self.seconds <= 0:
            raise RequirementError(f"seconds={self.seconds} is no stretch of time; use a number above 0")
        check_count("every", self.every, least=1, why="is no number of records")
        if self.itemsets not in ("all", "closed"):
            raise RequirementError(f"itemsets={self.itemsets!r} is unknown; use 'all' or 'closed'")
        if self.sync not in ("group", "each", "none"):
            raise RequirementError(f"sync={self.sync!r} is unknown; use 'group', 'each' or 'none'")
        self.publisher()

    def publisher(self) -> Butterfly:
        """The publisher these settings ask for."""
        return Butterfly(
            self.requirement,
            scheme=self.scheme,
            lam=self.lam,
            depth=self.depth,
            noise=self.noise,
            epoch=self.epoch,
            randomness=self.randomness,
        )

    def header(self, run: str | None = None) -> StreamHeader:
        """The first line of a run, under a new name or a known one."""
        law = self.publisher().setting.law
        return StreamHeader(
            run=os.urandom(8).hex() if run is None else run,
            requirement=self.requirement,
            first=law.first,
            weights=law.weights,
            scheme=self.scheme,
            lam=self.lam if self.scheme == "hybrid" else None,
            depth=self.depth if self.scheme in ("order", "hybrid") else None,
            epoch=self.epoch,
            records=self.records,
            seconds=self.seconds,
            every=self.every,
            itemsets=self.itemsets,
            randomness=self.randomness.describe(),
        )
