"""Minimal moles of records in files are those of records in memory."""

import math
import random

import pytest

from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.errors import CannotMeetError
from confide.core.requirements import Coherence
from confide.core.transactions.container import Transactions
from confide.mining.stored import beside, pairs, sets, triples
from confide.publish import minimal_moles
from confide.publish.transactions.moles import stored_moles as moles_in_files


def random_case(seed: int) -> tuple[Transactions, Coherence, list[str]]:
    rng = random.Random(seed)
    n, density = rng.choice([5, 9, 14]), rng.choice([0.1, 0.3, 0.6])
    rows = [[f"i{i}" for i in range(n) if rng.random() < density] for _ in range(rng.randint(8, 60))]
    tx = Transactions.from_lists([[*row, f"s{rng.randrange(4)}"] if rng.random() < 0.8 else row for row in rows])
    private = [label for label in tx.labels if label.startswith("s")] if rng.random() < 0.7 else []
    requirement = Coherence(
        h=rng.choice([0.4, 0.7, 1.0]), k=rng.choice([2, 3, 6]), p=rng.choice([1, 2, 3, 4, math.inf])
    )
    return tx, requirement, private


def found(tx, requirement, private):
    try:
        moles = minimal_moles(tx, requirement, private=private)
    except CannotMeetError as error:
        return str(error)
    return sorted((mole.items, mole.support, mole.why) for mole in moles)


@pytest.mark.parametrize("way", ["as chosen", "rows", "columns", "triples in several passes", "triples that occur"])
def test_moles_of_files_are_those_of_memory(way, tmp_path, monkeypatch):
    if way == "triples in several passes":
        monkeypatch.setattr(triples, "MOST_CELLS", 30)
        monkeypatch.setattr(triples, "PRIVATE_CELLS", 0)
        monkeypatch.setattr(beside, "MOST_CELLS", 20)
        monkeypatch.setattr(beside, "PRIVATE_CELLS", 0)
        monkeypatch.setattr(beside, "MOST_LOOKED_UP", 0)
        monkeypatch.setattr(moles_in_files, "_SUSPECTS", 3)
    elif way == "triples that occur":
        monkeypatch.setattr(moles_in_files, "MOST_PASSES", 0)
    elif way != "as chosen":
        monkeypatch.setattr(moles_in_files, "MOST_BESIDE", 0)
        monkeypatch.setattr(sets, "_way", lambda *_: way)
        monkeypatch.setattr(sets, "MOST_SETS", 5)
        monkeypatch.setattr(pairs, "MOST_CELLS", 20)
    some = 0
    for seed in range(30):
        tx, requirement, private = random_case(seed)
        tx.write(tmp_path / "a.parquet", replace=True)
        stored = StoredTransactions.open(tmp_path, batch_rows=(1, 7, 1000)[seed % 3])
        meant = found(tx, requirement, private)
        assert found(stored, requirement, private) == meant
        some += not isinstance(meant, str) and any(len(items) > 2 for items, _, _ in meant)
    assert some >= 3
