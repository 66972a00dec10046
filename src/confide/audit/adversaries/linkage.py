"""Linkage adversaries: what someone learns who knows a little of a person and looks for the rest in the release.

On transactions the adversary knows a few public items of a random person. On tables, the quasi-identifiers of one.
The numbers are risks of the data as given, for the owner; they prove nothing, verifiers do that.
"""

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.core.figures import ShownFields
from confide.core.transactions.container import Transactions

__all__ = ["TableLinkage", "TransactionLinkage", "link_table", "link_transactions"]


@dataclass(frozen=True, kw_only=True)
class TransactionLinkage(ShownFields):
    """What an adversary who knows `known` public items found, over `samples` random people.

    Shares are of the people sampled. `identified`: one record matched, so it was found. `private_certain`: every
    record that matched held one same private item, so that was learned. `mean_success`: the chance to pick the right
    record among the matches, on average. `mean_private_share`: how common the commonest private item was among the
    matches, on average. `fewest_matches` and `largest_private_share` are the worst cases met: the k and h that this
    sample would allow.
    """

    known: int
    samples: int
    seed: int
    identified: float
    private_certain: float
    mean_success: float
    mean_private_share: float
    fewest_matches: int
    largest_private_share: float

    def summary(self) -> str:
        """One line for the owner."""
        what = "1 item" if self.known == 1 else f"{self.known} items"
        return (
            f"knowing {what}, {self.identified:.1%} of {self.samples:,} people are found, and of "
            f"{self.private_certain:.1%} a private item is certain"
        )


def link_transactions(
    tx: Transactions,
    *,
    private: Iterable[str],
    known: int,
    release: Transactions | None = None,
    samples: int = 10_000,
    seed: int | None = None,
) -> TransactionLinkage:
    """Draw people at random, let the adversary know up to `known` public items of each, and look these up.

    Items are drawn from `tx` and looked up in `release`, by default `tx` itself. An item that the release does not
    have tells the adversary nothing and is passed over. For a before and after, call it twice with the same `seed`;
    by default a seed is drawn, and the result remembers it. Takes about a second for 10,000 people.

    >>> baskets = Transactions.from_lists([["tea", "nuts"], ["tea", "salt"], ["tea", "rice"], ["tea", "rice"]])
    >>> link_transactions(baskets, private=[], known=2, samples=1000, seed=1).fewest_matches
    1
    """
    if known < 1 or samples < 1:
        raise UsageError(f"known={known}, samples={samples}: both must be 1 or more", parameter="known", value=known)
    if len(tx) == 0:
        raise InputError("there are no records to attack")
    seed = secrets.randbits(63) if seed is None else seed
    target = tx if release is None else release
    hidden = frozenset(private)
    ptr, items = _draw(tx, hidden, known, samples, np.random.default_rng(seed))
    ptr, items = _translate(ptr, items, tx, target)
    matches, commonest = _look_up(target, hidden, ptr, items)
    found = matches > 0  # a release may have lost the person altogether
    shares = np.divide(commonest, matches, out=np.zeros(samples), where=found)
    return TransactionLinkage(
        known=known,
        samples=samples,
        seed=seed,
        identified=float(np.mean(matches == 1)),
        private_certain=float(np.mean(found & (commonest == matches))),
        mean_success=float(np.divide(1.0, matches, out=np.zeros(samples), where=found).mean()),
        mean_private_share=float(shares.mean()),
        fewest_matches=int(matches[found].min()) if found.any() else 0,
        largest_private_share=float(shares.max()),
    )


