"""Make transactions coherent by suppressing items, and say what that cost: the policy of the stage.

transactions, requirement, private items
  -> eligible?  (Theorem 3)      nothing helps when the empty itemset is a mole
  -> minimal moles               what must be broken
  -> a Suppression               greedy for items or for itemsets, or a baseline
  -> Release                     checked by the auditor, with the loss, and the reasons for the owner
"""

from collections.abc import Iterable
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from confide.core.artefacts.originals import OriginalBaskets
from confide.core.datasets.intake import as_records, in_files
from confide.core.datasets.loading import is_loaded, require_folder
from confide.core.errors import UsageError
from confide.core.figures import Figure, Figures
from confide.core.randomness import Randomness
from confide.core.release import Release
from confide.core.requirements import Coherence
from confide.core.requirements.coherence import ORDER_KEPT
from confide.core.runtime.threads import answers_ctrl_c
from confide.core.series.shown_items import EarlierItems
from confide.core.transactions.container import Transactions
from confide.core.transactions.intake import take_in
from confide.publish.jobs.transactions import Cost, Method, Utility, Wishes
from confide.publish.transactions.declaration import Declared
from confide.publish.transactions.explanation import owner_part, record_lengths
from confide.publish.transactions.loss import (
    above_least,
    by_support,
    for_everybody,
    headline,
    item_losses,
    key_figures,
    mostly_rare,
    nugget_losses,
)
from confide.publish.transactions.suppression_choice import (
    SuppressionChoice,
    build_wishes,
    describe_wishes,
    name_algorithm,
)
from confide.publish.transactions.tried_settings import choose_or_refuse

__all__ = ["suppress"]


