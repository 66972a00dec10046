"""Which items of the same baskets a release shows, and what earlier releases leave to the next one.

    baskets        a b c d e s1      s1 is private
    release 1      a b   d   s1      c and e were hidden
    release 2      a     d   s1      built on release 1: only items that it shows

Whoever joins the rows of both releases sees each basket with the items of either. If the second shows only items of the
first, that is the first release again. Otherwise all items together may identify people though neither release does.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from confide.core.requirements.earlier_releases import ITEMS_OF_THE_FIRST
from confide.core.transactions.container import Transactions

__all__ = ["EarlierItems", "ShownItems"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ShownItems:
    """A release of `records`: the labels of the `items` that it shows as they are, and which of all are `private`.

    `names` says for which items each broader name stands. `built` says that the release is built on earlier ones,
    `together` whether all items shown so far keep what each release promises at least; None where nobody knows.
    """

    records: Transactions
    items: tuple[str, ...]
    private: tuple[str, ...]
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    built: bool = False
    together: bool | None = None

    @classmethod
    def of(
        cls, records: Transactions, released: Transactions, private: tuple[str, ...], context: Mapping[str, Any]
    ) -> "ShownItems":
        """What `released`, with this context in its passport, shows of `records`."""
        names = {str(name): tuple(items) for name, items in context.get("names", {}).items()}
        held = released.supports()
        items = tuple(
            label
            for label, support in zip(released.labels, held.tolist(), strict=True)
            if support and label not in names
        )
        return cls(records=records, items=items, private=private, names=names, built="after" in context)

    @cached_property
    def origin(self) -> bytes:
        """A digest of the baskets that were read, in their order."""
        return digest_baskets(self.records)

    @property
    def spoken_of(self) -> frozenset[str]:
        """The items that it shows, as they are or under a broader name."""
        return frozenset(self.items).union(*self.names.values())


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class EarlierItems:
    """Earlier releases of the same baskets: the `items` that the first shows, the hashes of all, in order, and what the
    last one is called."""

    items: frozenset[str]
    hashes: tuple[str, ...]
    name: str

    def hidden(self, records: Transactions) -> tuple[str, ...]:
        """The items of these baskets that the first release does not show."""
        held = records.supports()
        return tuple(
            label
            for label, support in zip(records.labels, held.tolist(), strict=True)
            if support and label not in self.items
        )

    def context(self) -> dict[str, Any]:
        """What the passport of a release says that is built on these."""
        return {"after": {"releases": list(self.hashes), "items": ITEMS_OF_THE_FIRST}}


def digest_baskets(records: Transactions) -> bytes:
    """A digest of baskets: their labels and items, in their order."""
    whole = hashlib.sha256()
    for label in records.labels:
        text = label.encode("utf-8", "surrogatepass")
        whole.update(len(text).to_bytes(8, "little") + text)
    for numbers in (records.indptr.astype("<i8"), records.indices.astype("<i4")):
        whole.update(len(numbers).to_bytes(8, "little") + numbers.tobytes())
    return whole.digest()
