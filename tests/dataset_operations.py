"""Random databases, and every operation that records in memory, in files and on a cluster must answer alike.

An operation takes the records, wherever they are, and gives something that `==` compares. What a release draws is not
compared here, but in law: see `perturbed_bits`.
"""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from confide import Coherence, StoredTransactions, Transactions, verify
from confide.collect import CutAndPaste, Emask, Mask
from confide.collect.perturbed_release import release_perturbed
from confide.core.errors import CannotMeetError
from confide.mining import association_rules, count_itemsets, frequent_itemsets, itemset_supports
from confide.publish import minimal_moles, suppress

DATABASES = range(50)
BATCHES = (1, 7, 1000)


@dataclass(frozen=True)
class Case:
    """A database with settings that suit it; `folder` is where its releases go."""

    seed: int
    records: Transactions
    private: list[str]
    requirement: Coherence
    least: int
    folder: Path

    @classmethod
    def of(cls, seed: int, folder: Path) -> "Case":
        """A database of its own for each seed: few items or many, sparse or full, with empty records among them."""
        rng = random.Random(seed)
        n, density = rng.choice([4, 8, 12, 70]), rng.choice([0.1, 0.3, 0.6])
        density /= 1 if n < 70 else 8
        rows = [[f"i{i}" for i in range(n) if rng.random() < density] for _ in range(rng.randint(1, 40))]
        records = Transactions.from_lists(
            [[*row, f"s{rng.randrange(4)}"] if rng.random() < 0.7 else row for row in rows]
        )
        private = [label for label in records.labels if label.startswith("s")]
        requirement = Coherence(h=rng.choice([0.4, 0.7, 1.0]), k=rng.choice([2, 3, 5]), p=rng.choice([1, 2, 3]))
        return cls(seed, records, private, requirement, max(2, len(records) // 4), folder)

    def written(self) -> Path:
        """The database in two files with small row groups."""
        home = self.folder / f"in-{self.seed}"
        home.mkdir()
        cut = len(self.records) // 3
        for name, rows in (("a", np.arange(cut)), ("b", np.arange(cut, len(self.records)))):
            self.records.take(rows).write(home / f"{name}.parquet")
        return home


Records = Transactions | StoredTransactions


def _refusal(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except CannotMeetError as error:
        return str(error)


def _itemsets(case: Case, tx: Records) -> Any:
    return {
        kind: list(frequent_itemsets(tx, min_support=case.least, kind=kind).sorted())
        for kind in ("all", "closed", "maximal")
    }


def _counted(case: Case, tx: Records) -> Any:
    kinds = ("all", "closed", "maximal")
    return [count_itemsets(tx, min_support=case.least, kind=kind, max_length=3) for kind in kinds]


def _rules(case: Case, tx: Records) -> Any:
    found = association_rules(frequent_itemsets(tx, min_support=case.least), min_confidence=0.6)
    return sorted((rule.antecedent, rule.consequent, rule.support, rule.confidence) for rule in found)


def _supports(case: Case, tx: Records) -> Any:
    rng = random.Random(case.seed)
    labels = [*case.records.labels, "nowhere"]
    asked = [rng.sample(labels, rng.randint(0, min(4, len(labels)))) for _ in range(12)]
    return itemset_supports(tx, asked).tolist()


def _moles(case: Case, tx: Records) -> Any:
    return _refusal(
        lambda: sorted(
            (mole.items, mole.support, mole.why) for mole in minimal_moles(tx, case.requirement, private=case.private)
        )
    )


def _released(case: Case, tx: Records) -> Any:
    """What `suppress` releases, as a multiset of records, its losses, and what verifying the files says."""
    stored = isinstance(tx, StoredTransactions)
    out = case.folder / (f"out-{case.seed}" if stored else f"out-{case.seed}.jsonl")

    def work() -> Any:
        into = {"into": out} if stored else {}
        release = suppress(tx, case.requirement, private=case.private, nugget_support=case.least, **into)
        release.write(out, replace=True)
        answer = verify(out.with_name(f"{out.name}.passport.json"))
        data = release.data.to_transactions() if stored else release.data
        loss = {name: value for name, value in release.loss.items() if not name.startswith("worst")}
        return Counter(map(tuple, data)), loss, answer.ok

    return _refusal(work)


def _schemes(case: Case) -> list[Any]:
    labels = case.records.labels
    longest = max(1, int(case.records.lengths.max(initial=1)))
    return [
        Mask(p=0.9, items=labels, max_length=longest),
        Emask(p=0.8, q=0.9, items=labels, max_length=longest),
        CutAndPaste(K=3, rho=0.2, items=labels, max_length=longest),
    ]


def _estimated(case: Case, tx: Records) -> Any:
    """What each scheme would mine out of these records, were they perturbed ones."""
    found = []
    for scheme in _schemes(case):
        known = {"record_length": 5} if isinstance(scheme, CutAndPaste) else {}
        mined = scheme.mine(tx, min_support=0.3, max_length=3, **known)
        found.append(sorted((labels, round(support, 6)) for labels, support in mined))
    return found


OPERATIONS: dict[str, Callable[[Case, Records], Any]] = {
    "itemsets": _itemsets,
    "counts of itemsets": _counted,
    "rules": _rules,
    "supports of named sets": _supports,
    "minimal moles": _moles,
    "releases": _released,
    "itemsets of a scheme": _estimated,
}


def perturbed_bits(case: Case, stored: StoredTransactions, out: Path) -> tuple[float, float]:
    """Perturb in files by Emask; give how many more items there are than expected, and the variance of that.

    Every 1 stays with chance p and every 0 with q, each on its own, so both are known exactly.
    """
    scheme = _schemes(case)[1]
    release = release_perturbed(scheme, stored, into=out)
    release.write(out)
    assert verify(out.with_name(f"{out.name}.passport.json")).ok
    assert len(release.data) == len(case.records)
    ones = len(case.records.indices)
    zeros = len(case.records) * case.records.n_items - ones
    held = sum(map(len, release.data.to_transactions()))
    return held - 0.8 * ones - 0.1 * zeros, 0.16 * ones + 0.09 * zeros
