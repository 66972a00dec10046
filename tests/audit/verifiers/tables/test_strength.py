"""What a table keeps: every number told holds when it is asked for, and the next stronger one does not."""

import numpy as np
import pyarrow as pa
import pytest
from tests.audit.verifiers.tables.test_closeness import numbered
from tests.audit.verifiers.tables.test_look import holds

from confide import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    RecursiveDiversity,
    SimpleDiversity,
    TCloseness,
)
from confide.audit import measure_table
from confide.core.errors import InputError

ROLES = {"q": "quasi-identifier", "s": "sensitive"}
STEP = 2e-6


@pytest.mark.parametrize("seed", range(60))
def test_what_is_told_holds_and_nothing_stronger_does(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 70))
    columns = {"q": rng.integers(0, 2, n).tolist(), "s": rng.integers(0, int(rng.integers(1, 6)), n).tolist()}
    if seed % 3 == 0:
        columns["p"] = rng.integers(0, max(1, n // 2), n).tolist()
    frame, roles, _ = numbered(columns)
    found = measure_table(frame, roles=roles)
    column = found.sensitive["s"]

    def asked(make, **numbers):
        return holds(frame, make(**numbers), roles)

    for make, name, value in (
        (KAnonymity, "k", found.k),
        (SimpleDiversity, "l", column.simple_l),
        (DistinctDiversity, "l", column.distinct_l),
    ):
        assert value < 2 or asked(make, **{name: value})
        assert not asked(make, **{name: value + 1})
    assert column.entropy_l <= 1 or asked(EntropyDiversity, l=column.entropy_l)
    assert not asked(EntropyDiversity, l=column.entropy_l + STEP)
    if column.alpha < 1 and found.k >= 2:
        assert asked(AlphaK, alpha=column.alpha, k=2)
        assert not asked(AlphaK, alpha=column.alpha - STEP, k=2)
    for ordered, t in ((False, column.t), (True, column.t_ordered)):
        assert asked(TCloseness, t=t, ordered=ordered)
        assert t < STEP or not asked(TCloseness, t=t - STEP, ordered=ordered)
    assert asked(BetaLikeness, beta=max(column.beta, 1e-9))
    assert column.beta < STEP or not asked(BetaLikeness, beta=column.beta - STEP)
    assert asked(BetaLikeness, beta=1e9, enhanced=True) == (column.enhanced_beta is not None)
    assert asked(DeltaDisclosure, delta=column.delta)
    assert column.delta < 2 * STEP or not asked(DeltaDisclosure, delta=column.delta - STEP)
    for l, c in column.recursive_c.items():  # noqa: E741
        assert asked(RecursiveDiversity, c=1e9, l=l) == (c is not None)
        if c is not None:
            assert asked(RecursiveDiversity, c=c, l=l)
            assert not asked(RecursiveDiversity, c=c - STEP, l=l)


def test_equally_common_values_reach_their_number():
    frame = pa.table({"q": [1] * 9, "s": ["a", "b", "c"] * 3})
    assert measure_table(frame, roles=ROLES).sensitive["s"].entropy_l == 3


def test_identifiers_and_orders_are_told():
    frame = pa.table({"name": ["A", "B", "C", "D"], "q": [1, 1, 1, 1], "s": ["low", "high", "low", "mid"]})
    roles = {"name": "identifier", **ROLES}
    found = measure_table(frame, roles=roles)
    assert found.identifiers == ("name",)
    assert found.sensitive["s"].t_ordered is None
    assert measure_table(frame, roles=roles, orders={"s": ["low", "mid", "high"]}).sensitive["s"].t_ordered == 0


def test_persons_are_told_apart_by_whatever_their_column_holds():
    frame = pa.table({"q": [1, 1, 1], "s": ["a", "b", "c"], "p": ["Ann", "Ann", "Bob"]})
    found = measure_table(frame, roles={**ROLES, "p": "person"})
    assert (found.k, found.counts_persons) == (2, True)


@pytest.mark.parametrize(
    ("columns", "roles", "message"),
    [
        ({"q": [1]}, ROLES, "no column 's'"),
        ({"q": [1], "s": [1]}, {"q": "insensitive", "s": "sensitive"}, "nothing to be found by"),
        ({"q": pa.array([], pa.int64()), "s": pa.array([], pa.int64())}, ROLES, "no rows"),
    ],
)
def test_what_cannot_be_looked_at_is_refused(columns, roles, message):
    with pytest.raises(InputError, match=message):
        measure_table(pa.table(columns), roles=roles)
