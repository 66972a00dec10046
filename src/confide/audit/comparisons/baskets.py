"""Released baskets beside those that were read: of each only items went, and none came.

An item goes everywhere or nowhere, so that supports stay true: a record must hold exactly those of its items that are
in the release at all. An item may stand under a broader name, which the passport lists (`names`); a record must then
hold exactly the names of its items. In memory each released record is compared with the one it came from; in files,
where nobody could say which is which, by sums of digests.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.audit.comparisons.digests import digest_labels, draw_keys, mixed
from confide.core.artefacts.originals import OriginalBaskets
from confide.core.checks import Check
from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.passport import Passport
from confide.core.transactions.container import Transactions

__all__ = ["compare_baskets"]

Baskets = Transactions | StoredTransactions


def compare_baskets(data: Any, passport: Passport, original: OriginalBaskets) -> Iterator[Check]:
    """The checks of baskets that `publish transactions` releases."""
    read = original.transactions
    there = {label for label, support in zip(data.labels, data.supports().tolist(), strict=True) if support}
    names = passport.context.get("names", {})
    if names:
        yield _check_names(names, passport, original, there)
    strange = len(there - set(read.labels) - set(names))
    yield Check(
        name="no item came",
        ok=not strange,
        detail=f"{strange:,} items were not read" if strange else f"{len(there):,} of {read.n_items:,} items",
    )
    yield Check(
        name="no record vanished",
        ok=len(data) == len(read),
        detail=f"{len(data):,} of {len(read):,} records",
    )
    if strange or len(data) != len(read):
        return
    if isinstance(data, Transactions) and isinstance(read, Transactions):
        code_of = _codes_of(data, read, names)
        yield _compare_records(data, read, original.places, code_of)
        gone = int((code_of[read.indices] < 0).sum())
        empty = int((data.lengths == 0).sum()) - int((read.lengths == 0).sum())
        counted = {"occurrences": len(read.indices), "occurrences_lost": gone, "records_emptied": empty}
    else:
        yield _compare_sums(data, read, there)
        entries = int(read.supports().sum())
        counted = {"occurrences": entries, "occurrences_lost": entries - int(data.supports().sum())}
    wrong = [name for name, n in counted.items() if isinstance(told := passport.loss.get(name), int) and told != n]
    yield Check(
        name="what went is counted",
        ok=not wrong,
        detail=f"not so: {', '.join(wrong)}" if wrong else f"{counted['occurrences_lost']:,} entries went",
    )


def _check_names(
    names: Mapping[str, list[str]], passport: Passport, original: OriginalBaskets, there: set[str]
) -> Check:
    """Each broader name is new, stands for public items that were read, each of them once and only there, and is above
    them in the owner's taxonomy."""
    listed = [item for items in names.values() for item in items]
    read, private = set(original.transactions.labels), set(passport.context.get("private", ()))
    faults = {
        "some are items themselves": bool(read & set(names)),
        "some stand for items that were not read": bool(set(listed) - read),
        "some stand for private items": bool(private & set(listed)),
        "items are under two names, or also published as they are": len(set(listed)) < len(listed)
        or bool(there & set(listed)),
        "some are not above their items": original.taxonomy is not None
        and not all(name in original.taxonomy.path(item) for name, items in names.items() for item in items),
    }
    wrong = [fault for fault, found in faults.items() if found]
    return Check(name="broader names stand for items", ok=not wrong, detail="; ".join(wrong) or f"{len(names):,} names")


def _codes_of(data: Transactions, read: Transactions, names: Mapping[str, list[str]]) -> NDArray[np.int32]:
    """The released code of each item that was read, its own or that of its name; -1 for one that went."""
    held = data.supports() > 0
    code = {label: at for at, label in enumerate(data.labels) if held[at]}
    name_of = {item: name for name, items in names.items() for item in items}
    return np.array([code.get(name_of.get(label, label), -1) for label in read.labels], dtype=np.int32)


def _compare_records(
    data: Transactions, read: Transactions, places: NDArray[np.int64] | None, code_of: NDArray[np.int32]
) -> Check:
    from confide.audit.comparisons import _basket_kernels as kernels

    name = "every record holds its own items"
    if places is None or not np.array_equal(np.sort(places), np.arange(len(read))):
        return Check(name=name, ok=False, detail="two records came from the same, or one from none")
    mark = np.full(max(1, data.n_items), -1, dtype=np.int64)
    rows = (data.indptr, data.indices, places, read.indptr, read.indices)
    came, went = kernels.count_wrong_records(*rows, code_of, mark)
    return Check(
        name=name,
        ok=not (came or went),
        detail=f"{came:,} records hold an item they did not, {went:,} lost one that is published"
        if came or went
        else f"{len(data):,} records",
    )


def _compare_sums(data: Baskets, read: Baskets, there: set[str]) -> Check:
    before, after = (dict(zip(of.labels, of.supports().tolist(), strict=True)) for of in (read, data))
    differing = sum(before[label] != after[label] for label in there)
    key = draw_keys(1)[0]
    sums = []
    for of in (data, read):
        kept = np.array([label in there for label in of.labels], dtype=np.bool_)
        digests = np.where(kept, digest_labels(of.labels, key), np.uint64(0))
        assert isinstance(of, StoredTransactions)
        sums.append(of.fold(_SumRecords(digests), label="comparing records, for the auditor"))
    same = sums[0] == sums[1] and not differing
    return Check(
        name="every record holds its own items",
        ok=same,
        detail=f"{len(data):,} records"
        if same
        else f"{differing:,} items are in another number of records, or records have others' items",
    )


@dataclass(frozen=True, eq=False)
class _SumRecords:
    """The pass over records: how many, and the sum of their digests; an item that went counts for nothing."""

    digests: NDArray[np.uint64]

    shared = False

    def begin(self) -> tuple[int, int]:
        return 0, 0

    def add(self, state: tuple[int, int], batch: Transactions) -> tuple[int, int]:
        running = np.append(np.uint64(0), np.cumsum(self.digests[batch.indices], dtype=np.uint64))
        rows = mixed(running[batch.indptr[1:]] - running[batch.indptr[:-1]])
        return self.merge(state, (len(batch), int(rows.sum(dtype=np.uint64))))

    def merge(self, one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
        return one[0] + other[0], (one[1] + other[1]) % (1 << 64)
