"""Association rules from frequent itemsets.

A rule A -> C says that records which hold A tend to hold C. Every part of a frequent itemset is frequent, so a
rule is three positions in the itemsets it came from: the whole, its antecedent, its consequent. All measures follow
from the three supports; ten million rules take 120 MB.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import RequirementError, UsageError
from confide.core.itemsets.container import Itemsets, frozensets
from confide.core.runtime.lazy import call
from confide.core.runtime.threads import answers_ctrl_c, cores, in_threads
from confide.core.tables.framed import Framed

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = ["Measure", "Rule", "Rules", "association_rules"]

Measure = Literal["support", "confidence", "lift", "leverage", "conviction"]
MEASURES: tuple[Measure, ...] = ("support", "confidence", "lift", "leverage", "conviction")

# More items than any set whose parts are all listed can have; also the width of the kernel's bit masks.
LONGEST = 60
PARTS_PER_CORE = 8
_SHOWN = 20  # rows in a notebook


class Rule(NamedTuple):
    """One rule: which items lead to which, and how strongly. `support` is a count."""

    antecedent: tuple[str, ...]
    consequent: tuple[str, ...]
    support: int
    confidence: float
    lift: float
    leverage: float
    conviction: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Rules(Framed):
    """Rules over one set of itemsets, columnar.

    `whole`, `antecedent` and `consequent` are positions in `itemsets`, one of each a rule. With s(X) the share of
    records that hold X, a rule A -> C has

        support      records that hold A and C (a count)
        confidence   s(AC) / s(A)
        lift         s(AC) / (s(A) s(C)); 1 when A and C are independent
        leverage     s(AC) - s(A) s(C)
        conviction   (1 - s(C)) / (1 - confidence); infinite when the confidence is 1
    """

    itemsets: Itemsets
    whole: NDArray[np.int32]
    antecedent: NDArray[np.int32]
    consequent: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.whole)

    def __repr__(self) -> str:
        return f"<Rules {len(self):,} over {self.itemsets.n_transactions:,} transactions>"

    def _repr_html_(self) -> str:
        """For notebooks: the surest rules."""
        rows = [
            (", ".join(r.antecedent), ", ".join(r.consequent), f"{r.support:,}", f"{r.confidence:.1%}", f"{r.lift:.2f}")
            for r in self.top(_SHOWN)
        ]
        words = f"{len(self):,} rules over {self.itemsets.n_transactions:,} records"
        words += f"; the {_SHOWN} of largest confidence" if len(self) > _SHOWN else ""
        columns = ("if", "then", "records", "confidence", "lift")
        return f"<p>{words}</p>" + str(call("confide.report.notebook:table_html", columns, rows))

    def __iter__(self) -> Iterator[Rule]:
        for start in range(0, len(self), 4096):
            part = self.take(np.arange(start, min(start + 4096, len(self))))
            left, right = part.antecedents, part.consequents
            columns = [getattr(part, name).tolist() for name in MEASURES]
            for (a, _), (c, _), *values in zip(left, right, *columns, strict=True):
                yield Rule(a, c, *values)

    def __getitem__(self, i: int) -> Rule:
        if not -len(self) <= i < len(self):
            raise IndexError(i)
        return next(iter(self.take(np.array([i % len(self)]))))

    # -- columns --------------------------------------------------------------------------------------------

    @property
    def antecedents(self) -> Itemsets:
        """The left side of each rule, with its support."""
        return self.itemsets.take(self.antecedent.astype(np.int64))

    @property
    def consequents(self) -> Itemsets:
        """The right side of each rule, with its support."""
        return self.itemsets.take(self.consequent.astype(np.int64))

    @property
    def support(self) -> NDArray[np.int64]:
        """Records that hold both sides; a count."""
        return self._supports_at(self.whole)

    @property
    def confidence(self) -> NDArray[np.float64]:
        """Of the records that hold the antecedent, the share that hold the consequent too."""
        return self.support / self._antecedent_support

    @property
    def lift(self) -> NDArray[np.float64]:
        """How many times more often than if the sides were independent."""
        return self.confidence / (self._consequent_support / self.itemsets.n_transactions)

    @property
    def leverage(self) -> NDArray[np.float64]:
        """The share of records that hold both sides, less what independence would give."""
        n = self.itemsets.n_transactions
        return self.support / n - (self._antecedent_support / n) * (self._consequent_support / n)

    @property
    def conviction(self) -> NDArray[np.float64]:
        """How many times more often the rule would fail if the sides were independent; infinite when it never
        fails.
        """
        fails = self._antecedent_support - self.support
        expected = self._antecedent_support * (1 - self._consequent_support / self.itemsets.n_transactions)
        result: NDArray[np.float64] = np.full(len(self), np.inf)
        np.divide(expected, fails, out=result, where=fails > 0)
        return result

    @property
    def _antecedent_support(self) -> NDArray[np.int64]:
        return self._supports_at(self.antecedent)

    @property
    def _consequent_support(self) -> NDArray[np.int64]:
        return self._supports_at(self.consequent)

    def _supports_at(self, positions: NDArray[np.int32]) -> NDArray[np.int64]:
        # In 64 bits, so that two of them can be multiplied without overflow.
        return self.itemsets.supports[positions].astype(np.int64, copy=False)

    # -- choosing and leaving -------------------------------------------------------------------------------

    def take(self, index: NDArray[np.int64]) -> "Rules":
        """The rules at these positions, in this order."""
        return Rules(
            itemsets=self.itemsets,
            whole=self.whole[index],
            antecedent=self.antecedent[index],
            consequent=self.consequent[index],
        )

    def top(self, k: int, *, by: Measure = "confidence") -> "Rules":
        """The k rules largest in `by`; ties go to the larger support, then to the earlier rule."""
        given: object = k
        if isinstance(given, bool) or not isinstance(given, int | np.integer):
            raise UsageError(f"top takes a whole number, not {type(given).__name__}")
        if by not in MEASURES:
            raise UsageError(f"no measure {by!r}; measures are: {', '.join(MEASURES)}")
        order = np.lexsort((-self.support, -getattr(self, by)))
        return self.take(order[: max(k, 0)])

    def to_arrow(self) -> "pyarrow.Table":
        """A table with `antecedent` and `consequent` (lists of labels) and a column for each measure."""
        import pyarrow as pa

        sides = {"antecedent": self.antecedents, "consequent": self.consequents}
        columns = {name: side.to_arrow()["items"] for name, side in sides.items()}
        columns.update({name: pa.array(getattr(self, name)) for name in MEASURES})
        return pa.table(columns)

    def to_pandas(self) -> "pandas.DataFrame":
        """As `to_arrow`, as a pandas frame (needs pandas); both sides are frozensets, fit for comparing."""
        frame = super().to_pandas()
        for name in ("antecedent", "consequent"):
            frame[name] = frozensets(frame[name])
        return frame


@answers_ctrl_c
def association_rules(
    itemsets: Any, *, min_confidence: float, min_support: int | float | None = None, max_length: int | None = None
) -> Rules:
    """Make every rule of at least `min_confidence` whose two sides together are one of `itemsets`.

    `itemsets` is an `Itemsets` that holds every part of each set, as `frequent_itemsets(..., kind="all")` gives them
    (expand closed ones first with `expand_closed`); or the records themselves in any form that `frequent_itemsets`
    takes, with `min_support` and, if wanted, `max_length` as there. `min_confidence`, from 0 to 1: larger gives fewer
    and surer rules, and prunes the search; 0 gives all 2**n - 2 rules of every set of n items.

    Rules tell what is in the data, rare people included: they are not for publication as they are.

    >>> found = Itemsets.from_pairs([(["tea"], 4), (["milk"], 2), (["milk", "tea"], 2)], n_transactions=5)
    >>> for rule in association_rules(found, min_confidence=0.6):
    ...     print(rule.antecedent, "->", rule.consequent, rule.support, rule.confidence, rule.lift)
    ('milk',) -> ('tea',) 2 1.0 1.25
    >>> association_rules([["milk", "tea"], ["tea"]], min_support=1, min_confidence=0.6)
    <Rules 1 over 2 transactions>
    """
    given: Any = min_confidence
    if isinstance(given, bool) or not isinstance(given, Real) or not 0 <= min_confidence <= 1:
        raise RequirementError(
            f"min_confidence={min_confidence!r} is not a share; use a number from 0 to 1",
            parameter="min_confidence",
            value=min_confidence,
        )
    if isinstance(itemsets, Itemsets):
        if min_support is not None or max_length is not None:
            raise UsageError("min_support and max_length belong to records; these itemsets are mined already")
    elif min_support is None:
        raise UsageError(
            f"association_rules takes the itemsets of frequent_itemsets, or records with min_support; got "
            f"{type(itemsets).__name__} without min_support"
        )
    else:
        from confide.mining.itemsets.frequent import frequent_itemsets

        itemsets = frequent_itemsets(itemsets, min_support=min_support, max_length=max_length)
    if len(itemsets) >= 2**31:
        raise UsageError(f"{len(itemsets):,} itemsets are too many at once; raise min_support")
    if len(itemsets) and int(itemsets.lengths.max()) > LONGEST:
        raise _missing(itemsets, int(np.argmax(itemsets.lengths)))

    from confide.mining.rules._rule_kernels import MISSING, make_rules
    from confide.mining.rules._subset_kernels import build_table

    sets, supports = itemsets.coded(), np.ascontiguousarray(itemsets.supports, dtype=np.int64)
    table = build_table(*sets)
    threads = cores()
    parts = threads * PARTS_PER_CORE if len(itemsets) > 10_000 else 1
    cuts = [len(itemsets) * i // parts for i in range(parts + 1)]

    def rules_of(part: int) -> tuple[NDArray[np.int32], int]:
        return make_rules(table, *sets, supports, cuts[part], cuts[part + 1], float(min_confidence))

    made = in_threads(rules_of, range(parts), threads=threads)
    for _, incomplete in made:
        if incomplete != MISSING:
            raise _missing(itemsets, incomplete)
    columns = [np.concatenate([triples[k::3] for triples, _ in made]) for k in range(3)]
    return Rules(itemsets=itemsets, whole=columns[0], antecedent=columns[1], consequent=columns[2])


def _missing(itemsets: Itemsets, i: int) -> UsageError:
    return UsageError(
        f"itemset {i} has {itemsets.lengths[i]} items and some of its subsets are not among the itemsets, so "
        'confidences cannot be computed; mine with kind="all", or expand closed itemsets with expand_closed'
    )
