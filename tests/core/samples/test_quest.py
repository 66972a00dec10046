"""The Quest generator: its names, its kernel against plain Python, its likeness to the published file."""

import hashlib
import importlib
import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from confide.core.errors import RequirementError
from confide.core.samples import QuestName, quest
from confide.core.samples import _quest_kernels as kernels
from confide.core.samples._draws import Draws
from confide.mining import count_itemsets

PUBLISHED = Path(__file__).parents[4] / "shared" / "data" / "quest" / "T10I4D100K.dat.gz"


def fingerprint(tx):
    lines = "".join(" ".join(row) + "\n" for row in tx)
    return hashlib.sha256(lines.encode()).hexdigest()


def fill(sizes, patterns, bounds, corruption, draws):
    """The slow twin of the kernel: the paper's words with lists and sets."""
    transactions, moved = [], []
    for size in sizes:
        transaction, misses = set(), 0
        while len(transaction) < size and misses < kernels.PATIENCE:
            hand, moved = moved, []
            if not hand:
                j = int(np.searchsorted(bounds, draws.uniform() * bounds[-1], side="right"))
                hand = list(patterns[j])
                while hand and draws.uniform() < corruption[j]:
                    gap, last = int(draws.uniform() * len(hand)), hand.pop()
                    hand[gap : gap + 1] = [last] * (gap < len(hand))
            fits = len(transaction | set(hand)) <= size
            if transaction and not fits and draws.uniform() < 0.5:
                moved = hand
                break
            misses = misses + 1 if transaction.issuperset(hand) else 0
            transaction.update(hand)
        transactions.append(sorted(transaction))
    return transactions


# -- names ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("T10I4D100K", (10, 4, 100_000, None, None)),
        ("T10I4D1M", (10, 4, 1_000_000, None, None)),
        ("t5i2.5d1.5kn0.2kl10", (5, 2.5, 1500, 200, 10)),
        (" T40I10D100KN942 ", (40, 10, 100_000, 942, None)),
        ("T10I4D1KL5", (10, 4, 1000, None, 5)),
    ],
)
def test_a_name_is_read(name, expected):
    asked = QuestName.parse(name)
    found = (asked.transaction_size, asked.pattern_size, asked.transactions, asked.items, asked.patterns)
    assert found == expected


@pytest.mark.parametrize(
    "name", ["", "T10", "T10I4", "I4T10D1K", "T10I4D1G", "T-1I4D1K", "T10I4D1Kx", "T1e1I4D1K", "T\u0661I4D1K"]
)
def test_a_bad_name_is_refused_with_an_example(name):
    with pytest.raises(RequirementError, match="T10I4D100KN1K"):
        quest(name)


@pytest.mark.parametrize(
    ("name", "options", "reason"),
    [
        ("T10I4D0", {}, "D0 is below 1"),
        ("T0I4D1K", {}, "T0 is below 1"),
        ("T10I0.5D1K", {}, "I0.5 is below 1"),
        ("T10I4D0.5", {}, "not a whole number"),
        ("T10I4D1KN0", {}, "items=0"),
        ("T10I4D1K", {"patterns": 0}, "patterns=0"),
        ("T10I4D1KN50", {"items": 60}, "say it once"),
        ("T10I4D1KN9", {}, "must not pass the number of items"),
        ("T10I4D999999M", {}, "fewer transactions"),
        ("T10I4D1K", {"correlation": -1}, "correlation=-1"),
        ("T10I4D1K", {"corruption": 1}, "corruption=1"),
        ("T10I4D1K", {"corruption_variance": float("nan")}, "corruption_variance=nan"),
        ("T10I4D1K", {"seed": "x"}, "seed must be a whole number"),
    ],
)
def test_options_that_make_no_sense_are_refused(name, options, reason):
    with pytest.raises(RequirementError, match=reason):
        quest(name, **options)


def test_items_and_patterns_mean_the_same_in_the_name_and_as_options():
    assert quest("T5I2D200N50L30") == quest("T5I2D200", items=50, patterns=30)


# -- the same everywhere -------------------------------------------------------------------------------------


def test_the_result_is_the_same_on_every_machine():
    assert (
        fingerprint(quest("T5I2D500", items=100, patterns=50, seed=7))
        == "15ba40593ef035c8528cf7bc4340d973aa9471b057957c3be3868f181f372ce0"
    )


