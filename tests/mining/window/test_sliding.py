"""The sliding window against mining it anew: exact after every record, bounded, and the same after a restart."""

import gzip
import json
import os
import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import window as oracles

from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.transactions.container import Transactions
from confide.mining.window.sliding import SlidingWindow

DATA = Path(os.environ.get("CONFIDE_DATA", Path(__file__).parents[4] / "shared" / "data"))


@st.composite
def streams(draw):
    """(size, min_support, records): few labels, so that records repeat and share; sometimes the labels move on."""
    size = draw(st.integers(1, 9))
    min_support = draw(st.one_of(st.integers(1, size), st.floats(0.01, 1.0)))
    labels = draw(st.integers(1, 8))
    drift = draw(st.integers(0, 2))
    rows = draw(st.lists(st.sets(st.integers(0, labels - 1)), max_size=30))
    return size, min_support, [[label + drift * i // 4 for label in row] for i, row in enumerate(rows)]


def learned(size, min_support, records):
    window = SlidingWindow(size=size, min_support=min_support)
    window.learn_many(records)
    return window


def random_stream(seed, *, length, labels, density):
    draw = random.Random(seed)
    return [[f"i{k}" for k in range(labels) if draw.random() < density] for _ in range(length)]


# -- exactness ------------------------------------------------------------------------------------------------------


@given(streams())
@settings(max_examples=300, deadline=None)
def test_closed_sets_are_those_of_the_last_records_after_every_record(stream):
    size, min_support, records = stream
    window = SlidingWindow(size=size, min_support=min_support)
    for i, record in enumerate(records, start=1):
        window.learn_one(record)
        contents = oracles.as_records(records[max(0, i - size) : i])
        closed = window.closed()
        assert closed.as_dict() == oracles.closed_itemsets(contents, window.min_count)
        assert closed.n_transactions == len(window) == len(contents)


@given(streams())
@settings(max_examples=150, deadline=None)
def test_frequent_sets_are_all_those_in_enough_records(stream):
    size, min_support, records = stream
    window = learned(size, min_support, records)
    contents = oracles.as_records(records[-size:])
    assert window.frequent().as_dict() == oracles.frequent_itemsets(contents, window.min_count)


@given(streams())
@settings(max_examples=150, deadline=None)
def test_one_by_one_equals_batch_in_lists_and_in_transactions(stream):
    size, min_support, records = stream
    single = SlidingWindow(size=size, min_support=min_support)
    for record in records:
        single.learn_one(record)
    for batch in (records, iter(records), Transactions.from_lists(records)):
        window = learned(size, min_support, batch)
        assert list(window.closed()) == list(single.closed())
        assert window.transactions() == single.transactions() == Transactions.from_lists(records[-size:])


@pytest.mark.parametrize("seed", range(6))
def test_windows_of_several_words_of_bits_stay_exact_while_arrays_grow(seed):
    size = (64, 65, 127, 128, 129, 200)[seed]
    records = random_stream(seed, length=3 * size, labels=14, density=0.45)
    window = SlidingWindow(size=size, min_support=2 + 5 * seed)
    for i, record in enumerate(records, start=1):
        window.learn_one(record)
        if i % 40 == 0:
            contents = oracles.as_records(records[max(0, i - size) : i])
            assert window.closed().as_dict() == oracles.closed_itemsets(contents, 2 + 5 * seed)


def test_a_record_longer_than_any_word_of_bits_is_held_like_another():
    records = [range(200), range(100, 300), range(150), range(200)]
    window = learned(4, 2, records)
    assert window.closed().as_dict() == oracles.closed_itemsets(oracles.as_records(records), 2)


def test_sets_whose_hashes_all_collide_are_still_kept_apart():
    from confide.mining.window._layout import KEY

    records = random_stream(1, length=120, labels=9, density=0.5)
    window = SlidingWindow(size=40, min_support=2)
    window.closed()  # makes the arrays
    window._state.item[:, KEY] = 0
    for i, record in enumerate(records, start=1):
        window.learn_one(record)
        assert window.closed().as_dict() == oracles.closed_itemsets(oracles.as_records(records[max(0, i - 40) : i]), 2)


def read_rows(name):
    path = DATA / name
    if not path.exists():
        pytest.skip(f"no {name} in the data folder")
    with gzip.open(path, "rt") as file:
        return [[int(item) for item in line.split()] for line in file]


@pytest.mark.parametrize(
    ("name", "size", "min_support", "steps"),
    [
        ("bms/BMS-WebView-1.dat.gz", 2000, 25, 5000),
        ("bms/BMS-WebView-1.dat.gz", 5000, 25, 3000),
        ("quest/T10I4D100K.dat.gz", 2000, 25, 5000),
        ("quest/T40I10D100K_first10000.dat.gz", 2000, 25, 500),
        ("mushroom/mushroom.dat.gz", 2000, 500, 3000),
    ],
)
def test_every_hundredth_step_on_real_data_agrees_with_pyfim(name, size, min_support, steps):
    fim = pytest.importorskip("fim")
    rows = read_rows(name)[: size + steps]
    everywhere = size  # pyfim leaves out, from every set, an item that all records hold
    window = learned(size, min_support, rows[:size])
    for i in range(size, len(rows), 100):
        window.learn_many(rows[i : i + 100])
        contents = rows[i + 100 - size : i + 100]
        closed = window.closed().as_dict()
        common = frozenset().union(*(x for x, support in closed.items() if support == everywhere))
        expected = {
            frozenset(map(str, x)) | common: support for x, support in fim.fpgrowth(contents, "c", -min_support)
        }
        if common:
            expected[common] = everywhere
        assert closed == expected


# -- what it promises besides ---------------------------------------------------------------------------------------


@given(streams(), st.data())
@settings(max_examples=100, deadline=None)
def test_a_saved_window_has_the_same_future(stream, data):
    size, min_support, records = stream
    cut = data.draw(st.integers(0, len(records)))
    window = learned(size, min_support, records[:cut])
    restored = SlidingWindow.from_bytes(window.to_bytes())
    assert repr(restored) == repr(window)
    for record in records[cut:]:
        window.learn_one(record)
        restored.learn_one(record)
        assert list(restored.closed()) == list(window.closed())
    assert restored.transactions() == window.transactions()


def test_ever_new_labels_do_not_grow_memory():
    window = SlidingWindow(size=50, min_support=2)
    sizes = []
    for block in range(40):
        window.learn_many([[f"{block}-{i // 2}-{k}" for k in range(6)] for i in range(500)])
        window.learn_many(Transactions.from_lists([[f"t{block}-{i // 2}-{k}" for k in range(6)] for i in range(500)]))
        for i in range(20):
            window.learn_one([f"one-{block}-{i // 2}", "always"])
        state = window._state
        sizes.append((state.nbytes, len(state.label_of)))
        assert len(state.slot_of) <= 50 * 6
    assert sizes[-1] == sizes[2]
    assert len(window.closed()) == 10 + 1 + 15  # pairs of the last 20, "always", pairs among the 30 before


def test_bits_are_kept_for_common_items_only():
    window = SlidingWindow(size=1000, min_support=20)
    window.learn_many([[f"rare-{i}", f"rare-{i + 1}", i % 10] for i in range(5000)])
    assert len(window._state.bitmap) <= 32
    assert len(window._state.label_of) <= 2 * 1011


def test_codes_follow_label_order_and_sets_canonical_order():
    window = learned(9, 1, [["b", 10, 7], ["a", "b"], [10, "a"]])
    closed = window.closed()
    assert closed.labels == ("7", "10", "a", "b")
    assert list(closed) == [
        (("10",), 2),
        (("a",), 2),
        (("b",), 2),
        (("10", "a"), 1),
        (("a", "b"), 1),
        (("7", "10", "b"), 1),
    ]
    assert all(np.all(np.diff(x.items[x.offsets[i] : x.offsets[i + 1]]) > 0) for x in (closed,) for i in range(len(x)))


def test_an_empty_window_has_no_itemsets_and_no_records():
    window = SlidingWindow(size=5, min_support=0.5)
    assert (len(window), len(window.closed()), len(window.frequent()), len(window.transactions())) == (
        0,
        0,
        0,
        0,
    )
    window.learn_many([])
    window.learn_many([[], []])
    assert (len(window), len(window.closed()), list(window.transactions())) == (2, 0, [[], []])


def test_a_fraction_is_of_the_size_also_while_the_window_fills():
    window = SlidingWindow(size=10, min_support=0.25)
    assert window.min_count == 3
    window.learn_many([["a"], ["a"]])
    assert len(window.closed()) == 0
    window.learn_one(["a"])
    assert list(window.closed()) == [(("a",), 3)]


def test_the_input_is_left_as_it_was():
    tx = Transactions.from_lists([["a", "b"], ["b"], ["a", "c"]])
    before = (tx.indptr.copy(), tx.indices.copy())
    learned(2, 1, tx)
    assert np.array_equal(tx.indptr, before[0])
    assert np.array_equal(tx.indices, before[1])


def test_read_only_arrays_are_learned_without_compiling_anew():
    from confide.mining.window import _window_kernels

    tx = Transactions.from_lists([["a", "b"], ["b"], ["a", "c"]])
    tx.indptr.flags.writeable = tx.indices.flags.writeable = False
    assert learned(2, 1, tx).transactions() == Transactions.from_lists([["b"], ["a", "c"]])
    assert len(_window_kernels.learn.signatures) == 1


def test_a_few_records_with_many_unused_labels_are_learned():
    tx = Transactions.from_lists([[k] for k in range(500)])
    window = learned(10, 1, tx)
    window.learn_many(tx.take(np.array([3, 499, 7])))
    assert list(window.transactions())[-4:] == [["499"], ["3"], ["499"], ["7"]]
    assert len(window._state.slot_of) == 9


def test_a_result_does_not_change_when_the_window_moves_on():
    window = learned(3, 1, [["a"], ["a", "b"]])
    closed = window.closed()
    before = list(closed)
    window.learn_many([["b"], ["c"], ["c"], ["d"]])
    assert list(closed) == before


def test_repr_round_trips_and_shows_the_parameters():
    window = learned(7, 0.5, [["a"]])
    assert repr(window) == "SlidingWindow(size=7, min_support=0.5)"
    assert repr(eval(repr(window))) == repr(window)


# -- refusals -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "min_support"),
    [
        (0, 1),
        (-3, 1),
        (2.5, 1),
        (True, 1),
        ("9", 1),
        (10**12, 1),
        (5, 0),
        (5, 6),
        (5, 0.0),
        (5, 1.5),
        (5, "2"),
        (5, True),
    ],
)
def test_senseless_parameters_are_refused(size, min_support):
    with pytest.raises(RequirementError):
        SlidingWindow(size=size, min_support=min_support)


@pytest.mark.parametrize("record", ["text", b"bytes", 7, None, [1.5], [""], [None], [True], [["nested"]]])
def test_a_bad_record_is_refused_and_changes_nothing(record):
    window = learned(3, 1, [["a"], ["b"]])
    before = list(window.closed())
    with pytest.raises(InputError):
        window.learn_one(record)
    assert (len(window), list(window.closed())) == (2, before)


def test_a_bad_record_in_a_batch_is_named_and_those_before_it_are_learned():
    window = SlidingWindow(size=9, min_support=1)
    with pytest.raises(InputError, match="records, line 3"):
        window.learn_many([["a"], ["b"], [1.5], ["c"]])
    assert list(window.transactions()) == [["a"], ["b"]]


def test_a_window_broken_off_inside_a_record_refuses_to_answer(monkeypatch):
    window = learned(50, 1, [["a"], ["b"]])

    def no_memory(need):
        raise MemoryError

    monkeypatch.setattr(window._state, "_grow", no_memory)
    with pytest.raises(MemoryError):
        window.learn_one(range(1000))
    for question in (window.closed, window.transactions, lambda: window.learn_one(["c"])):
        with pytest.raises(UsageError, match="last save"):
            question()


# -- files ----------------------------------------------------------------------------------------------------------


def test_a_file_is_written_whole_and_only_replaced_when_asked(tmp_path):
    path = tmp_path / "window.arrow"
    window = learned(4, 2, [["a", "b"], ["b", "ü"], [], ["b", "a"], ["b"]])
    window.save(path)
    with pytest.raises(UsageError):
        window.save(path)
    window.save(path, replace=True)
    loaded = SlidingWindow.load(path)
    assert (loaded.size, loaded.min_support, len(loaded)) == (4, 2, 4)
    assert loaded.closed() == window.closed()
    assert [p.name for p in tmp_path.iterdir()] == ["window.arrow"]


def test_a_missing_file_is_bad_input(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        SlidingWindow.load(tmp_path / "absent")


def forged(*, head=None, labels=("a", "b"), codes=(0, 1, 0), offsets=(0, 2, 3), column="items"):
    import pyarrow as pa

    names = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(labels, pa.large_string()), safe=False)
    items = pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), names)
    field = pa.field(column, items.type, nullable=False)
    known = {"kind": "sliding-window", "version": 1, "size": 5, "min_support": 2}
    metadata = {"confide": json.dumps({**known, **(head or {})})} if head != "none" else None
    schema = pa.schema([field], metadata=metadata)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, schema) as writer:
        writer.write_batch(pa.record_batch([items], schema=schema))
    return bytes(sink.getvalue())


