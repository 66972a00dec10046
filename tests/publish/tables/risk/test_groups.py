"""Risks of groups, worked by hand and against a register."""

import numpy as np
import pytest

from confide.core.errors import InputError, UsageError
from confide.publish.tables.risk.groups import group_risk


def test_every_number_by_hand():
    risk = group_risk(np.array([1, 1, 2, 6]))
    assert (risk.rows, risk.groups, risk.smallest, risk.largest, risk.mean) == (10, 4, 1, 6, 2.5)
    assert (risk.unique, risk.highest_prosecutor, risk.prosecutor) == (0.2, 1.0, 0.4)
    assert risk.below == {2: 0.2, 5: 0.4, 10: 1.0}
    assert dict(risk.sizes) == {
        "1": 0.2, "2": 0.2, "3-4": 0, "5-9": 0.6, "10-19": 0, "20-49": 0, "50-99": 0, "100 and more": 0,
    }  # fmt: skip
    assert not risk.register


def test_without_a_register_journalist_and_marketer_are_the_prosecutor():
    risk = group_risk(np.array([3, 7, 90]))
    assert risk.highest_journalist == risk.highest_prosecutor == 1 / 3
    assert risk.marketer == pytest.approx(risk.prosecutor)


def test_a_register_lowers_what_a_journalist_and_a_marketer_find():
    risk = group_risk(np.array([1, 2, 7]), population=np.array([4, 2, 70]))
    assert (risk.highest_prosecutor, risk.highest_journalist) == (1.0, 0.5)
    assert risk.marketer == pytest.approx((1 / 4 + 2 / 2 + 7 / 70) / 10)
    assert risk.register


def test_mean_risks_agree_with_asking_row_by_row():
    rng = np.random.default_rng(1)
    group = rng.integers(0, 40, 500)
    sizes = np.bincount(group)
    register = sizes + rng.integers(0, 30, len(sizes))
    kept = sizes > 0
    risk = group_risk(sizes[kept], population=register[kept])
    assert risk.prosecutor == pytest.approx(np.mean([1 / sizes[g] for g in group]))
    assert risk.marketer == pytest.approx(np.mean([1 / register[g] for g in group]))


def test_wrong_use_is_refused():
    with pytest.raises(InputError):
        group_risk(np.array([], dtype=np.int64))
    for register in ([1, 2], [1]):
        with pytest.raises(UsageError, match="at least the rows"):
            group_risk(np.array([2, 2]), population=np.array(register))