@answers_ctrl_c
def suppress(
    tx: Any,
    requirement: Coherence,
    *,
    private: Iterable[str] = (),
    utility: Utility = "items",
    nugget_support: int | float | None = None,
    nugget_length: int | None = None,
    method: Method = "auto",
    cost: Cost | None = None,
    keep: Iterable[str] = (),
    never: Iterable[str] = (),
    icdm_deletion: bool = False,
    put_back: bool = True,
    time_limit: float | None = None,
    keep_order: bool = False,
    explain: bool = True,
    verify: bool = True,
    into: str | PathLike[str] | None = None,
    earlier: EarlierItems | None = None,
) -> Release[Any]:
    """Suppress public items until the transactions are (h, k, p)-coherent; returns a release that was verified.

    An item is suppressed everywhere or nowhere, so the supports of all itemsets that remain are the true ones. `tx`
    is whatever holds the records: `Transactions`, lists of lists, a path, a pandas, polars or Arrow frame, a scipy
    sparse matrix; `release.data` has the same form. `private` are the labels of private items; they are published,
    and nobody who knows up to p public items of a person can tell them with a chance above h. `utility` says what
    to save: "items" (each suppressed item costs its support, or what `cost` says: "support", "one", or weights by
    label; without it both are tried, and what loses fewest occurrences is kept) or "itemsets" (it costs the nuggets
    that hold it: itemsets in at least `nugget_support` records, of at most `nugget_length` items). Given
    `nugget_support`, the loss of nuggets is counted for "items" too. `method`: "tree" for items, by the thesis' rule
    alone; "border", "zdd" or "walk" for itemsets, which choose the same; the baselines "remove-all" and "k-anonymizer".
    `keep` and `never` are labels to be kept at any price, or not to be published in any case
    (private ones too). `icdm_deletion` first deletes items in no nugget, as the ICDM paper does. Records are
    shuffled, since their order could link them to people; `keep_order` leaves it, and the passport says so. Counts
    below k in the public loss read "fewer than k"; `release.owner` has the exact ones. `explain=False` leaves out
    the owner's part, `verify=False` (benchmarks) the check. Transactions that are not in memory (`StoredTransactions`,
    or files that do not fit) are released as Parquet parts in the folder `into`, by `release.write(into)`.

    `put_back`: what the greedy rule need not have suppressed is put back; False for the thesis' own order. With it, and
    method "auto", suppressed items are then exchanged against kept ones while that loses less, for a work that is
    counted: the same input gives the same release on every machine. Method "optimal" looks for the smallest loss of
    all, for at most `time_limit` seconds (60 if not given), and the loss says how much less any other choice could
    lose: `share_above_least`, 0 when the choice is proved to be the best.

    `earlier` are releases of the same records: no item is published that the first of them does not show, so together
    they tell no more than that one, and the passport says so.

    Raises `CannotMeetError`, with the nearest setting that works, when nothing can be published or a wish forbids it.
    Cost: finding the minimal moles (`minimal_moles`), then a fraction of a second for each million of them.

    >>> tx = Transactions.from_lists([["a", "b", "s1"], ["a", "b", "s2"], ["a", "c", "s1"], ["b", "c", "s3"]])
    >>> release = suppress(tx, Coherence(h=0.8, k=2, p=2), private=["s1", "s2", "s3"])
    >>> sorted(release.data)
    [['a', 'b', 's1'], ['a', 'b', 's2'], ['a', 's1'], ['b', 's3']]
    >>> release.loss["occurrences_lost"]
    2

    Thesis, chapter 4; the itemset utility also ICDM 2008.
    """
    wishes = Wishes(
        utility=utility,
        nugget_support=nugget_support,
        nugget_length=nugget_length,
        method=method,
        cost=cost,
        keep=_check_list("keep", keep),
        never=_check_list("never", never),
        icdm_deletion=icdm_deletion,
        put_back=put_back,
        time_limit=time_limit,
    )
    records: Any = as_records(tx) if in_files(tx) else tx
    if not is_loaded(records):
        from confide.publish.transactions.stored_suppression import suppress_stored

        if earlier is not None:
            raise UsageError("building on earlier releases needs the records in memory; these are not")
        into = require_folder(into)
        how: dict[str, Any] = {"keep_order": keep_order, "explain": explain, "verify": verify}
        return suppress_stored(records, requirement, wishes, private=tuple(private), into=into, **how)
    taken = take_in(records)
    tx = taken.transactions
    if earlier is not None:
        wishes = build_wishes(wishes, earlier, tx)
    original = Declared.of(tx, private)
    choice = SuppressionChoice.of(original, wishes)
    suppression = choose_or_refuse(choice, requirement)
    kept = suppression.mask_kept(tx.n_items)
    data = tx.keep_items(kept)
    draws = Randomness.system()
    places = np.arange(len(data)) if keep_order else draws.permutation(len(data))
    if not keep_order:
        data = data.take(places)
    exact = item_losses(original, kept)
    if nugget_support is not None:
        counted = {} if len(choice.unwanted) else suppression.totals  # those are of the data without unwanted items
        exact |= nugget_losses(tx, data, nugget_support, nugget_length, counted)
    exact |= above_least(suppression.totals)
    left = [label for label in (tx.labels[c] for c in original.private) if label in data.codes]
    shown = for_everybody(exact, requirement.k) | above_least(suppression.totals, k=requirement.k)
    loss = shown | _what_is_left(data, left, requirement)
    owner = None
    if explain:
        # How long records were is for the owner: a single very long one could be somebody's.
        owner = owner_part(original, suppression, choice.code_of)
        owner = replace(owner, facts=owner.facts | exact, charts=(*owner.charts, record_lengths(original, data, left)))
    release = Release.issue(
        data,
        requirement,
        stage="publish transactions",
        algorithm=name_algorithm(wishes, suppression),
        parameters=describe_wishes(wishes, suppression) | {"order": "kept" if keep_order else "shuffled"},
        context={"private": left} | ({} if earlier is None else earlier.context()),
        loss=loss,
        headline=headline(exact, rare=mostly_rare(original, kept), k=requirement.k),
        key_figures=key_figures(loss),
        charts=(by_support(original, kept, requirement.k),),
        owner=owner,
        randomness=None if keep_order else draws.describe(),
        caveats=(ORDER_KEPT,) if keep_order else (),
        original=OriginalBaskets(transactions=tx, places=places),
        verify=verify,
    )
    return release.given_as(taken.back)


def _check_list(name: str, labels: Iterable[str]) -> tuple[str, ...]:
    """The labels as given; one text alone is a mistake."""
    if isinstance(labels, str):
        raise UsageError(
            f"{name}={labels!r} is one text, not a list of labels; write [{labels!r}]", parameter=name, value=labels
        )
    return tuple(labels)


def _what_is_left(data: Transactions, private: list[str], requirement: Coherence) -> Figures:
    """The worst k and h an attacker who knows up to p items still meets in the release."""
    from confide.publish.transactions.moles.mole_kernels import item_counts
    from confide.publish.transactions.moles.worst_case import worst_case

    codes = np.array([data.codes[label] for label in private], dtype=np.int32)
    worst = worst_case(Declared(data, codes, item_counts(data.indices, data.n_items)), requirement)
    if not worst.exact:  # what was not measured is not claimed
        return Figures(
            Figure(
                "worst_k_and_h",
                "not measured: too many itemsets; the promised k and h hold",
                "text",
                "the worst case an attacker still meets",
            )
        )
    found = Figures(Figure("worst_k", worst.k, "count", "fewest records that match what an attacker knows"))
    if private:
        found |= Figures(Figure("worst_h_share", float(worst.h), "share", "best chance of guessing a private item"))
    return found