def _draw(
    tx: Transactions, private: frozenset[str], known: int, samples: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """For each of `samples` random records, up to `known` of its public items, as compressed rows."""
    public = np.array([label not in private for label in tx.labels], dtype=np.bool_)
    people = tx.take(rng.integers(0, len(tx), samples))
    rows = np.repeat(np.arange(samples), people.lengths)
    keep = public[people.indices]
    rows, items = rows[keep], people.indices[keep]
    order = np.lexsort((rng.random(len(items)), rows))  # a random order within each record; then take the first
    rows, items = rows[order], items[order]
    place = np.arange(len(rows)) - np.searchsorted(rows, rows)
    chosen = place < known
    return np.searchsorted(rows[chosen], np.arange(samples + 1)).astype(np.int64), items[chosen]


def _translate(
    ptr: NDArray[np.int64], items: NDArray[np.int32], source: Transactions, target: Transactions
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The same items in the codes of another database; those it does not have are dropped."""
    if source is target:
        return ptr, items
    code = np.array([target.codes.get(label, -1) for label in source.labels], dtype=np.int32)
    occurs = np.append(target.supports() > 0, False)
    keep = occurs[code[items]]
    return np.concatenate([[0], np.cumsum(keep)])[ptr].astype(np.int64), code[items][keep]


def _look_up(
    tx: Transactions, private: frozenset[str], ptr: NDArray[np.int64], items: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    from confide.audit.adversaries._linkage_kernels import look_up
    from confide.core.transactions.row_kernels import transpose

    is_private = np.array([label in private for label in tx.labels], dtype=np.bool_)
    matches = np.full(len(ptr) - 1, len(tx), dtype=np.int64)  # knowing nothing, every record matches
    commonest = np.full(len(ptr) - 1, max(tx.supports()[is_private], default=0), dtype=np.int64)
    asked = np.diff(ptr) > 0
    if asked.any():
        starts = np.append(ptr[:-1][asked], ptr[-1])  # rows without items take no room
        tid_ptr, tids = transpose(tx.indptr, tx.indices, tx.n_items)
        matches[asked], commonest[asked] = look_up(starts, items, tid_ptr, tids, tx.indptr, tx.indices, is_private)
    return matches, commonest


@dataclass(frozen=True, kw_only=True)
class TableLinkage(ShownFields):
    """What an adversary finds who knows the quasi-identifiers of a random row; exact, over all `people`.

    Each row is a person, unless a column has the role person: then `smallest` counts persons, and each person counts
    by the row that gives most away. `unique`: share whom nobody else looks like. `mean_success`: the chance to pick the
    right one, on average. For each sensitive column, `certain` is the share in groups all of which have one value (the
    homogeneity attack) and `guessed` the chance to guess right by naming the commonest value of the group.
    """

    rows: int
    people: int
    groups: int
    smallest: int
    unique: float
    mean_success: float
    certain: Mapping[str, float]
    guessed: Mapping[str, float]


def link_table(frame: Any, *, roles: Mapping[str, str]) -> TableLinkage:
    """Attack a table with full knowledge of its quasi-identifiers; `roles` gives each column's role.

    For a before and after, call it on both tables with the same roles.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [30, 30, 41], "illness": ["flu", "flu", "gout"]})
    >>> attack = link_table(people, roles={"age": "quasi-identifier", "illness": "sensitive"})
    >>> attack.smallest, attack.certain
    (1, {'illness': 1.0})
    """
    from confide.audit.verifiers.grouping import count_members, look_alike, number_values
    from confide.core.tables.frames import to_table

    table = to_table(frame)
    missing = [name for name, role in roles.items() if role in ("quasi-identifier", "sensitive", "person")]
    missing = [name for name in missing if name not in table.column_names]
    if missing:
        raise InputError(f"no column {missing[0]!r}; columns are: {', '.join(table.column_names)}")
    if "quasi-identifier" not in roles.values():
        raise UsageError("no column has the role quasi-identifier, so there is nothing to link by")
    if table.num_rows == 0:
        raise InputError("there are no rows to attack")
    groups, sensitive = look_alike(table, roles)
    rows = table.num_rows
    named = [name for name, role in roles.items() if role == "person"]
    persons = number_values(table.column(named[0]), name=named[0]) if named else None
    sizes = groups.sizes if persons is None else count_members(groups, persons)
    commonest = {name: groups.tally(column, members=persons).tops for name, column in sensitive.items()}

    def share(of_group: NDArray[Any]) -> float:
        """The mean over people of what holds of a group of theirs, at its largest."""
        if persons is None:
            return float((of_group * sizes).sum() / rows)
        most = np.zeros(persons.n)
        np.maximum.at(most, persons.codes, of_group[groups.of].astype(np.float64))
        return float(most.mean())

    return TableLinkage(
        rows=rows,
        people=rows if persons is None else persons.n,
        groups=len(groups.sizes),
        smallest=int(sizes.min()),
        unique=share(sizes == 1),
        mean_success=len(sizes) / rows if persons is None else share(1 / sizes),
        certain={name: share(top == sizes) for name, top in commonest.items()},
        guessed={name: share(top / sizes) for name, top in commonest.items()},
    )
