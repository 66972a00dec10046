"""The most frequent items and itemsets of people's baskets, in five rounds, each person answering once.

    round   share of people   question (see `basket_question`)              what is kept
    1       20%               one item of all, pad 1                        the 2 k items that look most frequent
    2       5%                how many of these a basket holds              a pad that 90% of the baskets fit into
    3       25%               one of these items, padded                    supports; the k most frequent items
    4       10%               how many of 2 k itemsets of them it holds     a pad, likewise
    5       40%               one of these itemsets, padded                 supports; the k most frequent sets

Rounds 1 to 3 are SVIM, all five SVSM (Wang, Li, Jha, "Locally differentially private frequent itemset mining", 2018).
The itemsets of round 4 are guessed: those with the largest product of supports, 0.9 standing for the largest. A round
asks people who were not asked before, so each gives one answer under gamma.

Baskets with more items than the pad draw one of them all, so some of their items are missed. With t(n) people who hold
n of the asked items, a share

    sum over n > pad of  t(n) (n - pad)    divided by    sum over n of  t(n) n

of what there is to draw is lost, and supports are divided by what is left.
"""

import heapq
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from dataclasses import fields as dataclass_fields
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.collect.baskets.basket_question import BasketQuestion
from confide.collect.designs.joint_shares import nearest_shares
from confide.collect.estimating.item_search import Wanted, levels_of
from confide.collect.estimating.miner_questions import MinedLevels
from confide.collect.estimating.reconstruction import itemsets_of
from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.files import read_bytes, write_text
from confide.core.itemsets.container import Itemsets
from confide.core.json_text import read_json
from confide.core.transactions.intake import as_transactions

if TYPE_CHECKING:
    from confide.core.randomness import Randomness

__all__ = ["BasketSearch"]

SHARES = (0.2, 0.05, 0.25, 0.1, 0.4)
"""Of all people, who are asked in each round."""

_FITTING = 0.9  # share of baskets that a pad is chosen for
_LONGEST_COUNT = 64  # items of a basket that are told apart when they are counted
_LARGEST_GUESS = 0.9  # what the most frequent item counts for in a guess
_MOST_TOP = 4096
_MOST_BYTES = 1 << 28

Supports = Mapping[tuple[int, ...], tuple[float, float]]
"""For a set of items: the share of people who hold it, and the variance of that."""


