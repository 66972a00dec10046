"""Choosing k, h and p: what each setting would cost, and how much an attacker could know at all.

`explore` yields one setting after the other; `explore_transactions` takes a whole request, as the command, a notebook
or a web page has it, and answers with everything a page about it shows.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.intake import as_records
from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.errors import CannotMeetError, RequirementError, UsageError
from confide.core.figures import Chart, Column, Figures, Shown, ShownFields, Study, Table
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.requirements import Coherence
from confide.core.runtime.progress import task
from confide.core.runtime.threads import answers_ctrl_c
from confide.core.transactions.container import Transactions
from confide.publish.jobs.transactions import PublishTransactions, Wishes
from confide.publish.transactions.declaration import Declared, declare
from confide.publish.transactions.generalisation.name_choice import NameChoice
from confide.publish.transactions.generalisation.name_prices import COLUMNS, NameSetting, draw_prices, price_names
from confide.publish.transactions.publication import find_private_items, note_unbounded
from confide.publish.transactions.suppression_choice import SuppressionChoice

__all__ = [
    "Exploration",
    "Lengths",
    "SuppressionSetting",
    "charts",
    "explore",
    "explore_as_outcome",
    "explore_transactions",
    "lengths",
]


@dataclass(frozen=True, kw_only=True)
class SuppressionSetting(ShownFields):
    """One setting and its cost. `refused` says why nothing can be published under it, and then there is no loss."""

    k: int
    h: float
    p: int | float
    share_of_occurrences_lost: float | None = None
    share_of_nuggets_lost: float | None = None
    public_items_suppressed: int | None = None
    minimal_moles: int | None = None
    refused: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; an infinite p becomes "inf"."""
        return asdict(self) | {"p": "inf" if self.p == math.inf else self.p}


@dataclass(frozen=True)
class Lengths:
    """How many public items records have: `records[n]` records have n. `covered(p)`: the share with p or fewer.

    Those records are protected against somebody who knows every public item they hold.
    """

    records: tuple[int, ...]

    def covered(self, p: float) -> float:
        """The share of records of at most p public items."""
        total = sum(self.records)
        return sum(self.records[: len(self.records) if p == math.inf else int(p) + 1]) / total if total else 1.0

    @property
    def longest(self) -> int:
        """The most public items any record holds."""
        return len(self.records) - 1

    @property
    def median(self) -> int:
        """Half of the records hold this many public items or fewer."""
        half, seen = math.ceil(sum(self.records) / 2), 0
        for length, count in enumerate(self.records):
            seen += count
            if seen >= half:
                return length
        return 0


@dataclass(frozen=True, kw_only=True)
class Exploration(Shown):
    """What each setting would cost, how long records are, and notes for the owner, a sentence each."""

    settings: tuple[SuppressionSetting, ...] | tuple[NameSetting, ...]
    lengths: Lengths
    notes: tuple[str, ...]
    title: str
    lead: str

    def rows(self) -> list[dict[str, Any]]:
        """Each setting with its cost, and the share of records that its p covers wholly."""
        return [setting.to_dict() | {"records_covered": self.lengths.covered(setting.p)} for setting in self.settings]

    def to_dict(self) -> dict[str, Any]:
        """What was priced, and its notes."""
        return {"what": self.title, "notes": list(self.notes), "settings": self.rows()}

    def charts(self) -> tuple[Chart, ...]:
        """Loss against k, and what p covers."""
        hidden = [setting for setting in self.settings if isinstance(setting, SuppressionSetting)]
        names = [setting for setting in self.settings if isinstance(setting, NameSetting)]
        return (*draw_prices(names), *charts(hidden, self.lengths))

    def tables(self) -> dict[str, Table]:
        """The rows under headings for a page."""
        names = any(isinstance(setting, NameSetting) for setting in self.settings)
        return {"Settings": Table(COLUMNS if names else _COLUMNS, tuple(tuple(row.values()) for row in self.rows()))}

    def study(self) -> Study:
        """A page about it, for the owner."""
        return Study(
            title=self.title, lead=self.lead, facts=Figures(), tables=self.tables(), charts=self.charts(), diagrams=()
        )


_COLUMNS = (
    Column("k", "count"),
    Column("h", "number"),
    Column("p", "count"),
    Column("of all entries lost", "share"),
    Column("of frequent itemsets lost", "share"),
    Column("public items hidden", "count"),
    Column("identifying combinations", "count"),
    Column("why not", "text"),
    Column("of records wholly covered by p", "share"),  # those that hold p public items or fewer
)


