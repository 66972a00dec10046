"""Make transactions coherent by publishing items under broader names; `suppress` leaves them out instead.

transactions, requirement, private items, a taxonomy or none
  -> a tree             the taxonomy's, or merged from the data
  -> a Generalisation   subtrees come out of the top while nothing breaks; how, the cost decides
  -> Release            checked by the auditor of coherence, and compared with what was read
"""

from collections.abc import Iterable
from os import PathLike
from typing import Any

import numpy as np

from confide.core.artefacts.originals import OriginalBaskets
from confide.core.datasets.intake import as_records, in_files
from confide.core.datasets.loading import is_loaded
from confide.core.errors import UsageError
from confide.core.figures import Column, Table
from confide.core.randomness import Randomness
from confide.core.release import OwnerPart, Release
from confide.core.requirements import Coherence
from confide.core.requirements.coherence import NAMES_FROM_RECORDS, ORDER_KEPT
from confide.core.runtime.threads import answers_ctrl_c
from confide.core.series.shown_items import EarlierItems
from confide.core.tables.taxonomy import Taxonomy
from confide.core.transactions.container import Transactions
from confide.core.transactions.intake import take_in
from confide.publish.jobs.loss_names import NAME_COSTS, NameCost
from confide.publish.jobs.transactions import Wishes
from confide.publish.transactions.declaration import Declared
from confide.publish.transactions.generalisation.beside_hiding import compare_with_hiding
from confide.publish.transactions.generalisation.descents import Generalisation
from confide.publish.transactions.generalisation.group_names import name_groups
from confide.publish.transactions.generalisation.name_choice import NameChoice
from confide.publish.transactions.generalisation.name_loss import generalisation_losses, headline
from confide.publish.transactions.suppression_choice import build_wishes

__all__ = ["generalise"]


