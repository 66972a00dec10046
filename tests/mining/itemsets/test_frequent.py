"""Frequent itemsets: the definitions, the ways through the code, and agreement with pyfim on public data."""

import gzip
import itertools
import os
import random
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.amounts import some
from tests.oracles import itemsets as oracles

from confide.core.errors import RequirementError, UsageError
from confide.core.itemsets import container as core_itemsets
from confide.core.transactions.container import Transactions
from confide.mining import count_itemsets, frequent_itemsets
from confide.mining.counting import memory_counts, record_shares
from confide.mining.databases import in_memory, task
from confide.mining.itemsets import running as itemsets

DATA = Path(os.environ.get("CONFIDE_DATA", Path(__file__).parents[4] / "shared" / "data"))
KINDS = ("all", "closed", "maximal")

#: Settings that lead small databases through each part of the code: how many items the bitmaps may hold (none, so that
#: lists are projected to the end; few, so that bitmaps take over after a while), and how lists get at counts of pairs.
BESIDE = {"in_memory._COLUMN_STEP": 1e-9, "in_memory._CELLS_PER_STEP": 0}
PAIRS = {"in_memory._COLUMN_STEP": 1e-9, "in_memory._CELLS_PER_STEP": 1e9}
WAYS = {
    "words": {},
    "lists": {"task._WORD": 0, **BESIDE},
    "lists then words": {"task._WORD": 5, **BESIDE},
    "columns then words": {"task._WORD": 5, "in_memory._COLUMN_STEP": 1e9},
    "pairs, all wide": {"task._WORD": 0, **PAIRS},
    "pairs, some wide": {"task._WORD": 3, **PAIRS},
    "pairs, few wide": {"task._WORD": 6, **PAIRS},
    "pairs without words": {"task._WORD": 5, **PAIRS, "in_memory.MOST_PAIRS": 0},
}


MODULES = {"task": task, "in_memory": in_memory, "memory": memory_counts, "parts": record_shares}


def take(settings, monkeypatch):
    for name, value in settings.items():
        module, _, constant = name.partition(".")
        monkeypatch.setattr(MODULES[module], constant, value)


def random_database(seed: int) -> list[list[str]]:
    """Small databases of very different shape: sparse and dense, with equal rows, empty rows and ubiquitous items."""
    rng = random.Random(seed)
    n_items, n_rows, density = rng.randint(1, 9), rng.randint(0, 30), rng.choice([0.1, 0.3, 0.5, 0.8, 0.95])
    chance = {f"i{item}": rng.choice([density, density, 1.0, rng.random()]) for item in range(n_items)}
    rows = [[item for item in chance if rng.random() < chance[item]] for _ in range(n_rows)]
    return rows + rng.choices(rows, k=rng.randint(0, 20)) if rows else rows


