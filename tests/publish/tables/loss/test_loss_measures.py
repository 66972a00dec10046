import math

import numpy as np
import pyarrow as pa
import pytest

from confide.core.errors import UsageError
from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Schema
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.loss.loss_measures import check_loss, classification, discernibility, entropy
from confide.publish.tables.recoding import Recoding

TREE = Hierarchy.from_rows([("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")])
SCHEMA = Schema.from_dict(
    {
        "x": {"role": "quasi-identifier", "hierarchy": TREE, "weight": 3},
        "y": {"role": "quasi-identifier"},
        "job": {"role": "class"},
    }
)
DATA = {"x": list("aabbcd"), "y": list("uuvvuv"), "job": list("PQPPQQ")}


def recoded(levels, kept=None):
    return Recoding.at_levels(CodedTable.of(pa.table(DATA), SCHEMA), levels, kept=kept)


def test_ncp_counts_leaves_weighs_columns_and_charges_one_for_a_suppressed_row():
    assert recoded((0, 0)).ncp() == 0
    assert recoded((1, 0)).ncp() == pytest.approx(0.75 / 3)
    assert recoded((2, 1)).ncp() == 1
    kept = np.array([True] * 4 + [False] * 2)
    assert recoded((1, 0), kept).ncp() == pytest.approx((4 * 0.25 + 2) / 6)


def test_discernibility_and_classification_by_hand():
    found = recoded((1, 1))  # ab: P Q P P, cd: Q Q
    assert discernibility(found.sizes, 0) == 16 + 4
    assert discernibility(np.array([4]), 2) == 16 + 2 * 6
    assert classification(found, 0) == pytest.approx(1 / 6)
    kept = np.array([True] * 4 + [False] * 2)
    assert classification(recoded((1, 1), kept), 2) == pytest.approx(3 / 6)


def test_entropy_is_what_labels_no_longer_tell():
    bits = lambda counts: -sum(c * math.log2(c / sum(counts)) for c in counts)  # noqa: E731
    before = bits([2, 2, 1, 1]) + bits([3, 3])
    lost = bits([2, 2]) + bits([1, 1])
    assert entropy(recoded((1, 0))) == pytest.approx(lost / before)
    assert entropy(recoded((0, 0))) == 0
    assert entropy(recoded((2, 1))) == 1


def test_unknown_losses_are_refused():
    with pytest.raises(UsageError, match="losses are: ncp"):
        check_loss("beauty")
    with pytest.raises(UsageError, match="Mondrian takes: ncp"):
        check_loss("entropy", among=("ncp",), algorithm="Mondrian")
