"""One question about a basket: an item (or itemset) of it, drawn after padding, or how many of some it holds.

Baskets differ in any number of items, so a scheme that keeps or flips each item needs a gamma for the longest basket,
which is far too large. Padding and sampling (Wang, Li, Jha, "Locally differentially private frequent itemset mining",
2018) answers about one item instead:

    basket --> the asked items it holds --> padded to `pad` with blanks --> one drawn --> answered by a law

Every support is then the estimated share of drawn items times `pad`. A basket with more than `pad` of the asked items
draws one of them all, so its items count for less: a larger `pad` loses less to that, and has more noise.

Drawing helps to protect. With k-ary answers under g, a basket that holds a value gives it with chance (g + pad - 1)/pad
relative to one that does not, so g = 1 + pad (gamma - 1) keeps gamma. Hashed answers gain nothing: all of a basket's
items may fall into one bucket. "auto" takes what errs less.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from confide.collect.answers.answer_files import Answers
from confide.collect.answers.answer_law import AnswerLaw
from confide.collect.answers.answer_laws import MOST_CELLS, PRIME, Hashing, Kary, is_prime, read_law
from confide.collect.baskets.held_sets import list_held
from confide.collect.designs.answer_intake import count_answers
from confide.collect.designs.block_scheme import check_answer, check_bound
from confide.collect.designs.design_estimates import SupportTally
from confide.collect.designs.field_blocks import Block, law_for
from confide.collect.estimating.item_search import ItemsetLevel, levels_of
from confide.collect.estimating.miner_questions import MinedLevels, Question
from confide.collect.fields.field import plain
from confide.collect.fields.fields import Fields
from confide.collect.numbered import MOST_OUTPUTS, NumberedRecords, check_size
from confide.collect.schemes.item_records import items_held, true_records, universe_of
from confide.collect.schemes.scheme import Amplified, Scheme, exact, only
from confide.collect.wording.languages import DeviceSentence
from confide.core.datasets.loading import require_loaded
from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.runtime.threads import answers_ctrl_c
from confide.core.tables import frames
from confide.core.transactions.container import Transactions
from confide.core.transactions.intake import as_transactions, is_column, is_table
from confide.core.transactions.labels import as_label

if TYPE_CHECKING:
    import pyarrow as pa

    from confide.core.randomness import Randomness

__all__ = ["BasketQuestion"]

_MOST_PAD = 1024
_LAWS = ("auto", "k-ary", "hashing")


@dataclass(frozen=True, kw_only=True)
class BasketQuestion(Scheme):
    """Asks each person for one of the asked items that the basket holds, or how many it holds.

    `items` are all items there are; `sets`, lists of them, are what is asked for (default: every item). `asks` is
    "sample" (one of them, drawn after padding to `pad`) or "count" (how many, `pad` standing for that or more). `law`
    is how the answer is given: "k-ary", "hashing", or "auto" for what errs less.

    >>> from confide import Randomness
    >>> question = BasketQuestion(items=["tea", "milk", "beer"], gamma=19, pad=2)
    >>> question.amplification().gamma
    19.0
    >>> sent = question.perturb([["tea", "milk"]] * 6000 + [["beer"]] * 4000, randomness=Randomness.seeded(1))
    >>> sorted(" ".join(labels) for labels, _ in question.mine(sent, min_support=0.3))
    ['beer', 'milk', 'tea']
    """

    kind = "basket-question"

    items: Sequence[str]
    gamma: float
    pad: int = 1
    asks: Literal["sample", "count"] = "sample"
    sets: Sequence[Sequence[str]] | None = None
    law: str | AnswerLaw = "auto"

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", universe_of(self.items))
        check_bound(self.gamma)
        pad: Any = self.pad
        if isinstance(pad, bool) or not isinstance(pad, int) or not 1 <= pad <= _MOST_PAD:
            raise RequirementError(
                f"pad={pad} is not a number of items; use 1 to {_MOST_PAD:,}", parameter="pad", value=pad
            )
        if self.asks not in ("sample", "count"):
            raise RequirementError(
                f'asks={self.asks!r} is not a question; use "sample" or "count"', parameter="asks", value=self.asks
            )
        if self.sets is not None:
            object.__setattr__(self, "sets", self._read_sets(self.sets))
        if len(self.asked_sets) + self.pad > MOST_CELLS:
            raise RequirementError(f"{len(self.asked_sets):,} items are too many for one answer; ask for fewer")
        object.__setattr__(self, "law", self._read_law(self.law))

    def _read_sets(self, sets: Any) -> tuple[tuple[str, ...], ...]:
        if isinstance(sets, str) or any(isinstance(one, str) for one in sets):
            raise RequirementError(
                f"sets={sets!r:.60} must be a list of lists of items, such as [['tea'], ['tea', 'milk']]",
                parameter="sets",
                value=sets,
            )
        found = []
        for one in sets:
            unknown = [item for item in one if item not in self.codes]
            if unknown or not one or len(set(one)) < len(one):
                raise RequirementError(
                    f"an asked set is empty, lists an item twice, or one that is not among the items: {list(one)}"
                )
            found.append(tuple(sorted(one, key=self.codes.__getitem__)))
        if not found or len(set(found)) < len(found):
            raise RequirementError(f"{len(found)} sets: none are asked for, or one is asked for twice")
        return tuple(found)

    def _read_law(self, law: str | AnswerLaw) -> AnswerLaw:
        if isinstance(law, AnswerLaw):
            return law
        if law not in _LAWS:
            raise RequirementError(
                f"law={law!r} is not a way to answer; use: {', '.join(_LAWS)}", parameter="law", value=law
            )
        kary = Kary(size=self.values, gamma=self._inner("k-ary"))
        if law == "k-ary":
            return kary
        hashing = law_for("hashing", size=self.values, gamma=self.gamma)
        if law == "hashing":
            return hashing
        return kary if kary.moments.other <= hashing.moments.other else hashing

    def _inner(self, law: str) -> Any:
        """The gamma that the law of the answer may have."""
        gamma = exact(self.gamma)
        return 1 + self.pad * (gamma - 1) if law == "k-ary" and self.asks == "sample" else gamma

    # -- what it is about -----------------------------------------------------------------------------------------

    @cached_property
    def codes(self) -> dict[str, int]:
        """Where each item stands."""
        return {label: i for i, label in enumerate(self.items)}

    @cached_property
    def asked_sets(self) -> tuple[tuple[int, ...], ...]:
        """The asked sets as positions of items."""
        if self.sets is None:
            return tuple((i,) for i in range(len(self.items)))
        return tuple(tuple(self.codes[item] for item in one) for one in self.sets)

    @property
    def values(self) -> int:
        """How many values an answer is about: asked sets and blanks, or 0 to `pad`."""
        return self.pad + (len(self.asked_sets) if self.asks == "sample" else 1)

    @property
    def block(self) -> Block:
        """The one question, as answers are counted by."""
        assert isinstance(self.law, AnswerLaw)
        return Block((0,), self.law)

    @property
    def fields(self) -> Fields | None:
        return None

    @property
    def universe(self) -> tuple[str, ...]:
        return tuple(self.items)

    @property
    def sends_items(self) -> bool:
        return False

    @property
    def longest(self) -> int | None:
        return None

    # -- at the client --------------------------------------------------------------------------------------------

    def perturb(self, records: Any, *, randomness: "Randomness | None" = None) -> Any:
        """Answer for one basket (a list of items, or {item: 0 or 1}) or for many.

        One basket gives a list of whole numbers, a list of baskets a list of them, and all else a table with the
        columns question and answer.
        """
        from confide.core.randomness import Randomness

        source = Randomness.system() if randomness is None else randomness
        require_loaded(records, "a question about baskets")
        if isinstance(records, Mapping):
            records = items_held(records)
        if isinstance(records, list | tuple | set) and not any(isinstance(r, list | tuple | set) for r in records):
            return next(iter(self.draw_answers(Transactions.from_lists([records]), source)))
        drawn = self.draw_answers(as_transactions(records), source)
        if isinstance(records, list | tuple):
            return list(drawn)
        framed = is_table(records) or is_column(records)
        return frames.like(drawn.to_table(), records) if framed else drawn.to_table()

    @answers_ctrl_c
    def draw_answers(self, baskets: Transactions, randomness: "Randomness") -> Answers:
        """One answer for each basket."""
        law = self.block.law
        indptr, codes = law.draw(self.draw_values(baskets, randomness), randomness)
        return Answers(np.zeros(len(baskets), dtype=np.int32), indptr, codes)

    def draw_values(self, baskets: Transactions, randomness: "Randomness") -> NDArray[np.int64]:
        """What each basket answers about: one of the asked sets it holds or a blank; or how many it holds."""
        starts, held = list_held(baskets, self.codes, self.asked_sets)
        lengths = np.diff(starts)
        if self.asks == "count":
            return np.minimum(lengths, self.pad)
        slots, drawn = np.maximum(lengths, self.pad), np.empty(len(baskets), dtype=np.int64)
        for bound in np.unique(slots).tolist():
            rows = np.flatnonzero(slots == bound)
            drawn[rows] = randomness.integers(bound, len(rows))
        own = drawn < lengths
        values = len(self.asked_sets) + drawn
        values[own] = held[starts[:-1][own] + drawn[own]]
        return values

    def encode(self, record: Any) -> list[int]:
        """A perturbed record is what goes over the wire already."""
        self.check_wire(record)
        return list(record)

    def check_wire(self, wire: Any) -> None:
        check_answer((self.block,), wire)

    # -- about itself ---------------------------------------------------------------------------------------------

    def amplification(self, max_length: int | None = None) -> Amplified:
        """gamma: of k-ary samples less than the law's own, since a value is drawn with a chance of at most 1/pad."""
        inner = self.block.law.attained
        sampled = self.asks == "sample" and self.block.law.kind == "k-ary"
        return Amplified.of((inner + self.pad - 1) / self.pad if sampled else inner)

    def condition_number(self, length: int) -> float:
        law = self.block.law
        return float((law.p + (law.size - 1) * law.q) / (law.p - law.q))

    def loss(self, perturbed: Any) -> dict[str, Any]:
        return {"records": len(perturbed)}

    def compared(self, records: Any, perturbed: Any) -> dict[str, int]:
        return {"baskets": len(perturbed)}

    def numbered(self) -> NumberedRecords:
        from confide.core.randomness import Randomness

        check_size(max(self.block.law.answers, 1 << min(len(self.items), 60)))
        truths = true_records(len(self.items), None, None)

        def draw(truth: int, times: int, randomness: "Randomness | None") -> NDArray[np.int64]:
            held = np.tile(np.array(truths[truth], dtype=np.int32), times)
            starts = np.arange(times + 1, dtype=np.int64) * len(truths[truth])
            baskets = Transactions.from_arrays(starts, held, self.universe)
            sent = self.draw_answers(baskets, Randomness.system() if randomness is None else randomness)
            return self.block.law.number_answers(sent.indptr, sent.codes)

        return NumberedRecords(
            truths=len(truths),
            answers=self.block.law.answers,
            draw=draw,
            truth=lambda number: [self.items[i] for i in truths[number]],
            answer=lambda number: {"answer": " ".join(map(str, self.block.law.numbered_answer(number)))},
        )

    def smaller(self) -> "BasketQuestion":
        """Over its first items and asked sets, as few as can be listed."""
        if len(self.items) <= 10 and self.block.law.answers <= MOST_OUTPUTS:
            return self
        kept = tuple(self.items[:4])
        sets = [one for one in self.sets or () if set(one) <= set(kept)]
        less = replace(self, items=kept, sets=sets or None, law="k-ary")
        law = self.block.law
        if not isinstance(law, Hashing):
            return less
        few = replace(less, pad=min(self.pad, 3))
        prime = next(n for n in range(max(few.values, 5), PRIME) if is_prime(n))
        return replace(few, law=replace(law, size=few.values, prime=prime))

    def question(self) -> DeviceSentence:
        things = "items" if self._asks_items else "sets"
        which = "asked" if self.asks == "sample" else "asked how many"
        return DeviceSentence.of(f"{which} {things}", n=len(self.asked_sets))

    @property
    def _asks_items(self) -> bool:
        return all(len(one) == 1 for one in self.asked_sets)

    def device_steps(self) -> tuple[DeviceSentence, ...]:
        first = "counts" if self.asks == "count" else "draws one"
        return (DeviceSentence.of(first, pad=self.pad), self.block.law.step(), DeviceSentence.of("not which"))

    # -- at the server --------------------------------------------------------------------------------------------

    def unpack(self, lengths: NDArray[np.int32], codes: NDArray[np.int32]) -> Answers:
        return Answers.unpack(lengths, codes)

    def released(self, records: Any) -> "pa.Table":
        return records.to_table()

    def shares(self, perturbed: Any) -> tuple[NDArray[np.float64], SupportTally]:
        """The estimated share of people whose answer is about each value, and the counts behind it."""
        tally = count_answers((self.block,), perturbed)
        p, q = float(self.block.law.p), float(self.block.law.q)
        return (tally.supports[0] / max(tally.records, 1) - q) / (p - q), tally

    def estimate(self, perturbed: Any) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
        """Of each asked set: the estimated share of people who hold it, its variance, and the number of answers.

        Shares of people with more than `pad` asked sets are too low; see `BasketSearch`, which corrects for them.
        """
        if self.asks == "count":
            raise UsageError("this scheme asks how many items apply, not which; ask for a sample to mine items")
        drawn, tally = self.shares(perturbed)
        drawn = drawn[: len(self.asked_sets)]
        moments, held = self.block.law.moments, np.clip(drawn, 0, 1 / self.pad)
        noise = self.pad**2 * (held * moments.own + (1 - held) * moments.other) - self.pad * held
        return self.pad * drawn, noise / max(tally.records, 1), tally.records

    def search(self, perturbed: Any, question: Question) -> MinedLevels:
        if question.counter is not None:
            raise UsageError(f"a {self.kind} scheme counts answers, not candidates; leave out counter")
        estimates, variances, records = self.estimate(perturbed)
        wanted = question.wanted(records)
        levels = levels_of(self.asked_sets, records * estimates, records**2 * variances)
        kept = []
        for level in levels:
            rows = np.flatnonzero(wanted.passes(level.estimates, level.variances))
            if question.max_length is None or level.sets.shape[1] <= question.max_length:
                kept.append(
                    ItemsetLevel(
                        sets=level.sets[rows], estimates=level.estimates[rows], variances=level.variances[rows]
                    )
                )
        return MinedLevels(levels=kept, wanted=wanted, labels=self.universe, records=records)

    def mining_notes(self) -> tuple[str, ...]:
        things = "items" if self._asks_items else "combinations of items"
        return (f"baskets with more than {self.pad} of the asked {things} count for less: supports are low",)

    # -- as JSON --------------------------------------------------------------------------------------------------

    def parameters(self) -> dict[str, Any]:
        law = self.block.law
        return {
            "items": list(self.items),
            "sets": None if self.sets is None else [list(one) for one in self.asked_sets],
            "gamma": plain(self.gamma),
            "pad": self.pad,
            "asks": self.asks,
            "law": law.kind,
            **law.parameters(),
        }

    @classmethod
    def from_parameters(cls, data: Mapping[str, Any]) -> "BasketQuestion":
        hashing = data.get("law") == "hashing"
        only(data, cls.kind, ["items", "sets", "gamma", "pad", "asks", "law", *(Hashing.entries if hashing else ())])
        items, sets, asks = data["items"], data["sets"], data["asks"]
        if not isinstance(items, list) or any(not isinstance(item, str) or as_label(item) != item for item in items):
            raise InputError(f"items={items!r:.60} must be a list of labels")
        if asks not in ("sample", "count") or data["law"] not in _LAWS[1:]:
            raise InputError(f'asks={asks!r} must be "sample" or "count", and law={data["law"]!r} "k-ary" or "hashing"')
        if sets is not None:
            sets = [_named(one, items) for one in sets] if isinstance(sets, list) else sets
            if not isinstance(sets, list):
                raise InputError(f"sets={sets!r:.60} must be a list of lists of positions of items, or null")
        made = cls(items=items, gamma=data["gamma"], pad=data["pad"], asks=asks, sets=sets, law="k-ary")
        entries = {name: data[name] for name in (Hashing.entries if hashing else ())}
        law = read_law(data["law"], entries, size=made.values, gamma=made._inner(data["law"]))
        return replace(made, law=law)


def _named(positions: Any, items: Sequence[str]) -> list[str]:
    """The items at these positions, which must rise."""
    if not isinstance(positions, list) or any(type(i) is not int or not 0 <= i < len(items) for i in positions):
        raise InputError(f"an asked set must be a list of positions of items, not {positions!r:.60}")
    if any(a >= b for a, b in pairwise(positions)):
        raise InputError(f"the positions of an asked set must rise: {positions}")
    return [items[i] for i in positions]
