"""What `publish transactions` asks for; `publish/transactions` runs it."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from confide.core.errors import RequestError, RequirementError, UsageError
from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import AnswerFiles, TrialFiles
from confide.core.jobs.fields import setting
from confide.core.jobs.kinds import ChoiceKind, Labels, Shares, Support, Wholes, WholesOrInfinity
from confide.core.jobs.ledger_use import LedgerUse
from confide.core.jobs.records import TransactionsSource
from confide.core.jobs.request import Request
from confide.publish.jobs.loss_names import NAME_COSTS, NameCost

if TYPE_CHECKING:
    from confide.core.requirements import Coherence

__all__ = [
    "BASELINES",
    "GROUPS",
    "JOBS",
    "Cost",
    "Method",
    "PublishTaxonomy",
    "PublishTransactions",
    "Utility",
    "Wishes",
]

Utility = Literal["items", "itemsets"]
Method = Literal["auto", "tree", "records", "border", "zdd", "walk", "optimal", "remove-all", "k-anonymizer"]
Cost = Literal["support", "one"] | Mapping[str, float | Fraction]
"""What losing an item costs: its support, one unit, or weights by label (1 for items without one)."""

BASELINES = ("remove-all", "k-anonymizer")
_METHODS = {
    "items": ("auto", "tree", "records", "optimal", *BASELINES),
    "itemsets": ("auto", "border", "zdd", "walk", "records", "optimal", *BASELINES),
}
_SAVED = "What to save, and how"


class _Price(ChoiceKind):
    """The price of an item by a rule; in Python and in a file also weights by label."""

    def check(self, value: Any) -> Any:
        return dict(value) if isinstance(value, Mapping) else super().check(value)

    def plain(self, value: Any) -> Any:
        # a fraction has no place in JSON or TOML
        return {label: float(weight) for label, weight in value.items()} if isinstance(value, dict) else value


@dataclass(frozen=True, kw_only=True)
class Wishes(Request):
    """What to save and how. What could not count is refused, never ignored."""

    utility: Utility = setting("items", group=_SAVED, help="What to save.")
    nugget_support: Support | None = setting(
        None, group=_SAVED, help="Itemsets worth keeping: in this many records (5), or a share (1%)."
    )
    nugget_length: int | None = setting(None, ge=1, group=_SAVED, help="... and of at most this many items.")
    method: Method = setting(
        "auto",
        group=_SAVED,
        help="optimal: the smallest loss of all, if --time-limit allows; the last two are baselines to compare with.",
    )
    time_limit: float | None = setting(
        None,
        above=0,
        because="leaves no time",
        group=_SAVED,
        unit="seconds",
        when={"method": "optimal"},
        help="Seconds that --method optimal may take (60 if not given); Ctrl-C keeps the best so far.",
    )
    cost: Annotated[Any, _Price(("support", "one", *NAME_COSTS))] = setting(
        None,
        group=_SAVED,
        help="Price of a hidden item: support or one (whichever loses less); of broader names: ncp (default) or bits.",
    )
    keep: Labels | None = setting(None, group=_SAVED, help="File of item labels to keep at any price, one per line.")
    never: Labels | None = setting(None, group=_SAVED, help="File of item labels never to publish, one per line.")
    icdm_deletion: bool = setting(
        False,
        group=_SAVED,
        when={"utility": "itemsets"},
        help="First hide the items in no itemset worth keeping: faster.",
    )
    put_back: bool = setting(
        True, group=_SAVED, help="Keep out what the greedy rule took needlessly, as the thesis does."
    )

    def check(self) -> None:
        super().check()
        self.check_cost()
        utility, method = self.utility, self.method
        if method not in _METHODS[utility]:
            raise RequestError(
                "method", method, f"does not go with utility={utility!r}; methods are: {', '.join(_METHODS[utility])}"
            )
        if utility == "itemsets" and self.nugget_support is None:
            raise RequirementError(
                "itemset utility needs nugget_support=, for example 0.01: which itemsets are worth keeping",
                parameter="nugget_support",
                value=self.nugget_support,
            )
        if self.nugget_length is not None and self.nugget_support is None:
            raise RequestError("nugget_length", self.nugget_length, "counts with nugget_support= only; give both")
        if self.keep and method in BASELINES:
            raise RequestError(
                "method", method, "is a baseline for comparison and cannot keep items; use another method"
            )
        if self.icdm_deletion and (utility == "items" or method == "k-anonymizer"):
            raise RequestError(
                "icdm_deletion",
                True,
                "deletes items in no frequent itemset worth keeping; it counts with utility='itemsets' and a method "
                "other than 'k-anonymizer' only",
            )
        if not self.put_back and method in ("records", "optimal", *BASELINES):
            raise RequestError(
                "put_back", False, f"is an order of the greedy rule; method={method!r} puts nothing back"
            )
        if self.time_limit is not None and method != "optimal":
            raise RequestError(
                "time_limit", self.time_limit, "bounds the search for the best choice, of method='optimal' only"
            )
        if self.cost is not None and (utility == "itemsets" or method in BASELINES):
            raise UsageError(
                "cost= prices items; it counts with utility='items' and no baseline only",
                parameter="cost",
                value=self.cost,
            )

    def check_cost(self) -> None:
        """Refuse what broader names cost where items are hidden."""
        if self.cost in NAME_COSTS:
            raise RequestError("cost", self.cost, "prices broader names, of by='generalise'; use support or one")

    def labels(self, name: Literal["keep", "never"]) -> tuple[str, ...]:
        """The labels to keep, or never to publish, also where they are in a file."""
        listed: tuple[str, ...] | Path | None = getattr(self, name)
        if not isinstance(listed, Path):
            return listed or ()
        from confide.core.transactions.label_lists import read_labels

        return tuple(read_labels(listed))


_OF_HIDING = ("utility", "nugget_support", "nugget_length", "method", "time_limit", "icdm_deletion", "put_back")
_DEFAULTS = {field.name: field.default for field in fields(Wishes)}


@dataclass(frozen=True, kw_only=True)
class PublishTransactions(Wishes, TransactionsSource, LedgerUse):
    """Hide items of IN, or give them broader names, until any p public items of a person match at least k records or
    none, and no private item stands in more than a share h of those.

    The loss goes to stdout as JSON. Exit status 1 when nothing can be published that way, with the nearest setting
    that works. Records of one person must be one record: in long files those of one --id are. With --explore, k, h and
    p may be several with commas between (--k 2,5,10), and --report draws what each would cost.
    """

    k: Wholes = setting(help="Fewest records any known itemset matches (2 or more).")
    h: Shares = setting(1.0, help="Largest share of them with one private item.")
    p: WholesOrInfinity = setting(help="How many public items an attacker may know, or inf.")
    by: Literal["suppress", "generalise"] = setting(
        "suppress", help="Hide items (suppress), or publish them under broader names where they must (generalise)."
    )
    taxonomy: Path | None = setting(
        None,
        when={"by": "generalise"},
        help="File of rows item;name;broader name;...;*. Without it, items are merged by how common they are.",
    )
    private: Labels | None = setting(None, help="File of private item labels, one per line.")
    private_prefix: tuple[str, ...] = setting(
        (), repeat=True, metavar="TEXT", help="Items whose label starts so are private."
    )
    allow_absent: bool = setting(False, help="Labels in --private that never occur in IN are not an error.")
    keep_order: bool = setting(False, help="Leave the records in the order of IN; the passport warns of it.")
    explore: bool = setting(False, help="Price every combination of --k, --h and --p (commas between values).")

    def check(self) -> None:
        super().check()
        self.requirements_asked()
        if self.explore and self.used_ledger is not None:
            name = "ledger" if self.after is None else "after"
            raise RequestError(name, self.used_ledger, "goes with a release, and explore= releases nothing")
        if self.by == "suppress":
            if self.taxonomy is not None:
                raise RequestError("taxonomy", str(self.taxonomy), "counts with by='generalise' only")
            return
        for name in _OF_HIDING:
            if getattr(self, name) != _DEFAULTS[name]:
                raise RequestError(name, getattr(self, name), "says what to hide; it does not go with by='generalise'")

    def check_cost(self) -> None:
        if self.by == "suppress":
            super().check_cost()
        elif self.cost is not None and self.cost not in NAME_COSTS:
            raise RequestError("cost", self.cost, "prices hidden items; with by='generalise' use ncp or bits")

    def requirements_asked(self) -> "list[Coherence]":
        """Every combination of k, h and p, each as one requirement."""
        from confide.core.requirements import Coherence

        k, h, p = (_listed(value) for value in (self.k, self.h, self.p))
        return [Coherence(k=count, h=share, p=known) for count, share, known in product(k, h, p)]

    def requirement_asked(self) -> "Coherence":
        """The requirement of a release, which takes one value each."""
        for name in ("k", "h", "p"):
            if isinstance(getattr(self, name), tuple):
                raise RequestError(name, getattr(self, name), "is more than one value; several go with explore=")
        return self.requirements_asked()[0]

    def check_delivery(self, delivery: Any) -> None:
        if self.explore:
            if self.keep_order:
                raise RequestError("keep_order", True, "goes with a release, and explore= releases nothing")
            for name in ("output", "dry_run", "sign", "owner_report"):
                if getattr(delivery, name):
                    raise RequestError(
                        name, getattr(delivery, name), "goes with a release, and explore= releases nothing"
                    )
            return
        self.requirement_asked()
        if delivery.output is None and not delivery.dry_run:
            raise UsageError(
                "say where the release goes with output=, or dry_run to see what it would lose", parameter="output"
            )


@dataclass(frozen=True, kw_only=True)
class PublishTaxonomy(TransactionsSource):
    """Propose broader names for the items of IN, as rows item;name;broader name;...;* to edit, for publish transactions
    --by generalise --taxonomy FILE.

    Items are merged that keep each other from being published, and groups named by their commonest items; with
    --prefixes items are below what their codes begin with.
    """

    k: int = setting(2, ge=2, help="Fewest records that names are to be in together; larger groups come first.")
    cost: NameCost = setting("ncp", help="What a merger costs: items per name, or what a reader lacks.")
    prefixes: Wholes | None = setting(
        None, help="No merging: names are the first characters of each item, so many (1,3,5)."
    )
    private: Labels | None = setting(None, help="File of private item labels, one per line.")
    private_prefix: tuple[str, ...] = setting(
        (), repeat=True, metavar="TEXT", help="Items whose label starts so are private."
    )
    allow_absent: bool = setting(False, help="Labels in --private that never occur in IN are not an error.")


def _listed(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


GROUPS: Mapping[str, str] = {}

_ASKED = "--h 0.5 --private-prefix s:"

JOBS = (
    Job(
        name="publish transactions",
        request=PublishTransactions,
        at="confide.publish.transactions.publication:run",
        delivery=TrialFiles,
        examples=(
            f"confide publish transactions baskets.csv --explore --k 2,5,10 --p 1,2 {_ASKED} --table",
            f"confide publish transactions baskets.csv -o broad.csv --by generalise --k 5 --p 2 {_ASKED}",
            f"confide publish transactions baskets.csv -o out.csv --k 5 --p 2 {_ASKED} --report out.html",
        ),
    ),
    Job(
        name="publish taxonomy",
        request=PublishTaxonomy,
        at="confide.publish.transactions.generalisation.taxonomy_proposal:run",
        delivery=AnswerFiles,
        examples=("confide publish taxonomy baskets.csv -o names.csv --private-prefix s:",),
    ),
)
