"""The engine for several machines, on a real Spark of this one: the same answers, errors in one line, DataFrames."""

import math
import os
import random
import shutil
import signal
import threading
import time
from dataclasses import dataclass

import numpy as np
import pytest
from tests.amounts import some
from tests.dataset_operations import BATCHES, DATABASES, OPERATIONS, Case, perturbed_bits
from tests.patience import wait_until

from confide.core.datasets.choice import using_engine
from confide.core.datasets.spark import spark_session as sessions
from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.errors import InputError, MissingExtraError, UnreachableError, UsageError
from confide.core.runtime import progress
from confide.core.transactions.container import Transactions
from confide.mining import association_rules, count_itemsets, frequent_itemsets
from confide.mining.stored.lanes import Overflow

if shutil.which("java") is None and "CONFIDE_CI" not in os.environ:
    pytest.skip("Spark needs Java, which is not installed", allow_module_level=True)


@dataclass(frozen=True)
class Numbers:
    """Shards of numbers."""

    lengths: tuple[int, ...]

    @property
    def shards(self):
        return self.lengths

    def read(self, shard):
        yield from range(shard)


@dataclass(frozen=True)
class Collect:
    shared: bool = False

    def begin(self):
        return []

    def add(self, state, batch):
        if batch == 13:
            raise InputError("unlucky", source="thirteen.parquet")
        if batch == 17:
            raise ZeroDivisionError("a bug")
        return [*state, batch]

    def merge(self, one, other):
        return one + other


def numbered(number, batches):
    return number, list(batches)


@pytest.mark.parametrize("lengths", [(), (12,), (3, 0, 5), (2,) * 9])
def test_every_batch_counts_once(engine, lengths):
    heard = []
    with progress.reporting(lambda *said: heard.append(said)):
        found = engine.fold(Numbers(lengths), Collect(), label="collecting")
    assert sorted(found) == sorted(n for length in lengths for n in range(length))
    assert not lengths or heard[-1][1] == heard[-1][2] > 0


def test_results_of_shards_come_in_their_order(engine):
    assert engine.each(Numbers((3, 1, 0)), numbered, label="") == [(0, [0, 1, 2]), (1, [0]), (2, [])]
    assert engine.each(Numbers(()), numbered, label="") == []


def test_errors_of_tasks_are_one_line(engine):
    with pytest.raises(InputError, match=r"^thirteen\.parquet: unlucky$"):
        engine.fold(Numbers((2, 14, 3)), Collect(), label="")
    with pytest.raises(UnreachableError, match="ZeroDivisionError") as told:
        engine.each(Numbers((18,)), lambda number, batches: Collect().add([], 17), label="")
    assert "\n" not in str(told.value)
    with pytest.raises(Overflow):  # an error of another module: the driver halves the work then
        engine.fold(Numbers((20,)), Overflowing(), label="")


@dataclass(frozen=True)
class Overflowing(Collect):
    def add(self, state, batch):
        raise Overflow


@dataclass(frozen=True)
class Wait(Collect):
    """Takes a minute for each batch."""

    def add(self, state, batch):
        time.sleep(60)
        return state


