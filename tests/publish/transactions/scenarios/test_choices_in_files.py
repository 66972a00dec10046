"""What is chosen for records in files is what is chosen for records in memory; what needs memory says so in a line."""

import math
import random
from functools import partial

import pytest

from confide import StoredTransactions, Transactions
from confide.core.errors import CannotMeetError, ConfideError, UsageError
from confide.core.requirements import Coherence
from confide.mining.stored import distinct_records
from confide.publish import PublishTransactions, explore, explore_transactions
from confide.publish.jobs.transactions import Wishes
from confide.publish.transactions.declaration import Declared
from confide.publish.transactions.moles.stored_moles import DeclaredFiles
from confide.publish.transactions.suppression_choice import SuppressionChoice


def random_case(seed: int) -> tuple[Transactions, list[str]]:
    rng = random.Random(seed)
    n, density = rng.choice([5, 9, 12]), rng.choice([0.1, 0.3, 0.6])
    rows = [[f"i{i}" for i in range(n) if rng.random() < density] for _ in range(rng.randint(20, 70))]
    tx = Transactions.from_lists([[*row, f"s{rng.randrange(4)}"] if rng.random() < 0.8 else row for row in rows])
    return tx, [label for label in tx.labels if label.startswith("s")]


def outcome(made, requirement):
    """The choice in labels with its scores and losses, or the reason there is none."""
    try:
        chosen = made().make(requirement)
    except ConfideError as error:
        return str(error)
    labels = made().original.transactions.labels
    steps = [(labels[step.item], step.reason, step.gain, step.cost) for step in chosen.steps]
    totals = {name: count for name, count in chosen.totals.items() if name != "moles_to_break"}
    return steps, totals, dict(made().loss(chosen)), chosen.method.replace("walk", "zdd")


WISHES = {
    "items, p=inf": ({}, math.inf, 1.0),
    "items by whole records": ({"method": "records", "cost": "one"}, math.inf, 1.0),
    "items, p=inf, h below 1": ({}, math.inf, 0.6),
    "remove-all": ({"method": "remove-all"}, 2, 0.6),
    "remove-all without the rare": (
        {"method": "remove-all", "utility": "itemsets", "nugget_support": 5, "icdm_deletion": True}, 3, 1.0
    ),
    "itemsets, p=1": ({"utility": "itemsets", "nugget_support": 4}, 1, 0.6),
    "itemsets, p=2": ({"utility": "itemsets", "nugget_support": 4, "nugget_length": 3}, 2, 0.6),
    "itemsets, p=2, the rare deleted": ({"utility": "itemsets", "nugget_support": 6, "icdm_deletion": True}, 2, 1.0),
    "itemsets by diagrams, as the thesis": (
        {"utility": "itemsets", "nugget_support": 0.1, "method": "zdd", "put_back": False}, 2, 0.6
    ),
    "itemsets, best choice": ({"utility": "itemsets", "nugget_support": 4, "method": "optimal"}, 2, 0.6),
    "itemsets by whole records": ({"utility": "itemsets", "nugget_support": 4, "method": "records"}, math.inf, 1.0),
}  # fmt: skip


@pytest.mark.parametrize("name", WISHES)
def test_choices_for_files_are_those_for_memory(name, tmp_path):
    how, p, h = WISHES[name]
    found = 0
    for seed in range(12):
        tx, private = random_case(seed)
        tx.write(tmp_path / "in.parquet", replace=True)
        stored = StoredTransactions.open(tmp_path / "in.parquet", batch_rows=(1, 7, 1000)[seed % 3])
        wishes = dict(how)
        if how.get("method") != "remove-all" and seed % 3 == 0:
            wishes["keep"] = ["i1"]
        if seed % 4 == 1:
            wishes["never"] = ["i0", "s0"]
        requirement = Coherence(h=h, k=(2, 3, 5)[seed % 3], p=p)
        try:
            meant = outcome(partial(SuppressionChoice.of, Declared.of(tx, private), Wishes(**wishes)), requirement)
        except UsageError:  # a label that this database does not have
            continue
        got = outcome(partial(SuppressionChoice.of, DeclaredFiles.of(stored, private), Wishes(**wishes)), requirement)
        assert got == meant
        found += not isinstance(meant, str)
    assert found >= 4


def test_exploring_files_is_exploring_memory(tmp_path):
    tx, private = random_case(2)
    tx.write(tmp_path / "in.parquet")
    stored = StoredTransactions.open(tmp_path / "in.parquet", batch_rows=7)
    asked = {"private": private, "k": [2, 3, 80], "h": [0.6, 1.0], "p": [1, 2, math.inf], "nugget_support": 4}
    assert list(explore(stored, **asked)) == (meant := list(explore(tx, **asked)))
    assert {setting.refused == "" for setting in meant} == {True, False}
    one, other = (explore_transactions(PublishTransactions(records=records, k=2, p=(1, 2))) for records in (stored, tx))
    assert one.lengths == other.lengths


def test_what_needs_memory_is_refused_in_one_line(tmp_path):
    tx, private = random_case(2)
    tx.write(tmp_path / "in.parquet")
    declared = DeclaredFiles.of(StoredTransactions.open(tmp_path / "in.parquet"), private)
    itemsets = {"utility": "itemsets", "nugget_support": 3}

    def refused(p: float, h: float = 1.0, **wishes: object) -> str:
        with pytest.raises(UsageError) as told:
            SuppressionChoice.of(declared, Wishes(**wishes)).make(Coherence(h=h, k=2, p=p))
        assert "\n" not in str(told.value)
        return str(told.value)

    assert "engine memory, or p=2, or utility='items'" in refused(3, **itemsets)
    assert "engine memory, or p=2, or utility='items'" in refused(math.inf, h=0.5, **itemsets)
    assert "engine memory, or method 'zdd'" in refused(2, **itemsets, method="border")
    assert "engine memory, or method 'remove-all'" in refused(2, method="k-anonymizer")
    assert "needs p=inf, and h=1" in refused(2, method="records")


def test_records_that_differ_too_much_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(distinct_records, "_SMALL", 4)
    rng = random.Random(1)
    tx = Transactions.from_lists([rng.sample("abcdefghij", 5) for _ in range(300)])
    tx.write(tmp_path / "in.parquet")
    stored = StoredTransactions.open(tmp_path / "in.parquet", batch_rows=64)
    choice = SuppressionChoice.of(DeclaredFiles.of(stored, ()), Wishes(cost="one"))
    assert choice.make(Coherence(h=1.0, k=2, p=math.inf)).steps
    monkeypatch.setattr(distinct_records, "MOST_ENTRIES", 100)
    with pytest.raises(CannotMeetError, match=r"more than 100 entries, .*; nearest that works: p=2"):
        choice.make(Coherence(h=1.0, k=2, p=math.inf))