@dataclass(frozen=True, kw_only=True)
class BasketSearch:
    """A search among `items` for the `top` most frequent sets; `itemsets=False` stops after the items (SVIM).

    `scheme` is what the next people answer by; `advance` takes their answers and gives the search after that round.
    What was learnt so far is in `round`, `asked`, `pad`, `lost` and `known`.

    >>> from confide import Randomness
    >>> people = [["tea", "milk"]] * 6000 + [["beer"]] * 3000 + [["tea"]] * 1000
    >>> search = BasketSearch(items=["tea", "milk", "beer", "wine"], gamma=19, top=3)
    >>> found = search.run(people, randomness=Randomness.seeded(1))
    >>> sorted(" ".join(sorted(labels)) for labels, _ in found)
    ['milk', 'milk tea', 'tea']
    """

    items: Sequence[str]
    gamma: float
    top: int = 64
    itemsets: bool = True
    round: int = 1
    asked: tuple[tuple[int, ...], ...] | None = None
    pad: int = 1
    lost: float = 0.0
    people: int = 0
    known: tuple[tuple[tuple[int, ...], float, float], ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.top, bool) or not isinstance(self.top, int) or not 1 <= self.top <= _MOST_TOP:
            raise RequirementError(
                f"top={self.top} is not a number of sets to find; use 1 to {_MOST_TOP:,}",
                parameter="top",
                value=self.top,
            )
        object.__setattr__(self, "items", BasketQuestion(items=self.items, gamma=self.gamma).items)

    @property
    def rounds(self) -> int:
        """How many there are."""
        return 5 if self.itemsets else 3

    @property
    def done(self) -> bool:
        """Whether nobody need be asked any more."""
        return self.round > self.rounds

    @property
    def share(self) -> float:
        """Of all people: who should be asked in this round."""
        return 0.0 if self.done else SHARES[self.round - 1] / sum(SHARES[: self.rounds])

    @cached_property
    def scheme(self) -> BasketQuestion:
        """What people are asked in this round."""
        if self.done:
            raise UsageError("the search is over; its sets are in result()")
        sets = None if self.asked is None else [[self.items[i] for i in one] for one in self.asked]
        counts = self.round in (2, 4)
        pad = min(_LONGEST_COUNT, len(sets or self.items)) if counts else self.pad
        return BasketQuestion(
            items=self.items, gamma=self.gamma, sets=sets, asks="count" if counts else "sample", pad=pad
        )

    def advance(self, answers: Any) -> "BasketSearch":
        """The search after these answers to `scheme`."""
        scheme = self.scheme
        if scheme.asks == "count":
            shares, tally = scheme.shares(answers)
            pad, lost = _fit_pad(nearest_shares(shares))
            return replace(self, round=self.round + 1, pad=pad, lost=lost, people=self.people + tally.records)
        estimates, variances, records = scheme.estimate(answers)
        after = replace(self, round=self.round + 1, people=self.people + records)
        if self.round == 1:
            likely = np.argsort(-estimates, kind="stable")[: 2 * self.top]
            return replace(after, asked=tuple((int(i),) for i in np.sort(likely)))
        left = 1 - self.lost
        known = {one: (share, variance) for one, share, variance in self.known}
        for one, share, variance in zip(scheme.asked_sets, estimates / left, variances / left**2, strict=True):
            known[one] = float(share), float(variance)
        best = _largest(known, self.top)
        after = replace(after, known=tuple((one, *known[one]) for one in best), pad=1, lost=0.0)
        asked = _guess_sets(known, best, 2 * self.top) if self.round == 3 and self.itemsets else ()
        return replace(after, asked=asked) if asked else replace(after, round=self.rounds + 1)

    def result(self, *, confidence: float = 0.95) -> Itemsets:
        """The sets found, with `estimate` and intervals as `mine` gives them, counted among all people asked."""
        if not self.done:
            raise UsageError(f"round {self.round} of {self.rounds} has not been answered yet; advance the search")
        n = self.people
        estimates = np.array([share for _, share, _ in self.known])
        variances = np.array([variance for _, _, variance in self.known])
        levels = levels_of([one for one, _, _ in self.known], n * estimates, n**2 * variances)
        answer = MinedLevels(levels=levels, wanted=Wanted(threshold=1), labels=tuple(self.items), records=n)
        over_items = BasketQuestion(items=self.items, gamma=self.gamma)  # the sets that could have been shown
        return itemsets_of(over_items, answer, confidence=confidence)

    def run(self, records: Any, *, randomness: "Randomness | None" = None) -> Itemsets:
        """Ask all these people, round by round, and give the sets found; for simulations."""
        from confide.core.randomness import Randomness

        source = Randomness.system() if randomness is None else randomness
        baskets = as_transactions(records)
        order = source.permutation(len(baskets))
        search, start = self, 0
        while not search.done:
            stop = start + round(search.share * len(baskets)) if search.round < search.rounds else len(baskets)
            search = search.advance(search.scheme.draw_answers(baskets.take(order[start:stop]), source))
            start = stop
        return search.result()

    def write(self, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Write what was learnt so far as a JSON file; rounds may be days apart."""
        known = {"confide": "basket-search", "version": 1, **asdict(self)}
        write_text(path, json.dumps(known, ensure_ascii=False) + "\n", replace=replace)

    @staticmethod
    def read(path: str | PathLike[str]) -> "BasketSearch":
        """Read back what `write` wrote."""
        data = read_json(read_bytes(path, max_bytes=_MOST_BYTES), what="JSON, so not a search", source=path)
        entries = {field.name for field in dataclass_fields(BasketSearch)}
        if not isinstance(data, dict) or data.get("confide") != "basket-search" or data.get("version") != 1:
            raise InputError("not a search among baskets that this Confide wrote", source=path)
        if set(data) != {"confide", "version", *entries}:
            raise InputError("a search among baskets with other entries than it has", source=path)
        try:
            return BasketSearch(**{name: data[name] for name in entries} | _read_findings(data))
        except (TypeError, ValueError, RequirementError):
            raise InputError("a search among baskets that is damaged; restore it from a copy", source=path) from None


def _read_findings(data: Mapping[str, Any]) -> dict[str, Any]:
    """What was learnt so far; ValueError or TypeError where that cannot be."""
    items = data["items"]
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise ValueError("items are texts")
    _check_whole(data["round"], 1, 6)
    _check_whole(data["pad"], 1, len(items))
    _check_whole(data["people"], 0, 1 << 62)
    _check_number(data["lost"], 1)
    if not isinstance(data["itemsets"], bool):
        raise ValueError("itemsets are asked for, or not")
    known = tuple((_read_set(one, items), share, variance) for one, share, variance in data["known"])
    for _, share, variance in known:
        _check_number(share, math.inf)
        _check_number(variance, math.inf)
    asked = None if data["asked"] is None else tuple(_read_set(one, items) for one in data["asked"])
    return {"asked": asked, "known": known}


def _read_set(numbers: Any, items: Sequence[str]) -> tuple[int, ...]:
    for number in numbers:
        _check_whole(number, 0, len(items) - 1)
    if not numbers or sorted(set(numbers)) != list(numbers):
        raise ValueError("a set lists items once each, in order")
    return tuple(numbers)


def _check_whole(number: Any, least: int, most: int) -> None:
    if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most:
        raise ValueError("no such whole number")


def _check_number(number: Any, most: float) -> None:
    if isinstance(number, bool) or not isinstance(number, int | float) or not abs(number) < most:
        raise ValueError("no such number")


def _fit_pad(shares: NDArray[np.float64]) -> tuple[int, float]:
    """The smallest pad that most baskets with something in them fit into, and the share of what is lost by it."""
    held = shares[1:]
    counts = np.arange(1, len(shares))
    total = float(held.sum())
    if total <= 0:
        return 1, 0.0
    pad = int(np.searchsorted(np.cumsum(held), _FITTING * total)) + 1
    pad = min(pad, len(held))
    return pad, float((held * np.maximum(counts - pad, 0)).sum() / (held * counts).sum())


def _largest(known: Supports, top: int) -> list[tuple[int, ...]]:
    return sorted(known, key=lambda one: (-known[one][0], one))[:top]


def _guess_sets(known: Supports, singles: Sequence[tuple[int, ...]], number: int) -> tuple[tuple[int, ...], ...]:
    """The sets of two items or more with the largest products of supports, the largest support taken as 0.9."""
    most = known[singles[0]][0]
    weights = [max(_LARGEST_GUESS * known[one][0] / most, 0.0) for one in singles] if most > 0 else []
    found: list[tuple[int, ...]] = []
    for _, chosen in _by_product(weights):
        if len(found) == number:
            break
        if len(chosen) > 1:
            found.append(tuple(sorted(singles[k][0] for k in chosen)))
    return tuple(sorted(found))


def _by_product(weights: Sequence[float]) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Sets of places by falling product of their weights, which fall and are below 1.

    A set comes after the one without its last place, and after the one whose last place is the one before.
    """
    waiting: list[tuple[float, tuple[int, ...]]] = [(-weights[0], (0,))] if weights and weights[0] > 0 else []
    while waiting:
        product, chosen = heapq.heappop(waiting)
        yield -product, chosen
        last = chosen[-1]
        if last + 1 < len(weights) and weights[last + 1] > 0:
            heapq.heappush(waiting, (product * weights[last + 1], (*chosen, last + 1)))
            heapq.heappush(waiting, (product / weights[last] * weights[last + 1], (*chosen[:-1], last + 1)))