def test_ctrl_c_ends_a_pass_soon_and_its_tasks(engine):
    tracker = engine.session.sparkContext.statusTracker()
    threading.Timer(2.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        engine.fold(Numbers((3, 3)), Wait(), label="waiting")
    assert 2.0 <= time.perf_counter() - began < 60  # each batch takes a minute
    wait_until(lambda: not tracker.getActiveJobsIds())
    assert engine.fold(Numbers((2,)), Collect(), label="again") == [0, 1]


def database(seed, items, records):
    rng = random.Random(seed)
    common = [f"c{i}" for i in range(8)]
    return Transactions.from_lists(
        [
            [f"i{i}" for i in rng.sample(range(items), rng.randint(0, 7))] + [c for c in common if rng.random() < 0.4]
            for _ in range(records)
        ]
    )


@pytest.mark.parametrize(
    ("items", "least", "kind"), [(20, 20, "all"), (20, 20, "closed"), (120, 6, "closed"), (120, 6, "maximal")]
)
def test_itemsets_are_those_of_memory(engine, items, least, kind, tmp_path):
    whole = database(items, items, 500)
    for part, start in enumerate(range(0, 500, 170)):
        whole.take(np.arange(start, min(500, start + 170))).write(tmp_path / f"{part}.parquet")
    stored = StoredTransactions.open(tmp_path, engine=engine, batch_rows=64)
    assert stored.supports().tolist() == whole.supports().tolist()
    found = frequent_itemsets(stored, min_support=least, kind=kind)
    assert list(found.sorted()) == list(frequent_itemsets(whole, min_support=least, kind=kind).sorted())
    assert len(found) > 50 or kind == "maximal"
    counted = count_itemsets(stored, min_support=least, kind=kind)
    assert counted == count_itemsets(whole, min_support=least, kind=kind)


@pytest.mark.parametrize("name", OPERATIONS)
def test_answers_of_operations_are_those_of_memory(engine, name, tmp_path):
    """On two or three of the 50 databases, other ones for each operation."""
    for seed in some(DATABASES, every=20, first=list(OPERATIONS).index(name) * 3):
        case = Case.of(seed, tmp_path)
        stored = StoredTransactions.open(case.written(), engine=engine, batch_rows=BATCHES[seed % 3])
        with using_engine("spark"):
            assert OPERATIONS[name](case, stored) == OPERATIONS[name](case, case.records), seed


def test_perturbation_follows_the_law_on_spark(engine, tmp_path):
    """Off by more than 5 standard deviations: once in 1.7 million runs."""
    excess = variance = 0.0
    for seed in some(DATABASES, every=10):
        case = Case.of(seed, tmp_path)
        stored = StoredTransactions.open(case.written(), engine=engine, batch_rows=BATCHES[seed % 3])
        more, spread = perturbed_bits(case, stored, tmp_path / f"out-{seed}")
        excess, variance = excess + more, variance + spread
    assert variance > 50
    assert abs(excess) < 5 * math.sqrt(variance)


def test_a_dataframe_goes_in_as_it_is(engine, tmp_path):
    whole = database(3, 30, 200)
    meant = list(frequent_itemsets(whole, min_support=10).sorted())
    lists = engine.session.createDataFrame([(list(row),) for row in whole], "basket array<string>")
    assert list(frequent_itemsets(lists, min_support=10).sorted()) == meant
    rows = [(n, item) for n, row in enumerate(whole) for item in row]
    random.Random(1).shuffle(rows)
    long = engine.session.createDataFrame(rows, "id long, item string")
    found = frequent_itemsets(long, min_support=10)
    assert list(found.sorted()) == meant
    rules = association_rules(found, min_confidence=0.5)
    assert len(rules) == len(association_rules(frequent_itemsets(whole, min_support=10), min_confidence=0.5))
    wrong = engine.session.createDataFrame([(1.5,)], "price double")
    with pytest.raises(InputError, match="has no columns 'id' and 'item'"):
        frequent_itemsets(wrong, min_support=2)


def test_a_part_that_is_cut_off_is_one_line(engine, tmp_path):
    whole = database(5, 30, 4000)
    for n in range(2):
        whole.write(tmp_path / f"{n}.parquet")
    stored = StoredTransactions.open(tmp_path, engine=engine)
    file = tmp_path / "1.parquet"
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(InputError, match=r"1\.parquet") as told:
        stored.supports()
    assert "\n" not in str(told.value)


def test_what_is_missing_is_said_before_spark_starts(engine, monkeypatch, tmp_path):
    with pytest.raises(UsageError, match=r"runs already, and spark://other:7077 was asked for"):
        sessions.spark_session("spark://other:7077")
    for master in ("spark://nowhere", "spark://nowhere:x"):
        with pytest.raises(UsageError, match="not the address of a Spark master"):
            sessions._check_master(master)
    with pytest.raises(UnreachableError, match=r"no Spark master answers at spark://127\.0\.0\.1:1 "):
        sessions._check_master("spark://127.0.0.1:1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UsageError, match="there is no bin/java; install it"):
        sessions._check_java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="no java is on the path"):
        sessions._check_java()


def test_without_pyspark_the_extra_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises((MissingExtraError, ModuleNotFoundError)):
        sessions.spark_session("local[2]")
