"""Verify (h, k, p)-coherence of transactions, exactly, by a method of its own.

A stage that makes a release coherent looks for minimal moles, level by level. The auditor asks the opposite question:
it walks over the itemsets that occur and skips only what a bound proves clean (`_coherence_kernels` says how). In a
coherent release every itemset of at most p public items that occurs is in at least k records, so there are few of
them; in any other, the walk ends at the first mole.

What is checked, in integers throughout, for every itemset X of at most p public items with Sup(X) >= 1, the empty one
included: Sup(X) >= k, and for each private item the records that hold X and the item are at most h Sup(X). A stage
looks up in a table how many records are allowed; the auditor compares shares with h (`mole_search.breaks`, and
`share_in_integers` for the kernels), and asks neither such a table nor the requirement's own arithmetic: a slip there
shows here.

Source: thesis chapter 4, Definitions 5 and 6, with its erratum (a mole occurs).
"""

import math
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from confide.audit.verifiers.transactions.mole_search import Mole, bound_of, find_mole
from confide.core.artefacts.released_baskets import ReleasedRecords
from confide.core.checks import Check, Findings
from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.figures import Figure, Figures
from confide.core.passport import Passport
from confide.core.requirements import Coherence, Requirement
from confide.core.requirements.earlier_releases import fault_of_after
from confide.core.transactions.container import Transactions

if TYPE_CHECKING:
    pass

__all__ = ["coherence_check", "verify_coherence"]

Records = Transactions | StoredTransactions | ReleasedRecords


def verify_coherence(artefact: Any, passport: Passport) -> Iterator[Check]:
    """Check a release of transactions against the coherence its passport claims.

    `passport.context["private"]` lists the labels of private items; all others are public. A failed check tells sizes
    and counts, never labels; `find_mole` gives those to the owner.
    """
    requirement = Requirement.from_dict(passport.requirement)
    private = passport.context.get("private")
    if not isinstance(private, list | tuple) or not all(isinstance(label, str) for label in private):
        yield Check(
            name="private items are listed",
            ok=False,
            detail="the passport's context has no list 'private' of item labels",
        )
        return
    yield Check(name="private items are listed", ok=True, detail="")
    if "after" in passport.context:
        wrong = fault_of_after(passport.context, says="items")
        yield Check(name="it names the releases it is built on", ok=not wrong, detail=wrong)
    if isinstance(artefact, Records) and isinstance(requirement, Coherence):
        yield _contents_check(artefact, frozenset(private))
        held = coherence_check(artefact, requirement, private)
        yield held
        if held.ok and not isinstance(artefact, StoredTransactions) and "worst_k" in passport.loss:
            yield _worst_check(artefact, requirement, private, passport.loss["worst_k"])
    else:
        yield Check(name="coherence", ok=False, detail="only transactions can be coherent")


def _worst_check(
    tx: Transactions | ReleasedRecords, requirement: Coherence, private: Collection[str], said: Any
) -> Check:
    """The fewest records that match what an attacker knows are as many as the passport says: no fewer, and no more."""
    name = "the fewest records that match are as many as it says"
    p = requirement.p
    if type(said) is not int or said < requirement.k:
        return Check(name=name, ok=False, detail="not a number of records that its promise allows")
    if said > requirement.k and _any_mole(tx, Coherence(h=1, k=said, p=p), private) is not None:
        return Check(name=name, ok=False, detail="fewer match some combination")
    least = _any_mole(tx, Coherence(h=1, k=said + 1, p=p), private)
    if least is None or least.support != said:
        return Check(name=name, ok=False, detail="more match every combination")
    known = {1: "one public item", math.inf: "any number of public items"}.get(p, f"up to {p} public items")
    found = Findings(
        sentence=f"{len(tx):,} records; who knows {known} of a person finds at least {said:,} of them, or none.",
        key=("worst_k",),
        figures=Figures(Figure("worst_k", said, "count", "fewest records that match what an attacker knows")),
    )
    return Check(name=name, ok=True, detail=f"{said:,} records", findings=found)


def _contents_check(tx: Records, private: frozenset[str]) -> Check:
    """What the file holds; a promise about no record, or about no public item, is a promise about nothing."""
    supports = tx.supports()
    held = [tx.labels[code] for code in np.flatnonzero(supports > 0)]
    hidden = sum(label in private for label in held)
    public = len(held) - hidden
    what = f"{len(tx):,} records, {public:,} public items, {hidden:,} private items"
    ok = len(tx) > 0 and public > 0
    return Check(
        name="what the release holds",
        ok=ok,
        detail=what if ok else f"{what}: it promises nothing about anybody",
        findings=Findings(
            key=("records", "public_items_left"),
            figures=Figures(
                Figure("records", len(tx), "count", "records in the release"),
                Figure("public_items_left", public, "count", "public items in it"),
                Figure(
                    "entries_left", int(supports.sum()), "count", "entries in it (an item in a record is one entry)"
                ),
                Figure("private_items_left", hidden, "count", "private items in it"),
            ),
        ),
    )


def coherence_check(tx: Records, requirement: Coherence, private: Collection[str]) -> Check:
    """One check: no mole, or the size and counts of one."""
    mole = _any_mole(tx, requirement, private)
    if mole is None:
        searched = f"no identifying combination among {len(tx):,} records"
        return Check(name="coherence", ok=True, detail=f"{searched}. {requirement.promise()}")
    size = len(mole.items)
    what = "the empty itemset" if size == 0 else f"an itemset of {size} public item{'s' * (size > 1)}"
    if mole.support < requirement.k:
        fault = f"is in {mole.support} record{'s' * (mole.support > 1)}, fewer than k={requirement.k}"
    else:
        allowed = math.floor(bound_of(requirement) * mole.support)
        fault = (
            f"is in {mole.support} records, and {mole.private} of them hold one private item, "
            f"more than the {allowed} that h={requirement.h:g} allows"
        )
    return Check(name="coherence", ok=False, detail=f"{what} {fault}")


def _any_mole(tx: Records, requirement: Coherence, private: Collection[str]) -> Mole | None:
    if isinstance(tx, Transactions):
        return find_mole(tx, requirement, private)
    from confide.audit.verifiers.transactions.stored_coherence import find_stored_mole

    return find_stored_mole(tx, requirement, private)