def _range_of(settings: Sequence[SuppressionSetting] | Sequence[NameSetting]) -> str:
    lost = [found for found in (setting.share_of_occurrences_lost for setting in settings) if found is not None]
    if not lost:
        return f"Nothing can be published under any of these {len(settings)} settings"
    return f"The {len(settings)} settings would hide between {min(lost):.1%} and {max(lost):.1%} of all entries"


@answers_ctrl_c
def explore_transactions(request: PublishTransactions, host: Host = QUIET) -> Exploration:
    """Price every combination of k, h and p, as `confide publish transactions --explore` does; nothing is released.

    >>> tx = Transactions.from_lists([["a", "b"], ["a", "b"], ["a", "c"], ["b", "c"]])
    >>> explore_transactions(PublishTransactions(records=tx, k=(2, 3), p=1)).notes
    ('records hold up to 2 public items, half of them 2 or fewer; p = 2 covers all knowledge',)
    """
    tx = request.read_records(host.say)
    private = find_private_items(request, tx)
    held = lengths(tx, private=private)
    hiding = SuppressionChoice.of(declare(tx, private), _as_hidden(request))
    settings: tuple[SuppressionSetting, ...] | tuple[NameSetting, ...]
    if request.by == "generalise":
        settings = tuple(price_names(_name_choice(request, tx, private), hiding, request.requirements_asked()))
    else:
        settings = tuple(_price_all(hiding, request.requirements_asked()))
    reach = (
        f"records hold up to {held.longest} public items, half of them {held.median} or fewer; "
        f"p = {held.longest} covers all knowledge"
    )
    return Exploration(
        settings=settings,
        lengths=held,
        notes=(*note_unbounded(request, private), reach),
        title="What k, h and p would cost",
        lead=f"{_range_of(settings)}. The data: {len(tx):,} records, {len(private):,} private items.",
    )


def _as_hidden(request: PublishTransactions) -> Wishes:
    """What is asked of hiding; where broader names are asked for, their cost prices no hidden item."""
    return request if request.by == "suppress" else Wishes(keep=request.keep, never=request.never)


def _name_choice(
    request: PublishTransactions, tx: Transactions | StoredTransactions, private: Sequence[str]
) -> NameChoice:
    if not isinstance(tx, Transactions):
        raise UsageError("generalising needs the records in memory; explore hiding, or a part of the records")
    wishes = _as_hidden(request)
    return NameChoice.of(Declared.of(tx, private), wishes, taxonomy=request.taxonomy, cost=request.cost or "ncp")


def explore_as_outcome(request: PublishTransactions, host: Host = QUIET) -> Outcome:
    """An exploration as the outcome of a job: rows, and a page that draws them."""
    exploration = explore_transactions(request, host)
    return Outcome(
        answer=exploration,
        rows=exploration.rows,
        reading=lambda: _for_reading(exploration.rows()),
        title="What each setting would cost",
        notes=exploration.notes,
        page=exploration.study,
    )


_SHORT = {
    "k": "k",
    "h": "h, %",
    "p": "p",
    "share_of_occurrences_lost": "entries lost, %",
    "share_of_nuggets_lost": "itemsets lost, %",
    "public_items_suppressed": "items hidden",
    "minimal_moles": "combinations",
    "share_exact": "named: exact, %",
    "share_gone": "gone, %",
    "ncp": "NCP",
    "bits": "bits",
    "found_for": "found for",
    "records_covered": "p covers, %",
    "refused": "why not",
}


