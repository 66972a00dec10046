"""One table's engine: the worked example of the thesis, exactness, and summaries that cannot be true."""

import numpy as np
import pytest
from tests.join.schemas import by_child

from confide.core.errors import InputError, UsageError
from confide.join.graph.summary_order import level_order, propagation
from confide.join.tree.column_codes import CodedColumn, rank
from confide.join.tree.entries import SplitSummary
from confide.join.tree.split_scores import winners
from confide.join.tree.table_engine import TableEngine
from confide.mining.trees.splits import grid


def codes(*values):
    return np.array(values, dtype=np.int32)


def categories(name, *values):
    known = sorted(set(values))
    return CodedColumn(
        name=name, kind="categorical", codes=codes(*(known.index(v) for v in values)), values=tuple(known)
    )


def numbers(name, *values):
    distinct, coded = rank(np.array(values, dtype=np.float64))
    return CodedColumn(name=name, kind="numeric", codes=coded, numbers=distinct)


def worked_example():
    """Thesis, Figures 2 and 4: T1 - T2 on J1 (a, b shared), T1 - T3 on J2 (x, y). T2's R22 has c, which dangles."""
    t1 = TableEngine(
        [categories("J1", *"abbb"), categories("J2", *"xxyy")],
        keys={"T2": codes(0, 1, 1, 1), "T3": codes(0, 0, 1, 1)},
        shared={"T2": 2, "T3": 2},
        classes=codes(0, 1, 0, 1),
        n_classes=2,
    )
    t2 = TableEngine(
        [categories("J1", *"acba"), numbers("Age", 3, 5, 8, 12)],
        keys={"T1": codes(0, -1, 1, 0)},
        shared={"T1": 2},
        n_classes=2,
    )
    t3 = TableEngine([categories("J2", *"xyx")], keys={"T1": codes(0, 1, 0)}, shared={"T1": 2}, n_classes=2)
    return {"T1": t1, "T2": t2, "T3": t3}


NEIGHBOURS = {"T1": ["T2", "T3"], "T2": ["T1"], "T3": ["T1"]}


def propagated():
    engines = worked_example()
    sent = []
    for sender, receiver in propagation(NEIGHBOURS, "T1"):
        summary = engines[sender].class_summary(receiver)
        sent.append((sender, receiver, summary.tolist()))
        engines[receiver].receive_class(sender, summary)
    for engine in engines.values():
        engine.open()
    return engines, sent


def test_class_propagation_is_that_of_examples_2_and_3():
    _, sent = propagated()
    assert sent[:3] == [
        ("T1", "T2", [[1, 0], [1, 2]]),
        ("T2", "T1", [[2, 0], [1, 2]]),
        ("T1", "T3", [[2, 1], [1, 1]]),
    ]


def test_after_phase_2_every_table_models_the_join():  # Figure 6
    engines, _ = propagated()
    found = {
        name: dict(zip(engine.records(0)[0].tolist(), engine.records(0)[1].tolist(), strict=True))
        for name, engine in engines.items()
    }
    assert found == {
        "T1": {0: [4, 0], 1: [0, 2], 2: [1, 0], 3: [0, 1]},
        "T2": {0: [2, 0], 2: [1, 3], 3: [2, 0]},
        "T3": {0: [2, 1], 1: [1, 1], 2: [2, 1]},
    }
    assert [engine.totals().tolist() for engine in engines.values()] == [[5, 3]] * 3


def test_split_propagation_is_that_of_example_4():
    engines, _ = propagated()
    node, first, two = np.array([0]), np.array([1]), np.array([2])
    age = engines["T2"].columns[1]
    left_or_right = (age.numbers > 10).astype(np.int32)  # {R21, R23} | {R24}
    engines["T2"].split_by(node, [(1, left_or_right)], first, two)
    to_t1 = engines["T2"].split_summary("T1", node, first, two)
    assert by_child(to_t1) == {(1, 0): [2, 0], (1, 1): [1, 3], (2, 0): [2, 0]}
    engines["T1"].receive_split("T2", to_t1)
    to_t3 = engines["T1"].split_summary("T3", node, first, two)
    assert by_child(to_t3) == {(1, 0): [2, 2], (1, 1): [1, 1], (2, 0): [2, 0]}
    engines["T3"].receive_split("T1", to_t3)
    for engine in engines.values():
        engine.advance()
    assert engines["T1"].records(1)[1].tolist() == [[2, 0], [0, 2], [1, 0], [0, 1]]
    assert [part.tolist() for part in engines["T1"].records(2)] == [[0], [[2, 0]]]
    by_row = sorted(zip(engines["T3"].records(1)[0].tolist(), engines["T3"].records(1)[1].tolist(), strict=True))
    assert by_row == [(0, [1, 1]), (1, [1, 1]), (2, [1, 1])]
    assert sorted(engines["T3"].records(2)[0].tolist()) == [0, 2]
    assert engines["T3"].records(2)[1].tolist() == [[1, 0], [1, 0]]


