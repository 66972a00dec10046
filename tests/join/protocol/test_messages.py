"""Messages: what fits comes back the same; what does not fit is refused, whatever it is."""

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.join.schemas import by_child

from confide.core.errors import InputError, UnreachableError
from confide.join.protocol import messages
from confide.join.protocol.messages import Message, narrow
from confide.join.protocol.summary_messages import class_counts, read_class_counts, read_split_counts, split_counts
from confide.join.protocol.verbs import ANSWERS, KINDS, VERBS
from confide.join.tree.entries import SplitSummary

RUN = "0123456789abcdef" * 2


def test_every_verb_has_a_kind_on_the_list_and_every_answer_is_a_verb():
    assert {verb.kind for verb in VERBS.values()} <= set(KINDS)
    assert set(ANSWERS) | set(ANSWERS.values()) <= set(VERBS)
    assert all(kind.allowed_by for kind in KINDS.values())


@given(st.lists(st.tuples(st.integers(0, 2**31 - 1), st.integers(-(2**62), 2**62))))
def test_a_message_comes_back_as_it_was(rows):
    columns = {
        "node": np.array([node for node, _ in rows], dtype=np.int32),
        "score": np.array([score for _, score in rows], dtype=np.int64),
    }
    sent = Message("scores", {"run": RUN, "level": 3}, columns)
    got, size = Message.from_bytes(sent.to_bytes())
    assert (got.verb, got.header, got.kind, got.entries) == ("scores", sent.header, "scores", len(rows))
    assert all(np.array_equal(got.columns[name], columns[name]) for name in columns)
    assert size >= 12 * len(rows)


def test_a_large_message_comes_in_pieces_and_is_whole_again():
    numbers = np.arange(3_000_000, dtype=np.int32)
    sent = Message("children", {"run": RUN, "level": 0}, {"node": numbers, "children": numbers})
    schema, batches = sent.pieces()
    assert len(batches) > 3
    with pytest.raises(InputError, match="more than 16,777,216 bytes"):
        Message.read(schema, batches)  # children are few: this many are refused
    got, _ = Message.read(*Message("branches", {"run": RUN, "by": "id"}, {"child": numbers}).pieces())
    assert np.array_equal(got.columns["child"], numbers)


def batch(metadata, columns):
    schema = pa.schema([pa.field(name, array.type) for name, array in columns.items()], metadata=metadata)
    return schema, [pa.record_batch(list(columns.values()), schema=schema)]


GOOD = {"verb": "won", "header": f'{{"run":"{RUN}","level":0,"replay":false}}'}
NODE = {"node": pa.array([1, 2], pa.int32())}


@pytest.mark.parametrize(
    ("metadata", "columns", "message"),
    [
        (None, NODE, "without verb and header"),
        ({**GOOD, "more": "x"}, NODE, "without verb and header"),
        ({**GOOD, "verb": "gossip"}, NODE, "unknown verb"),
        ({**GOOD, "header": "{"}, NODE, "header does not fit"),
        ({**GOOD, "header": '{"run":"x","level":0,"replay":false}'}, NODE, "run"),
        ({**GOOD, "header": GOOD["header"].replace("0,", "-1,")}, NODE, "level"),
        ({**GOOD, "header": GOOD["header"].replace("}", ',"name":"Ada"}')}, NODE, "name"),
        ({**GOOD, "header": "x" * (messages.LARGEST_HEADER + 1)}, NODE, "header above"),
        (GOOD, {}, "columns of its own"),
        (GOOD, {**NODE, "name": pa.array(["Ada", "Bob"])}, "columns of its own"),
        (GOOD, {"node": pa.array([1.0, 2.0])}, "another type"),
        (GOOD, {"node": pa.array([1, None], pa.int32())}, "nulls"),
    ],
)
def test_what_does_not_fit_the_schema_is_refused(metadata, columns, message):
    assert Message.read(*batch(GOOD, NODE))[0].verb == "won"
    with pytest.raises(InputError, match=message):
        Message.read(*batch(metadata, columns))


@given(st.binary(max_size=300))
def test_garbage_is_refused_in_one_line(data):
    with pytest.raises(InputError) as error:
        Message.from_bytes(data)
    assert "\n" not in str(error.value)


@given(st.data())
def test_a_message_with_a_changed_byte_is_refused_or_still_a_message(data):
    whole = bytearray(
        Message(
            "scores", {"run": RUN, "level": 1}, {"node": np.arange(4, dtype=np.int32), "score": np.arange(4)}
        ).to_bytes()
    )
    whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        got, _ = Message.from_bytes(bytes(whole))
    except InputError:
        return
    assert got.verb in VERBS


