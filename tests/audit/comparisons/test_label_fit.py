"""Which labels stand for which values."""

import numpy as np
import pyarrow as pa
import pytest

from confide import Hierarchy, Schema
from confide.audit.comparisons.label_fit import covered
from confide.audit.comparisons.values import read_values

AGES = Hierarchy.from_rows([("20", "twenties", "*"), ("21", "twenties", "*"), ("30", "1-2", "*"), ("x | y", "z", "*")])


def stands(label, value, **spec):
    schema = Schema.from_dict({"q": {"role": "quasi-identifier", **spec}})
    values, labels = (read_values(pa.array([cell]), name="q") for cell in (value, label))
    pair = (np.array([0]), np.array([0]))
    return bool(covered(values, labels, pair, schema=schema, name="q", known=[0])[0])


@pytest.mark.parametrize(
    ("label", "value", "spec"),
    [
        ("*", "20", {}),
        ("20", "20", {}),
        (20, 20, {}),
        ("20", 20.0, {}),
        ("twenties", "20", {"hierarchy": AGES}),
        ("twenties | 1-2", "30", {"hierarchy": AGES}),
        ("20 | z", "x | y", {"hierarchy": AGES}),
        ("20-30", "21", {"hierarchy": AGES}),
        ("20-29", 29, {"range": [0, 99]}),
        ("-5 to 4", -5, {"range": [-9, 9]}),
        ("7", "07", {"range": [0, 9]}),
        ("[0.1, 0.3)", 0.1, {"range": [0, 1], "step": 0.1}),
        ("[0.9, 1]", 1.0, {"range": [0, 1], "step": 0.1}),
        ("20-24", 23, {"range": [0, 99], "step": 5, "hierarchy": {"build": "flat"}}),
        ("", None, {}),
        ("", float("nan"), {"range": [0, 1]}),
        ("*", None, {"range": [0, 1]}),
        ("*", None, {"hierarchy": AGES}),
        ("a | ", None, {}),
    ],
)
def test_it_stands_for_it(label, value, spec):
    assert stands(label, value, **spec)


@pytest.mark.parametrize(
    ("label", "value", "spec"),
    [
        ("21", "20", {}),
        ("1", "01", {}),
        ("twenties", "30", {"hierarchy": AGES}),
        ("1-2", "20", {"hierarchy": AGES}),
        ("20-29", 30, {"range": [0, 99]}),
        ("20-29", None, {"range": [0, 99]}),
        ("[0.1, 0.3)", 0.3, {"range": [0, 1], "step": 0.1}),
        ("", "20", {}),
        ("twenties", None, {"hierarchy": AGES}),
        ("20-24", 25, {"range": [0, 99], "step": 5, "hierarchy": {"build": "flat"}}),
        ("b | c", "a", {}),
    ],
)
def test_it_does_not(label, value, spec):
    assert not stands(label, value, **spec)


def test_a_node_is_read_as_the_hierarchy_says_and_not_as_a_range():
    assert not stands("1-2", "20", hierarchy=AGES)
    assert stands("1-2", "30", hierarchy=AGES)
