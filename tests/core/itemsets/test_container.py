import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide import Itemsets
from confide.core.errors import InputError, UsageError
from confide.core.itemsets.container import item_dtype, offset_dtype, support_dtype
from confide.core.itemsets.itemset_files import read_itemsets, write_itemsets

LABELS = ["a", "b", "c,d", 'q"', "7", "10"]


@st.composite
def found(draw):
    sets = draw(st.lists(st.frozensets(st.sampled_from(LABELS), min_size=1), unique=True, max_size=8))
    supports = draw(st.lists(st.integers(1, 9), min_size=len(sets), max_size=len(sets)))
    return dict(zip(sets, supports, strict=True))


def made(pairs):
    return Itemsets.from_pairs(pairs.items(), n_transactions=20)


@given(found())
def test_what_goes_in_comes_out(pairs):
    assert made(pairs).as_dict() == pairs
    assert all(made(pairs).support_of(itemset) == support for itemset, support in pairs.items())


def test_a_set_that_is_not_there_has_no_support():
    itemsets = made({frozenset("ab"): 3})
    assert itemsets.support_of("a") is None
    assert itemsets.support_of(["a", "z"]) is None
    assert itemsets.support_of(["b", "a"]) == 3


@given(found(), st.randoms())
def test_order_does_not_matter_for_equality_but_supports_do(pairs, random):
    keys = list(pairs)
    random.shuffle(keys)
    assert made({key: pairs[key] for key in keys}) == made(pairs)
    if pairs:
        assert made({**pairs, keys[0]: pairs[keys[0]] + 1}) != made(pairs)


@given(found(), st.integers(0, 9))
def test_top_is_sorting_by_hand(pairs, k):
    everything = made(pairs)
    rank = {label: i for i, label in enumerate(everything.labels)}
    by_hand = sorted(pairs.items(), key=lambda p: (-p[1], len(p[0]), sorted(rank[x] for x in p[0])))
    assert [(frozenset(items), support) for items, support in everything.top(k)] == by_hand[:k]


@given(found())
def test_levels_part_the_sets_by_length(pairs):
    parts = dict(made(pairs).levels())
    assert {n: part.as_dict() for n, part in parts.items()} == {
        n: {s: c for s, c in pairs.items() if len(s) == n} for n in sorted({len(s) for s in pairs})
    }


@pytest.mark.parametrize("name", ["i.parquet", "i.jsonl", "i.csv", "i.csv.gz", "i.jsonl.zst"])
@given(pairs=found())
def test_files_round_trip(tmp_path_factory, name, pairs):
    path = tmp_path_factory.mktemp("round") / name
    itemsets = made(pairs)
    write_itemsets(itemsets, path)
    again = read_itemsets(path)
    assert again.as_dict() == itemsets.as_dict()
    if pairs or name.endswith("parquet"):
        assert again.n_transactions == 20


def test_further_columns_travel(tmp_path):
    plain = made({frozenset("a"): 3, frozenset("ab"): 2})
    itemsets = Itemsets(**{**plain.__dict__, "columns": {"estimate": np.array([2.5, 1.75])}})
    for name in ("i.parquet", "i.jsonl", "i.csv"):
        write_itemsets(itemsets, tmp_path / name)
        assert read_itemsets(tmp_path / name).columns["estimate"].tolist() == [2.5, 1.75]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("i.csv", "items,support\na,3\n"),
        ("i.jsonl", '{"items": 3}\n'),
        ("i.jsonl", "7\n"),
        ("i.csv", 'items,"'),
        ("i.parquet", "x"),
    ],
)
def test_bad_files_are_refused(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError):
        read_itemsets(tmp_path / name)


def test_arrays_that_do_not_fit_are_refused():
    with pytest.raises(UsageError):
        Itemsets.from_arrays(np.array([0, 1]), np.array([0, 1]), np.array([1]), labels=("a",), n_transactions=1)


def dtypes(itemsets):
    return itemsets.offsets.dtype, itemsets.items.dtype, itemsets.supports.dtype


def test_types_grow_where_the_numbers_do():
    assert [offset_dtype(n) for n in (0, 2**31 - 1, 2**31)] == [np.int32, np.int32, np.int64]
    assert [item_dtype(n) for n in (0, 2**15 - 1, 2**15)] == [np.int16, np.int16, np.int32]
    assert [support_dtype(n) for n in (0, 2**31 - 1, 2**31)] == [np.int32, np.int32, np.int64]