@pytest.mark.parametrize("most", [1, 255, 256, 65_535, 65_536, 2**32 - 1, 2**32, 2**61])
def test_counts_travel_in_the_narrowest_integers_and_arrive_whole(most):
    counts = np.array([[0, most], [most // 2, 1]], dtype=np.int64)
    sent = class_counts(counts, run=RUN, step=0, certain_classes=1.0)
    assert narrow(np.array([most])).dtype.itemsize == min(size for size in (1, 2, 4, 8) if most < 256**size)
    got, _ = Message.from_bytes(sent.to_bytes())
    assert np.array_equal(read_class_counts(got, shared=2, classes=2, sender="T1"), counts)
    with pytest.raises(UnreachableError, match="T1 sent a class summary"):
        read_class_counts(got, shared=3, classes=2, sender="T1")


def summary(rng, shared):
    lengths = rng.integers(0, 5, 6)
    keys = np.concatenate([np.sort(rng.choice(shared, n, replace=False)) for n in lengths]).astype(np.int32)
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    counts = rng.integers(0, rng.choice([9, 300, 10**12]), (len(keys), 3))
    two = np.array([3, 1, 2])
    return SplitSummary(np.array([4, 7, 9]), two, np.array([10, 11, 12, 15, 20, 21]), start, keys, counts)


@pytest.mark.parametrize("seed", range(20))
def test_a_split_summary_arrives_as_it_left(seed):
    rng = np.random.default_rng(seed)
    shared = int(rng.choice([8, 70_000]))
    sent = summary(rng, shared)
    message, _ = Message.from_bytes(split_counts(sent, run=RUN, level=2, shared=shared).to_bytes())
    assert message.entries == len(sent.keys)
    got = read_split_counts(message, shared=shared, classes=3, sender="T1")
    assert by_child(got) == by_child(sent)
    assert np.array_equal(got.parents, sent.parents)
    assert np.array_equal(got.n_children, sent.n_children)
    for wrong in ({"shared": 1, "classes": 3}, {"shared": shared, "classes": 2}):
        if len(sent.keys) and (sent.keys.max() > 0 or wrong["classes"] == 2):
            with pytest.raises(UnreachableError, match="T1 sent a split summary"):
                read_split_counts(message, **wrong, sender="T1")


# -- what would unpack to more than it weighs -------------------------------------------------------------------------


def stream(table, *, verb="compare", header=None, compression=None):
    """A message's bytes as somebody else might write them."""
    head = {"run": RUN, "level": 0, "records": 1} if header is None else header
    schema = table.schema.with_metadata({"verb": verb, "header": json.dumps(head)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        for batch in table.to_batches():
            writer.write_batch(batch.replace_schema_metadata(schema.metadata))
    return sink.getvalue().to_pybytes()


def test_compressed_batches_are_refused_before_they_are_unpacked():
    table = pa.table({"node": np.zeros(1 << 20, dtype=np.int32)})
    assert Message.from_bytes(stream(table.slice(0, 3)))[0].entries == 3
    for codec in ("zstd", "lz4"):
        data = stream(table, compression=codec)
        assert len(data) < 1 << 17
        with pytest.raises(InputError, match="a compressed message is refused"):
            Message.from_bytes(data)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([0] * 9, pa.int32()).dictionary_encode(),
        pa.nulls(9),
        pa.RunEndEncodedArray.from_arrays(pa.array([1 << 30], pa.int32()), pa.array([0], pa.int32())),
        pa.array([b""] * 9, pa.binary(0)),
        pa.array([[]] * 9, pa.list_(pa.int32(), 0)),
    ],
)
def test_types_that_unpack_to_more_than_they_weigh_are_refused(column):
    with pytest.raises(InputError, match="of another type is refused"):
        Message.from_bytes(stream(pa.table({"node": column})))


def test_lengths_beyond_their_buffers_are_refused():
    good = stream(pa.table({"node": pa.array([7, 8, 9], pa.int32())}))
    broken = good.replace((3).to_bytes(8, "little"), (1 << 40).to_bytes(8, "little"))
    assert broken != good
    with pytest.raises(InputError):
        Message.from_bytes(broken)


def test_a_message_in_many_small_pieces_is_refused():
    table = pa.Table.from_batches([pa.record_batch({"node": pa.array([1], pa.int32())})] * 100)
    with pytest.raises(InputError, match="in more than 5 pieces"):
        Message.from_bytes(stream(table))
