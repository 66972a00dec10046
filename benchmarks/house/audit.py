"""How long the auditor takes: on releases the stage really makes, on a million rows, against the plain twins."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tests.oracles import audit as oracles

from benchmarks.publish.experiment_items import copy_private_items
from benchmarks.timing import compare
from confide import Coherence, KAnonymity, Passport, RecursiveDiversity, Transactions
from confide.audit import find_mole, link_transactions, verify_k_anonymity, verify_recursive_diversity
from confide.publish import suppress

__all__ = ["run"]


def run(data: Path) -> Iterator[dict[str, Any]]:
    for name, requirement in (
        ("retail", Coherence(h=0.6, k=20, p=4)),
        ("connect", Coherence(h=0.6, k=100, p=5)),
        ("connect", Coherence(h=0.6, k=100, p=6)),
    ):
        yield _release(data, name, requirement)
    yield _twin(data)
    yield from tables(1_000_000, 8)
    yield _linkage(data)


def _release(data: Path, name: str, requirement: Coherence) -> dict[str, Any]:
    """Verifying a release against making it, without the check inside."""
    made = copy_private_items(Transactions.read(data / name / f"{name}.dat.gz"))

    def make() -> Transactions:
        return suppress(made.transactions, requirement, private=made.private, explain=False, verify=False).data

    release = make()
    assert find_mole(release, requirement, made.private) is None
    used = release.without_unused()
    return compare(
        f"verifying the coherence of {name} takes a fraction of making it",
        lambda: find_mole(release, requirement, made.private),
        make,
        rival_name="suppress(verify=False)",
        repeats=3,
        settings={
            "requirement": str(requirement),
            "public_items_kept": used.n_items - len(set(used.labels) & set(made.private)),
            "entries_kept": round(len(release.indices) / len(made.transactions.indices), 3),
        },
    )


def _twin(data: Path) -> dict[str, Any]:
    """The plain twin asks every subset of every record, so the case must be small: 2,000 records, 12 items."""
    tx = Transactions.read(data / "connect" / "connect.dat.gz")
    commonest = np.argsort(-tx.supports(), kind="stable")[:12]
    small = tx.take(np.arange(2000)).keep_items(np.isin(np.arange(tx.n_items), commonest))
    rows, requirement = list(small), Coherence(h=1, k=2, p=3)
    private: list[str] = []
    assert (find_mole(small, requirement, private) is None) == (not oracles.moles(rows, requirement, private))
    return compare(
        "the verifier is faster than asking every subset of every record",
        lambda: find_mole(small, requirement, private),
        lambda: oracles.moles(rows, requirement, private),
        rival_name="tests.oracles.audit.moles",
        repeats=3,
        settings={"records": 2000, "items": 12, "requirement": str(requirement), "data": "connect"},
    )


def tables(rows: int, columns: int) -> Iterator[dict[str, Any]]:
    """A table of text columns against the same question put to pandas."""
    rng = np.random.default_rng(1)
    names = [f"q{i}" for i in range(columns)]
    frame = pd.DataFrame({name: rng.integers(0, 4, rows).astype(str) for name in names})
    frame["s"] = rng.integers(0, 20, rows).astype(str)
    roles = {**dict.fromkeys(names, "quasi-identifier"), "s": "sensitive"}
    settings = {"rows": rows, "quasi_identifiers": columns, "groups": 4**columns}

    k_anonymity = Passport.issue(KAnonymity(k=2), stage="publish", algorithm="none", context={"roles": roles})
    yield compare(
        "k-anonymity of a million rows is checked in about the time pandas groups them",
        lambda: list(verify_k_anonymity(frame, k_anonymity)),
        lambda: frame.groupby(names, observed=True, dropna=False).size().min(),
        rival_name="pandas groupby.size",
        settings=settings,
    )
    diversity = Passport.issue(
        RecursiveDiversity(c=2, l=2), stage="publish", algorithm="none", context={"roles": roles}
    )
    yield compare(
        "recursive diversity of a million rows is checked in about the time pandas counts the values",
        lambda: list(verify_recursive_diversity(frame, diversity)),
        lambda: frame.groupby([*names, "s"], observed=True, dropna=False).size(),
        rival_name="pandas groupby.size with the sensitive column",
        settings=settings,
    )


def _linkage(data: Path) -> dict[str, Any]:
    tx = Transactions.read(data / "retail" / "retail.dat.gz")
    sample = 50
    rows = [set(row) for row in tx]
    known = [row[:3] for row in list(tx)[:sample]]
    return compare(
        "10,000 people are looked up faster than the plain twin looks up 50",
        lambda: link_transactions(tx, private=[], known=3, samples=10_000, seed=1),
        lambda: [oracles.matches(rows, items) for items in known],
        rival_name="tests.oracles.audit.matches",
        repeats=3,
        settings={"data": "retail", "known": 3, "people": 10_000, "people_of_the_rival": sample},
    )
