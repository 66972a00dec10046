"""Memory of what was said: one value for each support, so that nothing is drawn twice.

Fresh noise on a count that has not changed averages out, and so it does on a count that goes to and fro (100, 101, 100,
...). So a value belongs to a support, not to a release:

- a class keeps its value while any member is unchanged, and newcomers take it: both have the same support;
- a support that returns reuses its value, for the rest of the epoch.

An epoch is a number of releases. At its end, supports that the last release did not have are forgotten; without one,
nothing ever is. `epoch=1` is the paper's rule (Prior Knowledge 5.9), under which counts that go to and fro leak.

What stays visible: that a value has not changed, or has returned. And whoever knows one true support knows the value
of that support, for as long as the epoch lasts.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["Memory", "Said"]


class Said(NamedTuple):
    """What was published for a support, and the shift it was drawn with."""

    value: int
    shift: int


@dataclass(frozen=True, kw_only=True)
class Memory:
    """Values by support, the supports of the last release, and how many releases there were."""

    said: Mapping[int, Said] = field(default_factory=dict)
    last: frozenset[int] = frozenset()
    releases: int = 0

    def recalled(self, epoch: int | None) -> Mapping[int, Said]:
        """What the next release must keep to."""
        if epoch is None or self.releases == 0 or self.releases % epoch:
            return self.said
        return {support: said for support, said in self.said.items() if support in self.last}

    def after(self, recalled: Mapping[int, Said], drawn: Mapping[int, Said], supports: Iterable[int]) -> "Memory":
        """The memory once a release of these supports is out."""
        return Memory(said={**recalled, **drawn}, last=frozenset(supports), releases=self.releases + 1)