def test_a_forged_file_that_is_sound_is_read():
    assert list(SlidingWindow.from_bytes(forged()).transactions()) == [["a", "b"], ["a"]]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a whole Arrow"),
        (b"ARROW1 and then nothing", "not a whole Arrow"),
        (forged()[:-40], "not a whole Arrow"),
        (forged(codes=(0, 9, 0)), "not a whole Arrow"),
        (forged(head="none"), "no parameters"),
        (forged(head={"kind": "passport"}), "is a passport"),
        (forged(head={"version": 2}), "version 2"),
        (forged(head={"size": "5"}), "not a number"),
        (forged(head={"size": True}), "not a number"),
        (forged(head={"size": 1}), "holds 2 records"),
        (forged(head={"min_support": 0}), "min_support=0"),
        (forged(head={"min_support": float("nan")}), "min_support"),
        (forged(column="records"), "column"),
        (forged(labels=("a", "a")), "twice"),
        (forged(labels=("a", "")), "missing"),
        (forged(labels=("a", None)), "missing"),
        (forged(codes=(0, None, 0)), "missing"),
    ],
)
def test_a_bad_file_is_refused_with_the_reason(data, message):
    with pytest.raises(InputError, match=message):
        SlidingWindow.from_bytes(data)


@given(st.integers(0, 10_000), st.integers(0, 255))
@settings(max_examples=200, deadline=None)
def test_a_file_with_a_flipped_byte_is_refused_or_gives_a_sound_window(place, value):
    data = bytearray(learned(6, 2, [["a", "b"], ["b", "c"], ["a", "b"]]).to_bytes())
    data[place % len(data)] = value
    try:
        window = SlidingWindow.from_bytes(bytes(data))
    except InputError:
        return
    contents = oracles.as_records(window.transactions())
    assert window.closed().as_dict() == oracles.closed_itemsets(contents, window.min_count)


@pytest.mark.parametrize("codec", ["zstd", "lz4"])
def test_a_compressed_file_is_refused_before_it_is_decoded(codec):
    window = SlidingWindow(size=3, min_support=1)
    window.learn_many([["a", "b"], ["a"]])
    with pa.ipc.open_file(window.to_bytes()) as reader:
        schema, batch = reader.schema, reader.get_batch(0)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as writer:
        writer.write_batch(batch)
    with pytest.raises(InputError, match="compressed, which we never write"):
        SlidingWindow.from_bytes(bytes(sink.getvalue()))
