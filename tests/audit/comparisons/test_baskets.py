"""Released baskets beside those that were read."""

from unittest.mock import patch

import numpy as np
import pytest
from tests.amounts import some

from confide import Coherence, StoredTransactions, Transactions
from confide.audit.comparisons.baskets import compare_baskets
from confide.core.artefacts.originals import OriginalBaskets
from confide.core.errors import CannotMeetError, VerificationError
from confide.publish import suppress

READ = [["tea", "nuts"], ["tea"], [], ["milk", "tea"], ["nuts"]]


class Told:
    """A passport that tells these figures."""

    def __init__(self, **loss):
        self.loss = loss
        self.context = {}


def faults(released, places=(0, 1, 2, 3, 4), **loss):
    read = OriginalBaskets(transactions=Transactions.from_lists(READ), places=np.array(places))
    data = Transactions.from_lists(released)
    return [check.name for check in compare_baskets(data, Told(**loss), read) if not check.ok]


def test_items_may_go_from_all_records():
    assert faults(READ, occurrences=6, occurrences_lost=0) == []
    assert faults([["tea"], ["tea"], [], ["tea"], []], occurrences_lost=3, records_emptied=1) == []
    assert faults([["nuts"], ["tea"], ["tea", "nuts"], [], ["tea"]], (4, 1, 0, 2, 3)) == []


@pytest.mark.parametrize(
    ("released", "fault"),
    [
        ([["tea", "nuts"], ["tea"], [], ["milk", "tea"], ["beer"]], "no item came"),
        ([["tea", "nuts"], ["tea"], [], ["milk", "tea"]], "no record vanished"),
        ([["tea"], ["tea", "nuts"], [], ["milk", "tea"], ["nuts"]], "every record holds its own items"),
        ([["tea", "nuts"], [], [], ["milk", "tea"], ["nuts"]], "every record holds its own items"),
        ([["tea", "nuts"], ["tea"], ["milk"], ["milk", "tea"], ["nuts"]], "every record holds its own items"),
    ],
)
def test_what_came_or_went_is_seen(released, fault):
    assert faults(released) == [fault]


def test_records_come_from_one_record_each():
    assert faults(READ, (0, 0, 2, 3, 4)) == ["every record holds its own items"]


def test_what_went_is_counted():
    assert faults(READ, occurrences=7) == ["what went is counted"]


@pytest.mark.parametrize("seed", some(range(40), every=4))
def test_no_false_alarm_on_random_baskets(seed, tmp_path):
    draw = np.random.default_rng(seed)
    rows = draw.random((30, 8)) < draw.choice([0.2, 0.5])
    tx = Transactions.from_lists([[f"i{i}" for i in np.flatnonzero(row)] for row in rows])
    how = {"private": ["i1"], "keep_order": bool(seed % 2)}
    try:
        assert suppress(tx, Coherence(h=0.8, k=3, p=2), **how).comparison.ok
    except CannotMeetError:
        return
    tx.write(tmp_path / "read.parquet")
    stored = StoredTransactions.open(tmp_path / "read.parquet")
    assert suppress(stored, Coherence(h=0.8, k=3, p=2), into=tmp_path / "out", **how).comparison.ok


def test_baskets_in_files_with_others_items_do_not_leave(tmp_path):
    """Two records exchange an item while they are written: supports stay, and the sum of digests does not."""
    from confide.core.datasets import shuffling

    Transactions.from_lists([["a", "b"], ["a"], ["b"], ["a", "b", "c"]] * 5).write(tmp_path / "read.parquet")
    stored = StoredTransactions.open(tmp_path / "read.parquet")
    right = shuffling.WithLabels.__call__

    def exchanged(self, rows):
        lists = rows.column("items").to_pylist()
        one, other = lists.index([0]), lists.index([1])
        lists[one], lists[other] = [0, 1], []
        import pyarrow as pa

        return right(self, pa.table({"items": pa.array(lists, pa.list_(pa.int32()))}))

    refused = pytest.raises(VerificationError, match="every record holds its own items")
    with patch.object(shuffling.WithLabels, "__call__", exchanged), refused:
        suppress(stored, Coherence(h=1.0, k=2, p=2), into=tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["read.parquet"]
