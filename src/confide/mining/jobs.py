"""The jobs `mine itemsets` and `mine rules`. What they find protects nobody: a rare itemset can point at a person."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from confide.core.jobs.catalogue import Job
from confide.core.jobs.fields import setting
from confide.core.jobs.kinds import Share, Support
from confide.core.jobs.outcome import QUIET, Host, Outcome, Row
from confide.core.jobs.records import TransactionsSource

if TYPE_CHECKING:
    from confide.core.itemsets.container import Itemsets
    from confide.mining.rules.association import Rules

__all__ = ["GROUPS", "JOBS", "MineItemsets", "MineRules", "mine_itemsets", "mine_rules"]


@dataclass(frozen=True, kw_only=True)
class _Mining(TransactionsSource):
    min_support: Support = setting(short="-s", help="Fewest records: a count (5), a share (0.01) or 1%.")
    top: int | None = setting(None, ge=1, help="Only this many, of largest support (of rules: largest lift).")


@dataclass(frozen=True, kw_only=True)
class MineItemsets(_Mining):
    """Find the itemsets that stand in enough transactions of IN.

    Plain mining protects nobody: a rare itemset can point at a person. -o writes .parquet, .jsonl or .csv. Without it,
    sets go to stdout; --table shows those of largest support first.
    """

    kind: Literal["all", "closed", "maximal"] = setting("all", help="All, or only those that no larger one implies.")
    max_length: int | None = setting(None, ge=1, help="Only sets of at most this many items.")


def mine_itemsets(request: MineItemsets, host: Host = QUIET) -> Outcome:
    """Mine, and keep the largest if only some are wanted."""
    from confide.mining import frequent_itemsets

    records = request.read_records(host.say)
    found = frequent_itemsets(
        records, min_support=request.min_support, kind=request.kind, max_length=request.max_length
    )
    if request.top is not None:
        found = found.top(request.top)
    what = "itemsets" if request.kind == "all" else f"{request.kind} itemsets"
    return Outcome(
        answer=found,
        rows=lambda: ({"items": list(labels), "support": support} for labels, support in found),
        reading=partial(_itemsets_for_reading, found, len(records)),
        title=f"{len(found):,} itemsets of {len(records):,} records",
        summary=f"{len(found):,} {what} of {len(records):,} records",
    )


def _itemsets_for_reading(found: "Itemsets", records: int) -> Iterator[Row]:
    """Those of largest support first, with their share of all records."""
    share = 100 / max(records, 1)
    for labels, support in found.top(len(found)):
        yield {"items": list(labels), "records": support, "% of all": round(share * support, 2)}


@dataclass(frozen=True, kw_only=True)
class MineRules(_Mining):
    """Find rules A => B that hold in enough transactions of IN, with confidence, lift, leverage and conviction.

    --table shows the rules of largest lift first: records that hold both sides, how sure (the confidence) and lift.
    """

    min_confidence: Share = setting(short="-c", ge=0, le=1, help="How often B comes with A: a share (0.6) or 60%.")
    max_length: int | None = setting(None, ge=2, help="Only rules over at most this many items.")


def mine_rules(request: MineRules, host: Host = QUIET) -> Outcome:
    """Mine itemsets, and the rules among them."""
    from confide.mining import association_rules, frequent_itemsets

    records = request.read_records(host.say)
    found = frequent_itemsets(records, min_support=request.min_support, max_length=request.max_length)
    rules = association_rules(found, min_confidence=request.min_confidence)
    if request.top is not None:
        rules = rules.top(request.top, by="lift")
    many = f"{len(rules):,} rules of {len(records):,} records"
    return Outcome(
        answer=rules,
        rows=lambda: rules.to_arrow().to_pylist(),
        reading=partial(_rules_for_reading, rules),
        title=many,
        summary=many,
    )


def _rules_for_reading(rules: "Rules") -> Iterator[Row]:
    """Those of largest lift first, in five columns."""
    for rule in rules.top(len(rules), by="lift"):
        yield {
            "if": list(rule.antecedent),
            "then": list(rule.consequent),
            "records": rule.support,
            "sure, %": round(100 * rule.confidence, 1),
            "lift": round(rule.lift, 2),
        }


GROUPS = {
    "mine": """Find frequent itemsets and association rules in transactions.

    Plain mining protects nobody: a rare itemset can point at a person."""
}

JOBS = (
    Job(
        name="mine itemsets",
        request=MineItemsets,
        at="confide.mining.jobs:mine_itemsets",
        examples=("confide mine itemsets baskets.csv --min-support 1% --kind closed -o closed.parquet",),
    ),
    Job(
        name="mine rules",
        request=MineRules,
        at="confide.mining.jobs:mine_rules",
        examples=("confide mine rules baskets.csv --min-support 1% --min-confidence 0.5 --table",),
    ),
)
