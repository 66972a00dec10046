"""Publishing transactions as a request: what `confide publish transactions` asks for, for any program to ask the same.

`suppress` does the work. This module adds what an owner needs around it: faults that would leave private items
unprotected, and notes in plain sentences.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.errors import RequestError, UsageError
from confide.core.jobs.ledger_use import OpenedLedger
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.release import Release
from confide.core.runtime.threads import answers_ctrl_c
from confide.core.series.shown_items import EarlierItems, ShownItems
from confide.core.tables.frames import mark_of
from confide.core.transactions.container import Transactions
from confide.core.transactions.label_lists import private_labels, read_labels
from confide.publish.jobs.transactions import PublishTaxonomy, PublishTransactions, Wishes
from confide.publish.transactions.long_records import note_long_records
from confide.publish.transactions.suppress import suppress

__all__ = ["Publication", "find_private_items", "list_private_items", "note_unbounded", "publish_transactions", "run"]

_ADVICE = ", or set allow_absent for a list that serves many files"


@dataclass(frozen=True, kw_only=True)
class Publication(Outcome):
    """A verified release, and notes for its owner: warnings, the promise and the cost, a sentence each."""

    release: Release[Any]


def run(request: PublishTransactions, host: Host = QUIET) -> Outcome:
    """The job `publish transactions`: a release, or what every setting would cost."""
    from confide.publish.transactions.basket_exploration import explore_as_outcome

    return explore_as_outcome(request, host) if request.explore else publish_transactions(request, host)


@answers_ctrl_c
def publish_transactions(request: PublishTransactions, host: Host = QUIET) -> Publication:
    """Publish transactions as `confide publish transactions` does, without writing a file.

    Records that are not in memory are released as Parquet parts in the folder `host.output`; with `host.owner` the
    release has its owner's part, and with `host.page` broader names are compared with hiding. Raises `UsageError` where
    the request would leave private items open by mistake, and whatever `suppress` raises.

    >>> tx = Transactions.from_lists([["a", "b", "s:x"], ["a", "b"], ["a", "c"], ["b", "c"]])
    >>> done = publish_transactions(PublishTransactions(records=tx, k=2, p=1, private_prefix=["s:"]))
    >>> done.release.loss["public_items_suppressed"]
    0
    >>> done.notes[0]
    'warning: h = 1 sets no bound on guessing private items; use h = 0.5, for example, to set one'
    """
    requirement = request.requirement_asked()
    tx = request.read_records(host.say)
    if host.output is None and not tx.in_memory and isinstance(request.records, Path):
        raise UsageError(
            "the records are not in memory, so a trial needs output=, a folder, too: parts are written beside it",
            parameter="output",
        )
    private = find_private_items(request, tx)
    opened = _opened_ledger(request, tx, private, host)
    earlier = None if opened is None else opened.earlier_items
    if request.by == "generalise":
        release, notes = _generalise(request, tx, private, host, earlier)
    else:
        release, notes = _suppress(request, tx, private, host, earlier)
    if request.used_ledger is not None:
        shown = ShownItems.of(tx.to_transactions(), release.artefact, private, release.passport.context)
        release, told = request.record(release, lambda: shown, host, opened)
        notes = [*notes, *told]
    if isinstance(request.records, Path) and ".csv" in request.records.suffixes:
        mark = mark_of(request.records, delimiter=request.delimiter, encoding=request.encoding)
        release = replace(release, delimiter=mark)
    if tx.in_memory:
        left = tuple(release.passport.context["private"])
        notes += note_long_records(release.data, requirement, private=left, entries=len(tx.indices))
    loss = dict(release.loss)
    return Publication(
        release=release,
        notes=tuple(notes),
        document={"requirement": requirement.to_dict(), "loss": loss, "written": not host.trial},
        rows=lambda: [{"loss": name, "value": value} for name, value in _single_values(loss)],
    )


def _opened_ledger(
    request: PublishTransactions, tx: Transactions | StoredTransactions, private: tuple[str, ...], host: Host
) -> OpenedLedger | None:
    """The ledger to build on; None without after=."""
    if request.used_ledger is not None and not tx.in_memory:
        name = "ledger" if request.after is None else "after"
        raise RequestError(name, request.used_ledger, "follows records in memory; these are not")
    return request.build_on(lambda: ShownItems(records=tx.to_transactions(), items=(), private=private), host)


def _suppress(
    request: PublishTransactions,
    tx: Transactions | StoredTransactions,
    private: tuple[str, ...],
    host: Host,
    earlier: EarlierItems | None,
) -> tuple[Release[Any], list[str]]:
    """A release by hiding items, and what its owner should know of it."""
    requirement = request.requirement_asked()
    wishes: dict[str, Any] = {field.name: getattr(request, field.name) for field in fields(Wishes)}
    wishes |= {"keep": request.labels("keep"), "never": request.labels("never")}
    began = time.monotonic()
    release = suppress(
        tx,
        requirement,
        private=private,
        **wishes,
        keep_order=request.keep_order,
        explain=host.owner,
        into=host.output,
        earlier=earlier,
    )
    notes = [*note_unbounded(request, private), requirement.promise(), *_losses(release.loss)]
    return release, notes + list(_how_good(release, seconds=time.monotonic() - began))


def _generalise(
    request: PublishTransactions,
    tx: Transactions | StoredTransactions,
    private: tuple[str, ...],
    host: Host,
    earlier: EarlierItems | None,
) -> tuple[Release[Any], list[str]]:
    """A release by broader names, and what its owner should know of it."""
    from confide.publish.transactions.generalisation.beside_hiding import note_hiding
    from confide.publish.transactions.generalise import generalise

    requirement = request.requirement_asked()
    release = generalise(
        tx,
        requirement,
        taxonomy=request.taxonomy,
        private=private,
        cost=request.cost or "ncp",
        keep=request.labels("keep"),
        never=request.labels("never"),
        keep_order=request.keep_order,
        explain=host.owner,
        earlier=earlier,
        beside_hiding=host.page,
    )
    notes = [*note_unbounded(request, private), requirement.promise(), release.passport.headline]
    notes += note_hiding(release.loss)
    broader = len(release.passport.context["names"])
    if broader:
        notes.append(f"the passport lists what each of the {broader:,} broader names stands for")
    return release, notes


def find_private_items(request: PublishTransactions, tx: Transactions | StoredTransactions) -> tuple[str, ...]:
    """As `list_private_items`; a bound h below 1 that would bound nothing is refused, too."""
    private = list_private_items(request, tx)
    bounds = [requirement.h for requirement in request.requirements_asked()]
    if not private and any(bound < 1 for bound in bounds):
        raise UsageError(
            f"h={min(bounds):g} bounds private items, but none is declared; declare them (private=), or use h=1",
            parameter="h",
            value=min(bounds),
        )
    return private


def list_private_items(
    request: PublishTransactions | PublishTaxonomy, tx: Transactions | StoredTransactions
) -> tuple[str, ...]:
    """The labels of these transactions that the request calls private, by list, by file or by prefix.

    A listed label that never occurs may be misspelt, and its true spelling stay public: it is refused, or, with
    `allow_absent`, left out. So are prefixes that match nothing.
    """
    file = request.private if isinstance(request.private, Path) else None
    listed = request.private if isinstance(request.private, tuple) else ()
    if request.allow_absent:
        labels = listed if file is None else read_labels(file)
        listed, file = tuple(label for label in labels if label in tx.codes), None
    return tuple(private_labels(tx.labels, listed=listed, file=file, prefixes=request.private_prefix, advice=_ADVICE))


def note_unbounded(request: PublishTransactions, private: tuple[str, ...]) -> tuple[str, ...]:
    """A warning where private items are declared and h = 1 leaves them without a bound."""
    if private and all(requirement.h == 1 for requirement in request.requirements_asked()):
        return ("warning: h = 1 sets no bound on guessing private items; use h = 0.5, for example, to set one",)
    return ()


def _how_good(release: Release[Any], *, seconds: float) -> tuple[str, ...]:
    """Whether the choice of a search is proved to be the best; nothing of other methods, or where nothing went."""
    if release.passport.parameters.get("method") not in ("exchange", "optimal") or not release.loss["occurrences_lost"]:
        return ()
    gap = release.loss.get("share_above_least")
    if gap == 0:
        return ("proved: no other choice of items loses less",)
    further = "method optimal searches on" if gap is None else f"another choice could lose at most {gap:.1%} less"
    return (f"the best choice found in {seconds:.1f} s, which is not proved to lose least; {further}",)


def _losses(loss: Mapping[str, Any]) -> tuple[str, ...]:
    gone, public = _words(loss["public_items_suppressed"]), _words(loss["public_items"])
    lost = loss["share_of_occurrences_lost"]
    notes = [f"{gone} of {public} public items suppressed; {lost:.1%} of all occurrences lost"]
    if "nuggets" in loss:
        notes.append(
            f"{_words(loss['nuggets_lost'])} of {_words(loss['nuggets'])} frequent itemsets worth keeping lost"
        )
    if lost > 0.5:
        notes.append("more than half is lost; a lower p loses less, then a lower k: explore several settings")
    return tuple(notes)


def _single_values(loss: Mapping[str, Any], within: str = "") -> Iterator[tuple[str, Any]]:
    """Each value with its name; one in a table has those of its row and column, too."""
    for name, value in loss.items():
        if isinstance(value, Mapping):
            yield from _single_values(value, f"{within}{name}: ")
        else:
            yield f"{within}{name}", value


def _words(count: int | str) -> str:
    """A count, or the words that stand for a small one."""
    return count if isinstance(count, str) else f"{count:,}"