def test_arrays_are_stored_narrow_and_taken_as_they_are_when_they_are_so():
    wide = np.array([0, 2]), np.array([0, 1]), np.array([7])
    stored = Itemsets.from_arrays(*wide, labels=("a", "b"), n_transactions=9)
    assert dtypes(stored) == (np.int32, np.int16, np.int32)
    again = Itemsets.from_arrays(stored.offsets, stored.items, stored.supports, labels=stored.labels, n_transactions=9)
    assert all(getattr(again, name) is getattr(stored, name) for name in ("offsets", "items", "supports"))
    for part in (stored.take(np.array([0, 0])), stored.sorted(), stored.top(1), made({frozenset("a"): 3})):
        assert dtypes(part) == (np.int32, np.int16, np.int32)


def test_many_labels_need_wider_codes():
    labels = tuple(str(k) for k in range(40_000))
    found = Itemsets.from_arrays(
        np.array([0, 1, 3]), np.array([39_999, 5, 39_998]), np.array([2, 1]), labels=labels, n_transactions=2
    )
    assert found.items.dtype == np.int32
    assert list(found) == [(("39999",), 2), (("5", "39998"), 1)]
    assert found.support_of([39_998, 5]) == 1


def test_numbers_too_large_for_the_type_they_should_need_are_kept():
    """More holders than records, or a code without a label, is a mistake; it must not turn into another number."""
    found = Itemsets.from_pairs([(["a"], 2**40), (["b"], 5)], n_transactions=9)
    assert found.as_dict() == {frozenset("a"): 2**40, frozenset("b"): 5}
    assert [support for _, support in found.top(2)] == [2**40, 5]
    stray = Itemsets.from_arrays(np.array([0, 1]), np.array([65_536]), np.array([1]), labels=("a",), n_transactions=1)
    with pytest.raises(IndexError):
        stray[0]


@pytest.mark.parametrize("largest", [2**31 - 1, 2**31])
def test_supports_at_the_edge_of_their_type_are_exact(largest):
    found = Itemsets.from_pairs([(["a"], largest), (["b"], 1), (["a", "b"], 1)], n_transactions=largest)
    assert found.supports.dtype == support_dtype(largest)
    assert list(found.top(2)) == [(("a",), largest), (("b",), 1)]
    assert found.to_arrow()["support"].to_pylist() == [largest, 1, 1]
    assert found == Itemsets.from_pairs([(["a", "b"], 1), (["a"], largest), (["b"], 1)], n_transactions=largest)


def test_supports_that_are_not_counts_are_refused():
    with pytest.raises(UsageError, match="integers"):
        Itemsets.from_arrays(np.array([0, 1]), np.array([0]), np.array([0.5]), labels=("a",), n_transactions=1)


def test_equal_sets_are_equal_in_any_type():
    narrow = made({frozenset("a"): 3, frozenset("ab"): 2})
    arrays = {name: getattr(narrow, name).astype(np.int64) for name in ("offsets", "items", "supports")}
    wide = Itemsets(**{**narrow.__dict__, **arrays})
    assert narrow == wide
    assert narrow.to_arrow().equals(wide.to_arrow())


def test_a_frame_has_the_same_columns_however_narrow_the_arrays_are():
    schema = made({frozenset("a"): 3}).to_arrow().schema
    assert str(schema.field("support").type) == "int64"
    assert "indices=int32" in str(schema.field("items").type)


def test_kernels_get_one_type_whatever_is_stored():
    offsets, items = made({frozenset("ab"): 2}).coded()
    assert (offsets.dtype, items.dtype) == (np.int64, np.int32)
    assert made({frozenset("ab"): 2}).lengths.dtype == np.int64


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_hold_the_same_rows(library):
    pytest.importorskip(library)
    itemsets = made({frozenset("a"): 3, frozenset("ab"): 2})
    frame = itemsets.to_pandas() if library == "pandas" else itemsets.to_polars()
    assert [frozenset(items) for items in frame["items"]] == [frozenset("a"), frozenset("ab")]
    assert list(frame["support"]) == [3, 2]


def test_ten_million_sets_take_their_arrays_and_little_more():
    n = 10_000_000
    offsets = np.arange(0, 2 * n + 1, 2)
    items = np.tile(np.array([0, 1], dtype=np.int32), n)
    many = Itemsets.from_arrays(offsets, items, np.arange(n), labels=("a", "b"), n_transactions=n)
    assert many.offsets.nbytes + many.items.nbytes + many.supports.nbytes == 12 * n + 4
    assert many[n - 1] == (("a", "b"), n - 1)
    assert [support for _, support in many.top(3)] == [n - 1, n - 2, n - 3]