@answers_ctrl_c
def generalise(
    tx: Any,
    requirement: Coherence,
    *,
    taxonomy: Taxonomy | str | PathLike[str] | None = None,
    private: Iterable[str] = (),
    cost: NameCost = "ncp",
    keep: Iterable[str] = (),
    never: Iterable[str] = (),
    explain: bool = True,
    keep_order: bool = False,
    verify: bool = True,
    earlier: EarlierItems | None = None,
    beside_hiding: bool = False,
) -> Release[Any]:
    """Publish each public item as itself, under a broader name, or not at all, until the transactions are coherent.

    What an item is published as is the same in every record; equal names in a record are one. A name stands for the
    items below it that are not published otherwise, so "other dairy" rather than "dairy"; the passport lists them.
    `taxonomy` says what is above each public item: a `Taxonomy`, or a file of ARX's form. Without one, the two rarest
    groups of items are merged again and again; such names follow from the data, and the passport says so. With several
    tops in a taxonomy an item that fits nowhere is not published.
    `cost` is what is kept low: "ncp", the share of all items that a name stands for, or "bits", what a reader lacks to
    tell which of them it was. `private`, `keep` (published as they are), `never`, `explain`, `keep_order`, `verify`
    and `earlier` as in `suppress`: names stand only for items that the first release shows. With `beside_hiding` the
    loss, and so the page, also says what `suppress` would have kept, which takes as long as hiding does.

    No subtree could be published in addition. Whoever knows p items of a person knows at most p names, so the promise
    is that of `suppress`, and the same auditor checks it; released records are compared with those that were read, too.
    Not covered: what a reader knows of how often items are bought, by which one of a name's items may be likelier.

    Raises `CannotMeetError` where nothing can be published, or an item of `keep` cannot be exact. Cost: about (depth of
    the taxonomy) x (sum over the records of |t|^p); records must be in memory.

    >>> tx = [["milk", "beer"], ["curd", "beer"], ["milk", "wine"], ["curd", "wine"]]
    >>> food = Taxonomy.from_rows(
    ...     [("milk", "dairy", "*"), ("curd", "dairy", "*"), ("beer", "drinks", "*"), ("wine", "drinks", "*")]
    ... )
    >>> release = generalise(tx, Coherence(h=1, k=2, p=2), taxonomy=food, keep_order=True)
    >>> release.data
    [['beer', 'dairy'], ['beer', 'dairy'], ['dairy', 'wine'], ['dairy', 'wine']]

    After Terrovitis, Mamoulis, Kalnis (2008), whose k^m-anonymity is `Coherence(h=1, k=k, p=m)`; rho-uncertainty (Cao
    and others 2010) bounds private items on generalised data, too.
    """
    if cost not in NAME_COSTS:
        known = " or ".join(map(repr, NAME_COSTS))
        raise UsageError(f"cost={cost!r} is not known; use {known}", parameter="cost", value=cost)
    records: Any = as_records(tx) if in_files(tx) else tx
    if not is_loaded(records):
        raise UsageError("generalising needs the records in memory; suppress works on files")
    taken = take_in(records)
    original = Declared.of(taken.transactions, private)
    wishes = Wishes(keep=tuple(keep), never=tuple(never))
    if earlier is not None:
        wishes = build_wishes(wishes, earlier, original.transactions)
    names = NameChoice.of(original, wishes, taxonomy=taxonomy, cost=cost)
    declared, given = names.declared, names.taxonomy
    found = names.make(requirement)
    data, stands_for = _rename(found, declared)
    draws = Randomness.system()
    places = np.arange(len(data)) if keep_order else draws.permutation(len(data))
    data = data.take(places)
    loss = generalisation_losses(found, declared, requirement.k)
    if beside_hiding:
        loss |= compare_with_hiding(found, names, requirement, loss)
    caveats = (ORDER_KEPT,) if keep_order else ()
    release = Release.issue(
        data,
        requirement,
        stage="publish transactions",
        algorithm="Peeling of a taxonomy" if given else "Peeling of merged items",
        parameters={"by": "generalise", "cost": cost, "order": "kept" if keep_order else "shuffled"},
        context={
            "private": [declared.transactions.labels[code] for code in declared.private],
            "names": {name: list(items) for name, items in stands_for.items()},
            **({} if earlier is None else earlier.context()),
        },
        loss=loss,
        headline=headline(loss),
        key_figures=("share_exact", "ncp", "bits"),
        owner=_owner_part(found, declared, stands_for) if explain else None,
        randomness=None if keep_order else draws.describe(),
        caveats=caveats if given else (*caveats, NAMES_FROM_RECORDS),
        original=OriginalBaskets(transactions=original.transactions, places=places, taxonomy=given),
        verify=verify,
    )
    try:
        return release.given_as(taken.back)
    except (KeyError, ValueError):
        raise UsageError(
            "a matrix, or a table with one column per item, has no columns for broader names; give lists, a long table "
            "or Transactions"
        ) from None


def _rename(found: Generalisation, declared: Declared) -> tuple[Transactions, dict[str, tuple[str, ...]]]:
    """The records under the names chosen, and what each broader name stands for."""
    tx = declared.transactions
    called, stands_for = name_groups(found, tx.labels)
    label_of = [label if secret else "" for label, secret in zip(tx.labels, declared.is_private, strict=True)]
    for leaf, name in enumerate(called):
        label_of[found.tree.code[leaf]] = name
    labels = sorted(set(label_of) - {""})
    number = {label: i for i, label in enumerate(labels)}
    code = np.array([number.get(label, -1) for label in label_of], dtype=np.int32)
    stays = tx.keep_items(code >= 0)
    return Transactions.from_arrays(stays.indptr, code[code >= 0][stays.indices], labels), stands_for


def _owner_part(found: Generalisation, declared: Declared, stands_for: dict[str, tuple[str, ...]]) -> OwnerPart:
    supports = declared.supports
    codes = declared.transactions.codes
    rows = [
        (name, len(items), int(sum(supports[codes[label]] for label in items)), ", ".join(items[:10]))
        for name, items in stands_for.items()
    ]
    columns = (
        Column("name", "text"),
        Column("items", "count"),
        Column("entries", "count"),
        Column("the first of them", "text"),
    )
    return OwnerPart(tables={"Broader names": Table(columns, tuple(sorted(rows, key=lambda row: -row[2])))})