def test_same_seed_same_result_and_another_seed_another():
    assert quest("T5I2D500", seed=3) == quest("T5I2D500", seed=3)
    assert quest("T5I2D500", seed=3) != quest("T5I2D500", seed=4)


def test_more_transactions_go_on_where_fewer_stop(monkeypatch):
    whole = quest("T8I3D1000", seed=2)
    module = importlib.import_module("confide.core.samples.quest")  # the package's own `quest` is the function
    monkeypatch.setattr(module, "_CHUNK", 64)
    assert quest("T8I3D1000", seed=2) == whole
    assert list(quest("T8I3D300", seed=2)) == list(whole)[:300]


# -- what it generates ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_the_kernel_fills_as_plain_python_does(seed):
    random = np.random.default_rng(seed)
    n_items = int(random.integers(1, 30))
    patterns = [
        random.permutation(n_items)[: random.integers(1, n_items + 1)].tolist() for _ in range(random.integers(1, 8))
    ]
    bounds = np.cumsum(random.exponential(size=len(patterns)))
    corruption = random.normal(0.5, 0.5, size=len(patterns))
    sizes = random.integers(1, 12, size=50)
    twin = Draws(seed, "twin")
    state = np.array([twin._state], dtype=np.uint64)
    longest = max(map(len, patterns))
    indptr, indices = np.zeros(51, dtype=np.int64), np.empty(50 * (12 + longest), dtype=np.int32)
    kernels.fill(
        sizes,
        kernels.Patterns(
            np.cumsum([0, *map(len, patterns)]),
            np.array([item for pattern in patterns for item in pattern], dtype=np.int32),
            bounds,
            corruption,
        ),
        np.full(n_items, -1, dtype=np.int64),
        np.empty(longest, dtype=np.int32),
        np.zeros(1, dtype=np.int64),
        state,
        indptr,
        indices,
    )
    filled = [indices[a:b].tolist() for a, b in itertools.pairwise(indptr)]
    assert filled == fill(sizes.tolist(), patterns, bounds, corruption, twin)


def test_no_transaction_is_empty_and_rows_are_ascending():
    tx = quest("T3I2D2000", items=60, seed=5)
    assert tx.lengths.min() >= 1
    for a, b in itertools.pairwise(tx.indptr):
        assert np.all(np.diff(tx.indices[a:b]) > 0)


def test_a_larger_corruption_leaves_fewer_pairs_together():
    def best_pair(corruption):
        tx = quest("T6I4D3000", items=200, patterns=100, corruption=corruption, corruption_variance=0, seed=1)
        return Counter(pair for row in tx for pair in itertools.combinations(row, 2)).most_common(1)[0][1]

    assert best_pair(0.0) > best_pair(0.5) > best_pair(0.9)


@pytest.mark.parametrize("name", ["T1I1D1N1L1", "T10I4D50N10L1", "T20I10D50N20", "T300I50D20"])
def test_odd_shapes_come_to_an_end(name):
    assert len(quest(name, seed=1)) == QuestName.parse(name).transactions


def test_lengths_and_items_are_like_those_of_the_published_file():
    # Figures of the published T10I4D100K; a seed's own patterns move the items by some 3 %.
    tx = quest("T10I4D100K", correlation=0.25, corruption_variance=0.01, seed=1)
    assert abs(tx.lengths.mean() - 10.10) < 0.1
    assert abs(tx.lengths.std() - 3.667) < 0.1
    assert abs(tx.n_items - 870) < 45


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published T10I4D100K is not on this machine")
def test_pairs_are_about_as_frequent_as_in_the_published_file():
    published, ours = (
        count_itemsets(records, min_support=100, max_length=2)[2]
        for records in (PUBLISHED, quest("T10I4D100K", correlation=0.25, corruption_variance=0.01, seed=1))
    )
    assert 0.8 < ours / published < 1.25


def test_baskets_in_files_are_the_same_baskets(tmp_path):
    from confide.core.datasets.stored_transactions import StoredTransactions
    from confide.core.samples.quest import write_quest

    assert write_quest("T5I2D1K", tmp_path / "parts", part_records=300, seed=7) == 1000
    stored = StoredTransactions.open(tmp_path / "parts")
    assert len(stored.parts.files) == 4
    assert stored.to_transactions() == quest("T5I2D1K", seed=7)