@cache
def random_question(seed: int):
    """A small database, what is asked of it, and the slow twin's answers, which no way through the code changes."""
    rows = random_database(seed)
    min_support = random.Random(seed).randint(1, max(1, len(rows) // 2))
    max_length = random.Random(seed).choice([None, None, 1, 2, 3, 4])
    counts = oracles.subset_counts(rows)
    truths = {
        kind: oracles.frequent_among(counts, min_support=min_support, kind=kind, max_length=max_length)
        for kind in KINDS
    }
    return rows, min_support, max_length, truths


def wide_database(seed: int) -> list[list[str]]:
    """More than 64 items beside each other, in short records so that the slow twin can still count."""
    rng = random.Random(seed)
    items = [f"i{item}" for item in range(rng.randint(70, 110))]
    always = [f"a{item}" for item in range(rng.randint(0, 2))]
    return [always + rng.sample(items, rng.randint(1, 8)) for _ in range(rng.randint(60, 160))]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_random_databases_give_what_the_slow_twin_gives(kind, way, monkeypatch):
    take(WAYS[way], monkeypatch)
    for seed in some(range(300), every=3):
        rows, min_support, max_length, truths = random_question(seed)
        truth = truths[kind]
        tx = Transactions.from_lists(rows)
        found = frequent_itemsets(tx, min_support=min_support, kind=kind, max_length=max_length)
        assert found.as_dict() == truth, seed
        assert len(found) == len(truth), f"an itemset was delivered twice, seed {seed}"
        levels = count_itemsets(tx, min_support=min_support, kind=kind, max_length=max_length)
        assert levels == dict(sorted(Counter(map(len, truth)).items())), seed


@pytest.mark.parametrize("seed", some(range(4), every=2))
def test_wide_databases_give_what_the_slow_twin_gives(seed, monkeypatch):
    rows = wide_database(seed)
    tx, counts = Transactions.from_lists(rows), oracles.subset_counts(rows)
    together = {**PAIRS, "parts.ALONE": 0}
    for kind, max_length, min_support in itertools.product(KINDS, (None, 1, 2, 3), (1, 2, 4)):
        asked = {"min_support": min_support, "kind": kind, "max_length": max_length}
        truth = oracles.frequent_among(counts, **asked)
        for settings in ({}, PAIRS, BESIDE, together, {**together, "memory.SMALL": 0}):
            with monkeypatch.context() as patch:
                take(settings, patch)
                found = frequent_itemsets(tx, **asked)
            assert found.as_dict() == truth, (asked, settings)
            assert len(found) == len(truth)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_threads_change_nothing(kind, way, monkeypatch, with_cores):
    take(WAYS[way], monkeypatch)
    rng = random.Random(7)
    tx = Transactions.from_lists([[i for i in range(16) if rng.random() < 0.6] for _ in range(300)])
    alone = frequent_itemsets(tx, min_support=25, kind=kind)
    assert len(alone) > 1000
    monkeypatch.setattr(itemsets, "_ALONE", 0)
    monkeypatch.setattr(record_shares, "ALONE", 0)
    with_cores(3)
    for _ in range(2):
        together = frequent_itemsets(tx, min_support=25, kind=kind)
        assert np.array_equal(together.offsets, alone.offsets)
        assert np.array_equal(together.items, alone.items)
        assert np.array_equal(together.supports, alone.supports)
        assert sum(count_itemsets(tx, min_support=25, kind=kind).values()) == len(alone)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [[], [[]], [[], []], [["a"]], [["a"], ["a"]], [["a"], []]], ids=str)
def test_tiny_databases(rows, kind):
    tx = Transactions.from_lists(rows)
    holders = sum("a" in row for row in rows)
    assert frequent_itemsets(tx, min_support=1, kind=kind).as_dict() == ({frozenset("a"): holders} if holders else {})
    assert frequent_itemsets(tx, min_support=5, kind=kind).as_dict() == {}
    assert count_itemsets(tx, min_support=5, kind=kind) == {}


def test_codes_ascend_within_each_itemset():
    tx = Transactions.from_lists(wide_database(1))
    found = frequent_itemsets(tx, min_support=2)
    rising = np.diff(found.items) > 0
    inside = np.ones(len(rising), dtype=bool)
    inside[found.offsets[1:-1] - 1] = False
    assert rising[inside].all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n_labels", "width"), [(32_767, np.int16), (32_768, np.int32)])
def test_codes_are_as_narrow_as_the_number_of_labels_allows(n_labels, width, kind):
    last = n_labels - 1
    tx = Transactions.from_lists([[0, last], [0, last], [1, last], *([k] for k in range(2, last))])
    found = frequent_itemsets(tx, min_support=2, kind=kind)
    assert (found.offsets.dtype, found.items.dtype, found.supports.dtype) == (np.int32, width, np.int32)
    truth = {frozenset("0"): 2, frozenset([str(last)]): 3, frozenset(["0", str(last)]): 2}
    left_out = {"all": [], "closed": [frozenset("0")], "maximal": [frozenset("0"), frozenset([str(last)])]}[kind]
    assert found.as_dict() == {itemset: n for itemset, n in truth.items() if itemset not in left_out}


def test_offsets_widen_when_the_items_are_too_many_for_them(monkeypatch):
    """Two billion items take 4 GB, so the border is moved to 100 items instead."""
    tx = Transactions.from_lists(wide_database(1))
    narrow = frequent_itemsets(tx, min_support=2)
    for module in (itemsets, core_itemsets):
        monkeypatch.setattr(module, "offset_dtype", lambda n: np.dtype(np.int32 if n < 100 else np.int64))
    wide = frequent_itemsets(tx, min_support=2)
    assert (narrow.offsets.dtype, wide.offsets.dtype) == (np.int32, np.int64)
    assert all(np.array_equal(getattr(wide, name), getattr(narrow, name)) for name in ("offsets", "items", "supports"))


@pytest.mark.parametrize("n_items", [40, 64, 65, 200])
def test_items_that_always_go_together_are_counted_not_listed(n_items):
    tx = Transactions.from_lists([range(n_items), range(n_items), range(3)])
    assert sum(count_itemsets(tx, min_support=2).values()) == 2**n_items - 1
    with pytest.raises(RequirementError, match="do not fit into this machine's memory"):
        frequent_itemsets(tx, min_support=2)
    pairs = frequent_itemsets(tx, min_support=2, max_length=2)
    assert pairs.level_counts() == {1: n_items, 2: n_items * (n_items - 1) // 2}
    assert count_itemsets(tx, min_support=2, max_length=2) == pairs.level_counts()
    closed = frequent_itemsets(tx, min_support=2, kind="closed")
    assert closed.level_counts() == {3: 1, n_items: 1}
    assert frequent_itemsets(tx, min_support=2, kind="maximal").level_counts() == {n_items: 1}


def test_a_weight_of_many_equal_records_is_counted_exactly():
    tx = Transactions.from_lists([["a", "b"]] * 12_345 + [["a"]] * 678 + [["b", "c"]] * 9)
    found = frequent_itemsets(tx, min_support=1).as_dict()
    assert {"".join(sorted(k)): v for k, v in found.items()} == {
        "a": 13_023, "b": 12_354, "c": 9, "ab": 12_345, "bc": 9,
    }  # fmt: skip


def test_a_fraction_is_rounded_up():
    tx = Transactions.from_lists([["a"], ["a"], ["b"], ["c"], ["a", "b"]])
    assert frequent_itemsets(tx, min_support=0.41).as_dict() == {frozenset("a"): 3}
    assert frequent_itemsets(tx, min_support=0.4).as_dict() == {frozenset("a"): 3, frozenset("b"): 2}


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"kind": "free"}, UsageError, "kinds are: all, closed, maximal"),
        ({"max_length": 0}, RequirementError, "use 1 or more, or None"),
        ({"max_length": 2.5}, RequirementError, "whole number or None"),
        ({"max_length": True}, RequirementError, "whole number or None"),
        ({"min_support": 0}, RequirementError, "min_support=0"),
    ],
)
def test_bad_options_are_refused_before_any_work(options, error, words):
    tx = Transactions.from_lists([["a"]])
    for function in (frequent_itemsets, count_itemsets):
        with pytest.raises(error, match=words):
            function(tx, **{"min_support": 1, **options})


