"""The algorithms by name, as commands call them, and a choice among them."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, get_args

from confide.core.errors import CannotMeetError, UsageError
from confide.core.requirements.tables import KAnonymity
from confide.publish.tables.averaging.microaggregation import all_averaged
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.publisher import TablePublisher
from confide.publish.tables.recoding import Recoding
from confide.publish.tables.refusals.cures import explain_refusal
from confide.publish.tables.regrouping.best_regrouping import Regrouped, search

__all__ = ["METHODS", "NUMBER_METHODS", "SECONDS", "Chosen", "Method", "TableMethod", "choose", "publisher_named"]

Method = Literal[
    "auto",
    "mondrian",
    "mondrian-relaxed",
    "one-dimensional",
    "incognito",
    "incognito-local",
    "k-optimize",
    "top-down",
    "blank",
    "microaggregation",
]


@dataclass(frozen=True)
class TableMethod:
    """A method: where its class is, what it is called with, and what it does in a few words."""

    at: str
    options: dict[str, Any]
    what: str

    def publisher(self, **given: Any) -> TablePublisher:
        """The algorithm with these options."""
        module, _, name = self.at.partition(":")
        made: Callable[..., TablePublisher] = getattr(import_module(module), name)
        return made(**self.options, **given)


_HOME = "confide.publish.tables"

METHODS: dict[str, TableMethod] = {
    "mondrian": TableMethod(
        f"{_HOME}.mondrian.mondrian:Mondrian", {}, "cut into regions, each group as fine as may be"
    ),
    "mondrian-relaxed": TableMethod(
        f"{_HOME}.mondrian.mondrian:Mondrian", {"relaxed": True}, "the same, equal rows may part"
    ),
    "one-dimensional": TableMethod(
        f"{_HOME}.one_dimensional.one_dimensional:OneDimensional", {}, "neighbours on a line make a group"
    ),
    "incognito": TableMethod(f"{_HOME}.incognito.incognito:Incognito", {}, "one level for each column, the best one"),
    "incognito-local": TableMethod(
        f"{_HOME}.incognito.incognito:Incognito", {"local": True}, "the same in rounds, levels differ between rows"
    ),
    "k-optimize": TableMethod(
        f"{_HOME}.k_optimize.k_optimize:KOptimize", {}, "the best ranges of all columns at once, within a time limit"
    ),
    "top-down": TableMethod(
        f"{_HOME}.specialization.top_down:TopDownSpecialization", {}, "from the top, where it teaches most"
    ),
    "blank": TableMethod(
        f"{_HOME}.blanking.blank_cells:Blank", {}, "values stay as they are, or are blank (k-anonymity)"
    ),
}

SECONDS = 3.0
"""How long `choose` searches, unless it is told."""

_NCP: dict[str, Any] = {"loss": "ncp"}
_ASKED = {"incognito": {**_NCP, "time_limit": None}}  # what it makes may not depend on how fast the machine is

_MANY = 5_000  # rows above which it leaves out what is slow

NUMBER_METHODS: dict[str, TableMethod] = {
    "microaggregation": TableMethod(
        f"{_HOME}.averaging.microaggregation:Microaggregation", {}, "numbers only: the means of near rows"
    ),
}
"""Those for tables whose quasi-identifiers are all released as means or medians."""

assert {*METHODS, *NUMBER_METHODS} == set(get_args(Method)) - {"auto"}


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """An algorithm that was chosen, what it decided, why it was, and in how many rounds groups were regrouped."""

    method: str
    publisher: TablePublisher
    recoding: Recoding
    why: str
    rounds: int = 0


def publisher_named(method: str, **options: Any) -> TablePublisher:
    """The algorithm of this name, with these options."""
    known = METHODS | NUMBER_METHODS
    if method not in known:
        raise UsageError(f"method={method!r}; choose among auto, {', '.join(known)}", parameter="method", value=method)
    return known[method].publisher(**options)


def choose(table: CodedTable, *, time_limit: float = SECONDS, rounds: int | None = None, **options: Any) -> Chosen:
    """Try the methods that take the requirement, regroup what lost least, and choose whatever loses least then.

    The search takes `time_limit` seconds, or exactly so many `rounds`; with 0 there is none. K-optimize, whose loss is
    another, is chosen by name alone; so are those that are slow on many different rows, and lose more there.
    """
    requirement = options["requirement"]
    if all_averaged(table.schema) and isinstance(requirement, KAnonymity) and table.persons is None:
        publisher = publisher_named("microaggregation", **options)
        if not any(column.missing >= 0 for column in table.quasi):
            recoding = publisher.recode_or_propose(table)
            return Chosen(method="microaggregation", publisher=publisher, recoding=recoding, why=_MEANS)
    tried: list[tuple[str, TablePublisher, Recoding]] = []
    failures: list[CannotMeetError] = []
    for name in _tried(table):
        publisher = publisher_named(name, **(options if name == "mondrian" else options | _ASKED.get(name, _NCP)))
        try:
            publisher.check()
            recoding = publisher.recode(table)
            publisher.check_recoded(recoding)
            publisher.with_numbers(recoding)
        except CannotMeetError as error:
            failures.append(error)
        except UsageError:
            if name == "mondrian":  # it takes any requirement that makes sense
                raise
        else:
            tried.append((name, publisher, recoding))
    if not tried:
        raise explain_refusal(failures[0], publisher_named("mondrian", **options), table)
    losses = {name: recoding.ncp() for name, _, recoding in tried}
    method, publisher, recoding = min(tried, key=lambda one: losses[one[0]])
    lost = losses[method]
    others = ", ".join(f"{name} {share:.1%}" for name, share in losses.items() if name != method)
    if (time_limit > 0 if rounds is None else rounds > 0) and not any(column.numbers for column in table.quasi):
        searched = search([(name, found) for name, _, found in tried], requirement, rounds=rounds, seconds=time_limit)
        if searched is not None and searched.recoding.ncp() < lost:
            publisher = Regrouped(**options, rounds=searched.rounds)
            recoding, less = publisher.with_numbers(searched.recoding), searched.recoding.ncp()
            why = f"groups of {searched.begun_with}, regrouped in {searched.rounds} rounds, lose least ({less:.1%} of "
            why += f"the detail; {method} {lost:.1%})"
            return Chosen(
                method=Regrouped.algorithm, publisher=publisher, recoding=recoding, why=why, rounds=searched.rounds
            )
    why = f"it loses least ({lost:.1%} of the detail; {others})" if others else _ONLY
    return Chosen(method=method, publisher=publisher, recoding=publisher.with_numbers(recoding), why=why)


def _tried(table: CodedTable) -> list[str]:
    """The methods that `choose` tries."""
    slow = {"k-optimize"} if len(table) <= _MANY else {"k-optimize", "blank", "top-down", "incognito"}
    return [name for name in METHODS if name not in slow]


_MEANS = "every quasi-identifier is released as a mean or a median, and it keeps these nearest to the values"

_ONLY = "it takes any requirement, and loses a fraction of what one level for each column would"
