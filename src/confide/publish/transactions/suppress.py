"""Make transactions coherent by suppressing items, and say what that cost: the policy of the stage.

transactions, requirement, private items
  -> eligible?  (Theorem 3)      nothing helps when the empty itemset is a mole
  -> minimal moles               what must be broken
  -> a Suppression               greedy for items or for itemsets, or a baseline
  -> Release                     checked by the auditor, with the loss, and the reasons for the owner
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, RequirementError, UsageError
from confide.core.figures import Figure, Figures
from confide.core.release import Release
from confide.core.requirements import Coherence
from confide.core.runtime.progress import task
from confide.core.transactions.container import Transactions
from confide.publish.transactions.declaration import Declared, check_eligible, codes_of
from confide.publish.transactions.explanation import owner_part, record_lengths
from confide.publish.transactions.loss import (
    by_support,
    headline,
    item_losses,
    key_figures,
    mostly_rare,
    nugget_losses,
)
from confide.publish.transactions.moles.collection import MinimalMoles
from confide.publish.transactions.moles.minimal import find_moles
from confide.publish.transactions.suppression.decision import Step, Suppression
from confide.publish.transactions.suppression.item_utility import Cost, suppress_for_items

__all__ = ["Method", "Utility", "suppress"]

Utility = Literal["items", "itemsets"]
Method = Literal["auto", "tree", "border", "zdd", "walk", "remove-all", "k-anonymizer"]

_METHODS = {
    "items": ("auto", "tree", "remove-all", "k-anonymizer"),
    "itemsets": ("auto", "border", "zdd", "walk", "remove-all", "k-anonymizer"),
}


def suppress(
    tx: Transactions,
    requirement: Coherence,
    *,
    private: Iterable[str] = (),
    utility: Utility = "items",
    nugget_support: int | float | None = None,
    nugget_length: int | None = None,
    method: Method = "auto",
    cost: Cost = "support",
    keep: Iterable[str] = (),
    never: Iterable[str] = (),
    icdm_deletion: bool = False,
    explain: bool = True,
    verify: bool = True,
) -> Release[Transactions]:
    """Suppress public items until the transactions are (h, k, p)-coherent; returns a release that was verified.

    An item is suppressed everywhere or nowhere, so the supports of all itemsets that remain are the true ones.
    `private` are the labels of private items; they are published, and nobody who knows up to p public items of a person
    can tell them with a chance above h. `utility` says what to save: "items" (each suppressed item costs its support,
    or what `cost` says: "support", "one", or weights by label) or "itemsets" (it costs the nuggets that hold it:
    itemsets in at least `nugget_support` records, of at most `nugget_length` items). Given `nugget_support`, the
    loss of nuggets is counted for "items" too. `method`: "tree" for items; "border", "zdd" or "walk" for itemsets,
    which choose the same; the baselines "remove-all" and "k-anonymizer". `keep` and `never` are labels to be kept at
    any price, or not to be published in any case (private ones too). `icdm_deletion` first deletes items in no nugget,
    as the ICDM paper does. `explain=False` leaves out the owner's part, `verify=False` (benchmarks) the check.

    Raises `CannotMeetError`, with the nearest setting that works, when nothing can be published or a wish forbids it.
    Cost: finding the minimal moles (`minimal_moles`), then a fraction of a second for each million of them.

    >>> tx = Transactions.from_lists([["a", "b", "s1"], ["a", "b", "s2"], ["a", "c", "s1"], ["b", "c", "s3"]])
    >>> release = suppress(tx, Coherence(h=0.8, k=2, p=2), private=["s1", "s2", "s3"])
    >>> list(release.data)
    [['a', 'b', 's1'], ['a', 'b', 's2'], ['a', 's1'], ['b', 's3']]
    >>> release.loss["occurrences_lost"]
    2

    Thesis, chapter 4; the itemset utility also ICDM 2008.
    """
    if utility not in _METHODS:
        raise UsageError(f"utility={utility!r} is unknown; utilities are: items, itemsets")
    if method not in _METHODS[utility]:
        raise UsageError(
            f"method={method!r} does not go with utility={utility!r}; methods are: {', '.join(_METHODS[utility])}"
        )
    if utility == "itemsets" and nugget_support is None:
        raise RequirementError(
            "itemset utility needs nugget_support=, for example 0.01: which itemsets are worth keeping"
        )
    original = Declared.of(tx, private)
    unwanted = codes_of(tx, never, role="never-publish")
    wanted = codes_of(tx, keep, role="keep")
    _check_wishes(tx, original, wanted, unwanted)
    declared, code_of = _without(original, unwanted)
    check_eligible(declared, requirement)

    moles, chosen = _choose(
        declared,
        requirement,
        utility=utility,
        method=method,
        cost=cost,
        keep=np.flatnonzero(np.isin(code_of, wanted)).astype(np.int32),
        nuggets=(nugget_support, nugget_length, icdm_deletion),
    )
    suppression = _in_original_codes(chosen, code_of, unwanted)
    kept = suppression.kept(tx.n_items)
    data = tx.keep_items(kept)
    loss = item_losses(original, kept, data)
    if nugget_support is not None:
        counted = {} if len(unwanted) else suppression.totals  # those are of the data without unwanted items
        loss |= nugget_losses(tx, data, nugget_support, nugget_length, counted)
    left = [label for label in (tx.labels[c] for c in original.private) if label in data.codes]
    loss |= _what_is_left(data, left, requirement)
    owner = None
    if explain:
        # How long records were is for the owner: a single very long one could be somebody's.
        owner = owner_part(tx, original, suppression, moles, declared, code_of, requirement)
        owner = replace(owner, charts=(*owner.charts, record_lengths(original, data, left)))
    return Release.issue(
        data,
        requirement,
        stage="publish transactions",
        algorithm=_algorithm(utility, suppression.method),
        parameters=_parameters(utility, suppression.method, cost, nugget_support, nugget_length, icdm_deletion),
        context={"private": left},
        loss=loss,
        headline=headline(loss, rare=mostly_rare(original, kept)),
        key_figures=key_figures(loss),
        charts=(by_support(original, kept, requirement.k),),
        owner=owner,
        verify=verify,
    )


# -- choosing -------------------------------------------------------------------------------------------------------


def _choose(
    declared: Declared,
    requirement: Coherence,
    *,
    utility: Utility,
    method: Method,
    cost: Cost,
    keep: NDArray[np.int32],
    nuggets: tuple[int | float | None, int | None, bool],
) -> tuple[MinimalMoles | None, Suppression]:
    """The minimal moles, where the method finds them, and what it suppresses; in the codes of `declared`."""
    tx = declared.transactions
    if method in ("remove-all", "k-anonymizer"):
        from confide.publish.transactions.suppression.baselines import k_anonymizer, remove_all

        if len(keep):
            raise UsageError(
                f"method={method!r} is a baseline for comparison and cannot keep items; use another method"
            )
        if method == "k-anonymizer":
            return None, k_anonymizer(declared, requirement)
        moles = find_moles(declared, requirement)
        return moles, remove_all(moles)
    if utility == "items":
        moles = find_moles(declared, requirement)
        with task("choosing items to suppress", total=1) as step:
            chosen = suppress_for_items(tx, moles, declared.supports, cost=cost, keep=keep)
            step(1)
        return moles, chosen
    from confide.publish.transactions.suppression.itemset_utility import suppress_for_itemsets

    support, length, icdm_deletion = nuggets
    assert support is not None  # checked by `suppress`
    assert method in ("auto", "border", "zdd", "walk")
    return None, suppress_for_itemsets(
        tx,
        requirement,
        declared.private,
        nugget_support=support,
        nugget_length=length,
        method=method,
        icdm_deletion=icdm_deletion,
        keep_codes=keep,
        never_codes=np.empty(0, dtype=np.int32),
    )


def _check_wishes(tx: Transactions, declared: Declared, wanted: NDArray[np.int32], unwanted: NDArray[np.int32]) -> None:
    both = np.intersect1d(wanted, unwanted)
    if len(both):
        raise UsageError(f"item {tx.labels[both[0]]!r} is marked both to be kept and never to be published")
    private = np.intersect1d(wanted, declared.private)
    if len(private):
        raise UsageError(f"item {tx.labels[private[0]]!r} is private and stays anyway; keep is for public items")


def _without(declared: Declared, unwanted: NDArray[np.int32]) -> tuple[Declared, NDArray[np.int32]]:
    """The data without the items never to be published, and the original code of each item left."""
    tx = declared.transactions
    stays = np.ones(tx.n_items, dtype=np.bool_)
    stays[unwanted] = False
    code_of = np.flatnonzero(stays).astype(np.int32)
    if not len(unwanted):
        return declared, code_of
    reduced = tx.keep_items(stays)
    private = np.flatnonzero(declared.is_private[code_of]).astype(np.int32)
    if len(private) == reduced.n_items:
        raise CannotMeetError("without the items never to be published no public item is left")
    return Declared(reduced, private, declared.supports[code_of]), code_of


def _in_original_codes(chosen: Suppression, code_of: NDArray[np.int32], unwanted: NDArray[np.int32]) -> Suppression:
    if not len(unwanted):
        return chosen
    first = [Step(item=int(v), reason="never") for v in unwanted]
    rest = [Step(item=int(code_of[s.item]), reason=s.reason, gain=s.gain, cost=s.cost) for s in chosen.steps]
    return Suppression(steps=(*first, *rest), method=chosen.method, totals=chosen.totals)


# -- telling --------------------------------------------------------------------------------------------------------


def _algorithm(utility: Utility, method: str) -> str:
    names = {
        "tree": "Tree-Cohesion",
        "border": "Border-Cohesion",
        "zdd": "Border-Cohesion (decision diagrams)",
        "walk": "Border-Cohesion (moles visited)",
    }
    return f"{names.get(method, method)}, keeping {utility}"


def _parameters(
    utility: Utility,
    method: str,
    cost: Cost,
    nugget_support: int | float | None,
    nugget_length: int | None,
    icdm_deletion: bool,
) -> dict[str, Any]:
    """How it was made; weights are the owner's own and left out."""
    shown: dict[str, Any] = {"utility": utility, "method": method}
    if utility == "items" and method == "tree":
        shown["cost"] = cost if isinstance(cost, str) else "weights"
    if nugget_support is not None:
        shown |= {"nugget_support": nugget_support, "nugget_length": nugget_length}
    if icdm_deletion:
        shown["icdm_deletion"] = True
    return shown


def _what_is_left(data: Transactions, private: list[str], requirement: Coherence) -> Figures:
    """The worst k and h an attacker who knows up to p items still meets in the release."""
    from confide.publish.transactions.moles._mole_kernels import item_counts
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
