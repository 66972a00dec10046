"""Releases of the same baskets in a ledger: which items each shows, and what they tell together.

Nothing is kept of single records: whoever joins the rows of several releases sees each basket with the items of any.
So what they tell together is what one release of all these items would tell. Where every release shows only items of
the first, that is the first; otherwise the auditor looks at all of them, while the baskets are at hand.
"""

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from confide.core.errors import InputError, VerificationError
from confide.core.figures import Shown
from confide.core.passport import Passport
from confide.core.requirements import Coherence, Requirement
from confide.core.runtime.lazy import call
from confide.core.series.shown_items import EarlierItems, ShownItems
from confide.ledger.packed_arrays import pack_array, unpack_array

if TYPE_CHECKING:
    from confide.ledger.book import ReleaseLedger

__all__ = ["ItemsView", "RecordedItems", "check_items_together", "earlier_items", "look_at_all_items"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RecordedItems:
    """One release of baskets: its passport, when, whether it is known to have left, and the items that it speaks of.

    `broader` says that some stand under broader names; `private` are the items called private. `together` says whether
    all items shown by then keep what each release promises at least; None where that was not worked out.
    """

    passport: Passport
    when: str
    done: bool
    records: int
    items: frozenset[str]
    private: frozenset[str]
    broader: bool
    together: bool | None

    @property
    def sha256(self) -> str:
        """The hash of the released file."""
        assert self.passport.artefact is not None
        return self.passport.artefact.sha256

    @property
    def people(self) -> int:
        """How many records it has; one is one person."""
        return self.records

    @property
    def name(self) -> str:
        """What its file is called."""
        return self.passport.artefact.name if self.passport.artefact else "it"


@dataclass(frozen=True, kw_only=True)
class ItemsView(Shown):
    """What several releases of the same baskets tell together. `beyond` are items that the first does not show;
    `together` says whether all items keep the `promise`, the least of those made; None where that is not known."""

    releases: int
    records: int
    items: int
    beyond: int
    together: bool | None
    promise: str

    @property
    def ok(self) -> bool:
        """Whether they keep together what each promises at least."""
        return self.releases < 2 or self.together is True

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "ok": self.ok}

    def lines(self) -> list[str]:
        """Sentences for the owner."""
        if self.releases < 2:
            one = "1 release" if self.releases else "0 releases"
            return [f"{one}: there is nothing to put together yet"]
        said = f"{self.releases} releases of the same {self.records:,} records"
        if not self.beyond and self.together:
            return [said, "they show only items of the first, so together they tell no more than it does"]
        beyond = f"{self.beyond:,} items are shown that the first does not show"
        if self.together is None:
            return [said, beyond, "some under broader names, so nobody worked out what all tell together"]
        how = "keep" if self.together else "do not keep"
        return [said, beyond, f"for whoever joins their records, all items together {how} this: {self.promise}"]


def check_items_together(ledger: "ReleaseLedger", releases: int | None = None) -> ItemsView:
    """What all releases of a ledger tell together, or the first so many."""
    chosen = ledger.item_releases[:releases]
    spoken_of: frozenset[str] = frozenset().union(*(release.items for release in chosen))
    first = chosen[0].items if chosen else frozenset()
    return ItemsView(
        releases=len(chosen),
        records=chosen[-1].records if chosen else 0,
        items=len(spoken_of),
        beyond=len(spoken_of - first),
        together=chosen[-1].together if chosen else None,
        promise=_least_of([release.passport for release in chosen]).promise() if chosen else "",
    )


def look_at_all_items(ledger: "ReleaseLedger", passport: Passport, shown: ShownItems) -> ShownItems:
    """The release with what the auditor finds where its items are joined with those of earlier releases.

    Refuses one that is built on them and shows more than the first.
    """
    earlier = ledger.item_releases
    if not earlier:
        return replace(shown, together=True)
    beyond = shown.spoken_of - earlier[0].items
    if shown.built and beyond:
        raise VerificationError(
            f"the release does not keep to those it is built on: it shows {len(beyond):,} items that the first does not"
        )
    derived = not earlier[0].broader and all(release.items <= earlier[0].items for release in earlier)
    if derived and not beyond:
        return replace(shown, together=True)
    if shown.names or any(release.broader for release in earlier):
        return replace(shown, together=None)
    items = frozenset(shown.items).union(*(release.items for release in earlier))
    labels = shown.records.labels
    whole = shown.records.keep_items(np.array([label in items for label in labels], dtype=np.bool_))
    private = [label for label in shown.private if label in items]
    least = _least_of([*(release.passport for release in earlier), passport])
    check = call("confide.audit.verifiers.transactions.coherence:coherence_check", whole, least, private)
    return replace(shown, together=bool(check.ok))