def _for_reading(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows under headings that fit 80 columns, shares in percent, without columns that say nothing."""
    shown = [name for name in _SHORT if any(row.get(name) not in (None, "") for row in rows)]
    return [{_SHORT[name]: _percent(row[name]) if "%" in _SHORT[name] else row[name] for name in shown} for row in rows]


def _percent(share: float | None) -> float | str:
    return "" if share is None else float(f"{100 * share:.3g}")


def explore(
    tx: Any,
    *,
    private: Iterable[str] = (),
    k: Sequence[int] = (2, 5, 10, 20, 50),
    h: Sequence[float] = (0.4, 0.6, 0.8),
    p: Sequence[int | float] = (1, 2, 3),
    **wishes: Any,
) -> Iterator[SuppressionSetting]:
    """Yield the loss under every combination of k, h and p (thesis, section 4.5.2), in that order.

    `wishes` are what `suppress` takes to say what to save and how: `utility`, `nugget_support`, `method`, `cost`,
    `keep`, `never` and so on. Each setting is priced by the choice that `suppress` would make; nothing is released.
    A setting under which nothing can be published is yielded with its reason. Cost: that of choosing for each
    combination; large p on dense data takes longest, so put it last.

    >>> tx = Transactions.from_lists([["a", "b"], ["a", "b"], ["a", "c"], ["b", "c"]])
    >>> [(s.k, s.p, s.share_of_occurrences_lost) for s in explore(tx, k=[2, 3], h=[1.0], p=[1, 2])]
    [(2, 1, 0.0), (2, 2, 0.25), (3, 1, 0.25), (3, 2, 0.625)]
    """
    choice = SuppressionChoice.of(declare(as_records(tx), private), Wishes(**wishes))
    yield from _price_all(choice, _settings(k, h, p))


def _price_all(choice: SuppressionChoice, settings: Sequence[Coherence]) -> Iterator[SuppressionSetting]:
    with task("exploring settings", total=len(settings)) as step:
        for requirement in settings:
            yield _price(choice, requirement)
            step(1)


def _settings(k: Sequence[int], h: Sequence[float], p: Sequence[int | float]) -> list[Coherence]:
    settings = [Coherence(h=share, k=count, p=size) for count, share, size in product(k, h, p)]
    if not settings:
        raise RequirementError("give at least one k, one h and one p to explore")
    return settings


@answers_ctrl_c
def _price(choice: SuppressionChoice, requirement: Coherence) -> SuppressionSetting:
    asked: dict[str, Any] = {"k": requirement.k, "h": requirement.h, "p": requirement.p}
    try:
        chosen = choice.make(requirement)
    except CannotMeetError as error:
        return SuppressionSetting(**asked, refused=str(error))
    loss = choice.loss(chosen)
    return SuppressionSetting(
        **asked,
        share_of_occurrences_lost=loss["share_of_occurrences_lost"],
        share_of_nuggets_lost=loss.get("share_of_nuggets_lost"),
        public_items_suppressed=loss["public_items_suppressed"],
        minimal_moles=chosen.totals.get("minimal_moles"),
    )


def lengths(tx: Transactions | StoredTransactions, *, private: Iterable[str] = ()) -> Lengths:
    """Count the public items of each record, for choosing p."""
    public = ~declare(tx, private).is_private
    counts = tx.fold(_CountLengths(public, tx.longest), label="counting public items")
    return Lengths(tuple(np.trim_zeros(counts, "b").tolist()))


@dataclass(frozen=True, eq=False)
class _CountLengths:
    """The pass that counts records by how many public items they hold."""

    public: NDArray[np.bool_]
    longest: int

    shared = False

    def begin(self) -> NDArray[np.int64]:
        return np.zeros(self.longest + 1, dtype=np.int64)

    def add(self, state: NDArray[np.int64], batch: Transactions) -> NDArray[np.int64]:
        held = np.diff(np.concatenate([[0], np.cumsum(self.public[batch.indices])])[batch.indptr])
        return state + np.bincount(held, minlength=len(state))

    def merge(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
        return one + other


def charts(settings: Sequence[SuppressionSetting], held: Lengths) -> tuple[Chart, ...]:
    """Loss against k, one line for each h and p; and the share of records that p covers wholly."""
    ks = sorted({s.k for s in settings})
    lines: dict[str, tuple[float, ...]] = {}
    for h, p in sorted({(s.h, s.p) for s in settings}):
        found = {s.k: s.share_of_occurrences_lost for s in settings if (s.h, s.p) == (h, p)}
        values = [found.get(k) for k in ks]
        if all(value is not None for value in values):
            lines[f"h = {h:g}, p = {p:g}"] = tuple(float(v) for v in values if v is not None)
    longest = max(held.longest, 1)
    drawn = [
        Chart(
            title="Records wholly covered by p",
            x=tuple(float(n) for n in range(1, min(longest, 40) + 1)),
            series={
                "records of at most p public items": tuple(held.covered(n) for n in range(1, min(longest, 40) + 1))
            },
            kind="line",
            x_label="p",
            y_label="share of records",
            y_unit="share",
            x_unit="count",
            note="The others rely on nobody knowing more than p of their items.",
        )
    ]
    if lines:
        loss = Chart(
            title="Loss of items against protection",
            x=tuple(float(k) for k in ks),
            series=lines,
            kind="line",
            x_label="k",
            y_label="share of all entries lost",
            y_unit="share",
            x_unit="count",
        )
        drawn.insert(0, loss)
    return tuple(drawn)
