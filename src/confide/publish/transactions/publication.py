"""Publishing transactions as the command, a notebook or a web page asks for it: a request in, a release and notes out.

`suppress` does the work. This module adds what an owner needs around it: defaults, faults that would leave private
items unprotected, and what to say about the result in plain sentences.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from os import PathLike
from typing import Any

from confide.core.datasets.transactions import StoredTransactions
from confide.core.errors import UsageError
from confide.core.release import Release
from confide.core.requirements import Coherence
from confide.core.transactions.container import Transactions
from confide.core.transactions.label_lists import private_labels, read_labels
from confide.publish.transactions.choice import Method, Utility, Wishes
from confide.publish.transactions.long_records import note_long_records
from confide.publish.transactions.suppress import suppress
from confide.publish.transactions.suppression.item_utility import Cost

__all__ = ["PrivateItems", "Publication", "PublicationRequest", "publish_transactions"]


_ADVICE = ", or set allow_absent for a list that serves many files"


@dataclass(frozen=True, kw_only=True)
class PrivateItems:
    """How an owner says which items are private: by label, by a file of labels (one per line), or by prefix.

    A listed label that never occurs is refused, since it may be misspelt and its true spelling stay public; a list kept
    for many files needs `allow_absent`.
    """

    labels: tuple[str, ...] = ()
    file: str | PathLike[str] | None = None
    prefixes: tuple[str, ...] = ()
    allow_absent: bool = False

    def among(self, tx: Transactions | StoredTransactions, *, h: tuple[float, ...]) -> tuple[str, ...]:
        """The private labels of these transactions; with `allow_absent`, listed ones that never occur are left out.

        Refuses what would leave a secret open by mistake: prefixes that match nothing, and a bound `h` below 1 that
        would bound nothing.
        """
        listed, file = list(self.labels), self.file
        if self.allow_absent:
            listed += [] if file is None else read_labels(file)
            listed, file = [label for label in listed if label in tx.codes], None
        found = private_labels(tx.labels, listed=listed, file=file, prefixes=self.prefixes, advice=_ADVICE)
        if not found and any(0 < bound < 1 for bound in h):
            raise UsageError("h bounds private items, but none is declared; declare them (private=), or use h=1")
        return tuple(found)

    @staticmethod
    def notes(private: tuple[str, ...], *, h: tuple[float, ...]) -> tuple[str, ...]:
        """A warning where private items are declared and h = 1 leaves them without a bound."""
        if private and all(bound == 1 for bound in h):
            return ("warning: h = 1 sets no bound on guessing private items; use h = 0.5, for example, to set one",)
        return ()


@dataclass(frozen=True, kw_only=True)
class PublicationRequest:
    """What to publish: the promise (`k`, `h`, `p`), what is private, and what to save. Faults in k, h and p raise here.

    `explain` adds the owner's part to the release, with the reasons for each suppressed item. The other fields are
    those of `suppress`.
    """

    k: int
    p: int | float
    h: float = 1.0
    private: PrivateItems = field(default_factory=PrivateItems)
    utility: Utility = "items"
    nugget_support: int | float | None = None
    nugget_length: int | None = None
    method: Method = "auto"
    cost: Cost | None = None
    keep: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    icdm_deletion: bool = False
    put_back: bool = True
    time_limit: float | None = None
    keep_order: bool = False
    explain: bool = False

    def __post_init__(self) -> None:
        _ = self.requirement

    @property
    def requirement(self) -> Coherence:
        """The promise, checked."""
        return Coherence(h=self.h, k=self.k, p=self.p)


@dataclass(frozen=True, kw_only=True)
class Publication:
    """A verified release, and notes for its owner: warnings, the promise and the cost, a sentence each."""

    release: Release[Transactions]
    notes: tuple[str, ...]


def publish_transactions(
    tx: Transactions | StoredTransactions, request: PublicationRequest, *, into: str | PathLike[str] | None = None
) -> Publication:
    """Publish transactions as `confide publish transactions` does, without writing a file; `into` as for `suppress`.

    Raises `UsageError` where the request would leave private items open by mistake, and whatever `suppress` raises.

    >>> tx = Transactions.from_lists([["a", "b", "s:x"], ["a", "b"], ["a", "c"], ["b", "c"]])
    >>> done = publish_transactions(tx, PublicationRequest(k=2, p=1, private=PrivateItems(prefixes=("s:",))))
    >>> done.release.loss["public_items_suppressed"]
    0
    >>> done.notes[0]
    'warning: h = 1 sets no bound on guessing private items; use h = 0.5, for example, to set one'
    """
    private = request.private.among(tx, h=(request.h,))
    wishes: dict[str, Any] = {field.name: getattr(request, field.name) for field in fields(Wishes)}
    began = time.monotonic()
    release = suppress(
        tx,
        request.requirement,
        private=private,
        **wishes,
        keep_order=request.keep_order,
        explain=request.explain,
        into=into,
    )
    notes = [*PrivateItems.notes(private, h=(request.h,)), release.requirement.promise(), *_losses(release.loss)]
    notes += _how_good(release, seconds=time.monotonic() - began)
    if isinstance(tx, Transactions):
        left = tuple(release.passport.context["private"])
        notes += note_long_records(release.data, request.requirement, private=left, entries=len(tx.indices))
    return Publication(release=release, notes=tuple(notes))


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
    gone, public = _said(loss["public_items_suppressed"]), _said(loss["public_items"])
    lost = loss["share_of_occurrences_lost"]
    notes = [f"{gone} of {public} public items suppressed; {lost:.1%} of all occurrences lost"]
    if "nuggets" in loss:
        notes.append(f"{_said(loss['nuggets_lost'])} of {_said(loss['nuggets'])} frequent itemsets worth keeping lost")
    if lost > 0.5:
        notes.append("more than half is lost; a lower p loses less, then a lower k: explore several settings")
    return tuple(notes)


def _said(count: int | str) -> str:
    """A count, or the words that stand for a small one."""
    return count if isinstance(count, str) else f"{count:,}"