def test_max_length_prunes_the_search():
    tx = Transactions.from_lists([[item for item in range(60) if item != left_out] for left_out in range(60)])
    # Without the limit there are 2**60 - 1 frequent itemsets.
    assert count_itemsets(tx, min_support=1, max_length=3) == {1: 60, 2: 1770, 3: 34220}
    assert len(frequent_itemsets(tx, min_support=1, max_length=2, kind="maximal")) == 1770
    assert len(frequent_itemsets(tx, min_support=1, max_length=2, kind="closed")) == 1830


# -- public data and pyfim ---------------------------------------------------------------------------------------------

PUBLIC = {
    "retail/retail": (0.001, 0.002),
    "connect/connect": (0.8, 0.9),
    "mushroom/mushroom": (0.1, 0.25),
    "chess/chess": (0.6, 0.8),
    "bms/BMS-WebView-1": (0.0006, 0.001),
    "bms/BMS-WebView-2": (0.001, 0.002),
    "quest/T10I4D100K": (0.001, 0.005),
    "kosarak/kosarak_first36682": (0.002, 0.005),
}


def public_rows(name: str) -> list[list[int]]:
    path = DATA / f"{name}.dat.gz"
    if not path.exists():
        pytest.skip(f"{path.name} is not here; set CONFIDE_DATA")
    with gzip.open(path, "rt") as lines:
        return [[int(item) for item in line.split()] for line in lines]


@pytest.mark.parametrize("name", PUBLIC)
def test_public_databases_give_what_pyfim_gives(name):
    fim = pytest.importorskip("fim")
    rows = [list(dict.fromkeys(row)) for row in public_rows(name)]  # one record of kosarak names an item twice
    tx = Transactions.from_lists(rows)
    ubiquitous = {
        item for item, support in Counter(x for row in rows for x in set(row)).items() if support == len(rows)
    }
    few, many = PUBLIC[name]  # the many itemsets of a low support are Python objects on the other side
    for min_support, kinds in ((few, some(KINDS, every=3, first=1 + len(name) % 2)), (many, KINDS)):
        for kind in kinds:
            found = frequent_itemsets(tx, min_support=min_support, kind=kind)
            count = task.support_count(min_support, len(rows))
            theirs = fim.fpgrowth(rows, target=kind[0].replace("a", "s"), supp=-count, report="a")
            codes = {int(label): code for code, label in enumerate(tx.labels)}
            truth = Counter({tuple(sorted(codes[x] for x in itemset)): support for itemset, support in theirs})
            starts, items = found.offsets.tolist(), found.items.tolist()
            ours = Counter(
                {
                    tuple(items[a:b]): support
                    for a, b, support in zip(starts, starts[1:], found.supports.tolist(), strict=False)
                }
            )
            # pyfim leaves out an item that occurs in every row when it stands alone.
            for item in ubiquitous:
                ours.pop((codes[item],), None)
                truth.pop((codes[item],), None)
            assert ours == truth
            assert sum(count_itemsets(tx, min_support=min_support, kind=kind).values()) == len(found)


def test_mushroom_at_ten_percent_has_574431_itemsets():
    tx = Transactions.from_lists(public_rows("mushroom/mushroom"))
    assert sum(count_itemsets(tx, min_support=0.1).values()) == 574_431


def test_importing_the_package_does_not_import_numba():
    code = "import confide.mining.itemsets.frequent, sys; raise SystemExit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