def test_a_table_scores_its_own_columns_and_ties_go_to_the_first():
    engines, _ = propagated()
    for engine in engines.values():
        engine.score(np.array([0]), criterion="information_gain", min_leaf=1, exponent=grid(8))
    best = {name: engine.best() for name, engine in engines.items()}
    assert best["T1"].score[0] == best["T2"].score[0] > 0  # J1 lives in both tables
    assert best["T1"].column[0] == best["T2"].column[0] == 0
    assert winners([best[name].score for name in ("T1", "T2", "T3")]).tolist() == [0]


def test_children_that_are_leaves_are_let_go_and_no_summary_speaks_of_them():
    engines, _ = propagated()
    t2 = engines["T2"]
    t2.score(np.array([0]), criterion="information_gain", min_leaf=1, exponent=grid(8))
    t2.best()
    made = t2.split(np.array([0]), np.array([1]), leaf=lambda counts: counts.min(axis=1) == 0)
    assert made.counts.tolist() == [[4, 0], [1, 3]]  # J1 = a is pure
    summary = t2.split_summary("T1", np.array([0]), np.array([1]), np.array([2]))
    assert summary.children.tolist() == [2]
    engines["T1"].receive_split("T2", summary)
    engines["T1"].advance()
    assert engines["T1"].nodes.tolist() == [2]
    assert engines["T1"].totals().tolist() == [1, 3]


def test_summaries_that_cannot_be_true_are_refused():
    engines, _ = propagated()
    node = np.array([0], dtype=np.int64)
    one = np.ones(1, dtype=np.int64)

    def summary(key, *counts):
        return SplitSummary(node, one, one, np.array([0, 1]), codes(key), np.array([counts], dtype=np.int64))

    for wrong in (summary(0, 5, 0), summary(1, 0, 1), summary(7, 1, 0), summary(-1, 1, 0), summary(0, -1, 0)):
        with pytest.raises(InputError, match="does not divide"):
            engines["T1"].receive_split("T2", wrong)
    with pytest.raises(UsageError, match="not open"):
        engines["T1"].receive_split("T2", SplitSummary(one + 6, one, one, np.array([0, 0]), codes(), np.empty((0, 2))))
    fresh = worked_example()
    with pytest.raises(InputError, match="does not fit"):
        fresh["T2"].receive_class("T1", np.ones((3, 2), dtype=np.int64))


def chain_of(tables, rows):
    """`tables` tables of `rows` records, all of one join value: rows ** tables joined records."""
    engines, neighbours = {}, {}
    for i in range(tables):
        near = [f"T{j}" for j in (i - 1, i + 1) if 0 <= j < tables]
        neighbours[f"T{i}"] = near
        engines[f"T{i}"] = TableEngine(
            [numbers("x", *range(rows))],
            keys={name: np.zeros(rows, dtype=np.int32) for name in near},
            shared=dict.fromkeys(near, 1),
            classes=(np.arange(rows) % 2).astype(np.int32) if i == 0 else None,
            n_classes=2,
        )
    return engines, neighbours


def propagate(engines, neighbours):
    for sender, receiver in propagation(neighbours, "T0"):
        engines[receiver].receive_class(sender, engines[sender].class_summary(receiver))


def test_counts_are_exact_to_the_last_joined_record():
    engines, neighbours = chain_of(19, 9)  # 9 ** 19 is beyond what floats count
    propagate(engines, neighbours)
    for engine in engines.values():
        engine.open()
        assert engine.totals().tolist() == [5 * 9**18, 4 * 9**18]


def test_a_join_past_2_to_62_is_refused_and_never_counted_wrong():
    engines, neighbours = chain_of(21, 9)
    with pytest.raises(InputError, match=r"more than 2\*\*62"):
        propagate(engines, neighbours)


def test_summaries_of_a_level_cross_every_edge_once_each_way():
    neighbours = {"A": ["B", "C"], "B": ["A", "D"], "C": ["A"], "D": ["B"]}
    order = level_order(neighbours, "A")
    assert order == [("D", "B"), ("C", "A"), ("B", "A"), ("A", "B"), ("A", "C"), ("B", "D")]
