"""The most frequent texts of a list nobody knows: home pages, new words, diagnoses in people's own words.

A scheme needs a list of values. Here the list grows with the answers (prefix extension: Bassily, Nissim, Stemmer,
Thakurta 2017; PEM of Wang, Li, Jha 2019). Each round asks people who were not asked before how their text begins:

    round 1    t... w... m...  or something else         kept: t... m...
    round 2    tea  te... ti... mi... me... or something else
    ...        until the texts kept are whole, or `longest` characters long

Candidates are the kept beginnings, each extended by `step` characters or ended; all of them are public, and all other
texts are "something else". A round is an ordinary `SampledDesign` of one field, and everybody answers once under gamma.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from confide.collect.designs.block_scheme import check_bound
from confide.collect.designs.sampled_design import SampledDesign
from confide.core.errors import InputError, RequirementError, UsageError

if TYPE_CHECKING:
    from confide.core.randomness import Randomness

__all__ = ["FoundText", "PrefixSearch"]

_FIELD = "text begins"
_OTHER = "(something else)"
_MORE = "\u2026"  # after a beginning that goes on
_SURE = 2.0  # standard errors above 0, for a beginning to be extended
_MOST_CANDIDATES = 200_000


@dataclass(frozen=True, kw_only=True)
class FoundText:
    """A text, the estimated share of people who have it, and the standard error of that; `whole` is False for texts
    that go on after `longest` characters."""

    text: str
    share: float
    std_error: float
    whole: bool = True


@dataclass(frozen=True, kw_only=True)
class PrefixSearch:
    """A search for the `top` most frequent texts over `alphabet`, of up to `longest` characters, `step` more a round.

    `scheme` is what the next people answer by, `record` says on a device what its text is in it, `advance` takes the
    answers. A larger `step` needs fewer rounds, so more people for each, and has more candidates.

    >>> from confide import Randomness
    >>> people = ["tea"] * 5000 + ["tee"] * 3000 + ["mate"] * 4000 + ["water", "cocoa"] * 200
    >>> search = PrefixSearch(alphabet="abcdefghijklmnopqrstuvwxyz", gamma=19, longest=5, top=3)
    >>> [one.text for one in search.run(people, randomness=Randomness.seeded(1))]
    ['tea', 'mate', 'tee']
    """

    alphabet: str
    gamma: float
    longest: int
    top: int = 32
    step: int = 1
    length: int = 0
    kept: tuple[str, ...] = ("",)
    found: tuple[FoundText, ...] = ()

    def __post_init__(self) -> None:
        check_bound(self.gamma)
        if len(set(self.alphabet)) < max(len(self.alphabet), 2) or {_MORE, "(", ")"} & set(self.alphabet):
            raise RequirementError(
                f"alphabet={self.alphabet!r} must list two characters or more, each once, without brackets and {_MORE}",
                parameter="alphabet",
                value=self.alphabet,
            )
        for name in ("longest", "top", "step"):
            value: Any = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise RequirementError(
                    f"{name}={value} must be a whole number of 1 or more", parameter=name, value=value
                )
        number = self.top * (len(self.alphabet) + 1) ** self.step
        if number > _MOST_CANDIDATES:
            raise RequirementError(
                f"top={self.top} and step={self.step} make up to {number:,} candidates, more than "
                f"{_MOST_CANDIDATES:,}; use a smaller step",
                parameter="top",
                value=self.top,
            )

    @property
    def rounds(self) -> int:
        """How many there are at most."""
        return math.ceil(self.longest / self.step)

    @property
    def done(self) -> bool:
        """Whether nobody need be asked any more."""
        return self.length >= self.longest or not self.kept

    @property
    def share(self) -> float:
        """Of all people: who should be asked in a round."""
        return 1 / self.rounds

    @cached_property
    def candidates(self) -> tuple[str, ...]:
        """What a text may begin with in this round: whole texts as they are, others with an ellipsis."""
        end = min(self.length + self.step, self.longest)
        found = []
        for start in self.kept:
            for more in range(end - self.length + 1):
                for letters in product(self.alphabet, repeat=more):
                    text = start + "".join(letters)
                    if more and text == text.strip():  # one that ends here has been asked for in the round before
                        found.append(text)
                    if len(text) == end and text == text.lstrip():
                        found.append(text + _MORE)
        return tuple(found)

    @cached_property
    def scheme(self) -> SampledDesign:
        """What people are asked in this round."""
        if self.done:
            raise UsageError("the search is over; its texts are in result()")
        return SampledDesign(domains={_FIELD: [*self.candidates, _OTHER]}, gamma=self.gamma, size=1)

    def record(self, text: str) -> dict[str, str]:
        """A text as a record of this round's scheme; runs on the person's device."""
        if not isinstance(text, str):
            raise InputError(f"a text is wanted, not a {type(text).__name__}")
        end = min(self.length + self.step, self.longest)
        whole = text.strip()
        value = whole if len(whole) <= end else whole[:end] + _MORE
        return {_FIELD: value if value in self._known_prefixes else _OTHER}

    @cached_property
    def _known_prefixes(self) -> frozenset[str]:
        return frozenset(self.candidates)

    def advance(self, answers: Any) -> "PrefixSearch":
        """The search after these answers to `scheme`."""
        scheme = self.scheme
        values = np.arange(len(self.candidates), dtype=np.int32)[:, None]
        estimator = scheme.estimator(answers)
        counts, variances = estimator((0,), values)
        n = estimator.tally.records
        shares, errors = counts / n, np.sqrt(variances) / n
        order = [i for i in np.argsort(-shares, kind="stable")[: self.top].tolist() if shares[i] > _SURE * errors[i]]
        chosen = [(self.candidates[i], float(shares[i]), float(errors[i])) for i in order]
        length = min(self.length + self.step, self.longest)
        last = length == self.longest
        ended = [
            FoundText(text=text.removesuffix(_MORE), share=share, std_error=error, whole=not text.endswith(_MORE))
            for text, share, error in chosen
            if last or not text.endswith(_MORE)
        ]
        best = sorted((*self.found, *ended), key=lambda one: (-one.share, one.text))[: self.top]
        kept = () if last else tuple(sorted(text.removesuffix(_MORE) for text, _, _ in chosen if text.endswith(_MORE)))
        return replace(self, length=length, kept=kept, found=tuple(best))

    def result(self) -> tuple[FoundText, ...]:
        """The texts found, the most frequent first."""
        if not self.done:
            raise UsageError(f"texts are known up to {self.length} of {self.longest} characters; advance the search")
        return self.found

    def run(self, texts: Sequence[str], *, randomness: "Randomness | None" = None) -> tuple[FoundText, ...]:
        """Ask all these people, round by round, and give the texts found; for simulations."""
        from confide.core.randomness import Randomness

        source = Randomness.system() if randomness is None else randomness
        search, groups = self, np.array_split(source.permutation(len(texts)), self.rounds)
        for group in groups:
            if search.done:
                break
            records = [search.record(texts[i]) for i in group.tolist()]
            search = search.advance(search.scheme.perturb(records, randomness=source))
        return search.result()