def earlier_items(ledger: "ReleaseLedger", shown: ShownItems) -> EarlierItems | None:
    """What the releases of a ledger leave to a release of the same baskets; None where it has none."""
    releases = ledger.item_releases
    ledger.check_follows(shown)
    if not releases:
        return None
    first = releases[0]
    if first.broader:
        raise InputError(
            f"release 1 ({first.name}) shows broader names, and items below them would tell more, so nothing can be "
            "built on it; publish that file again",
            source=ledger.path,
        )
    for number, release in enumerate(releases[1:], 2):
        if not release.items <= first.items:
            raise InputError(
                f"release {number} ({release.name}) was not built on release 1, so no release can be built on both; "
                "make releases with after= from the first on, in a ledger of their own",
                source=ledger.path,
            )
    return EarlierItems(items=first.items, hashes=tuple(release.sha256 for release in releases), name=releases[-1].name)


def check_items_follow(ledger: "ReleaseLedger", shown: ShownItems) -> None:
    """Refuse a release that is not one of the same baskets: one clear line each."""
    if ledger.releases:
        raise InputError(
            "holds releases of tables or trees, and this is one of baskets; use another ledger", source=ledger.path
        )
    if not ledger.item_releases:
        return
    if shown.origin != ledger.origin:
        raise InputError(
            "was begun with other baskets, and only the same ones, in the same order, can follow; use another ledger",
            source=ledger.path,
        )
    if frozenset(shown.private) != ledger.item_releases[0].private:
        raise InputError(
            "follows other private items; an item that is private in one release must be so in all", source=ledger.path
        )


def pack_items(ledger: "ReleaseLedger", shown: ShownItems) -> tuple[dict[str, Any], list[bytes]]:
    """What an entry says of a release of baskets: plain data, and the numbers of its items."""
    known = {label: number for number, label in enumerate(ledger.item_labels)}
    fresh = sorted((shown.spoken_of | set(shown.private)) - set(known))
    known |= {label: len(known) + i for i, label in enumerate(fresh)}
    packed = [
        pack_array(np.array(sorted(known[label] for label in chosen), dtype=np.int32))
        for chosen in (shown.spoken_of, shown.private)
    ]
    about = {
        "of": "items",
        "records": len(shown.records),
        "origin": shown.origin.hex(),
        "labels": fresh,
        "broader": bool(shown.names),
        "together": shown.together,
        "arrays": [described for described, _ in packed],
    }
    return about, [blob for _, blob in packed]


def unpack_items(
    ledger: "ReleaseLedger", about: dict[str, Any], blobs: list[bytes], passport: Passport
) -> tuple[RecordedItems, tuple[str, ...]]:
    """What `pack_items` packed, and all labels that are known by then."""
    labels = (*ledger.item_labels, *about["labels"])
    items, private = (
        frozenset(labels[number] for number in unpack_array(described, blob).tolist())
        for described, blob in zip(about["arrays"], blobs, strict=True)
    )
    return RecordedItems(
        passport=passport,
        when=about["when"],
        done=False,
        records=int(about["records"]),
        items=items,
        private=private,
        broader=bool(about["broader"]),
        together=about["together"],
    ), labels


def _least_of(passports: list[Passport]) -> Coherence:
    """What all of these promise: the smallest k and p, and the largest h."""
    promised = [Requirement.from_dict(passport.requirement) for passport in passports]
    asked = [one for one in promised if isinstance(one, Coherence)]
    return Coherence(h=max(one.h for one in asked), k=min(one.k for one in asked), p=min(one.p for one in asked))
