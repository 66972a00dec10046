"""Interpreted kernels do what compiled ones do: every algorithm gives the same, bit for bit."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from tests.amounts import some

from confide.audit.adversaries import _linkage_kernels, linkage
from confide.core.runtime import interpreted
from confide.core.runtime.compiled import popcount, trailing_zeros
from confide.core.transactions.container import Transactions
from confide.mining.trees.impurity_kernels import GINI
from confide.publish.tables.cells import grouping_kernels
from confide.publish.tables.k_optimize import _segment_kernels
from confide.share.anonymization import _growth_kernels
from confide.share.pruning import _sibling_kernels

DIGESTS = """
import hashlib, json
from tests.checks import frozen
from tests.test_checks import EVERY
print(json.dumps({
    a.name: hashlib.sha256(repr(frozen(a.plain(a.call(a.data())))).encode()).hexdigest() for a in EVERY
}))
"""


def digests(kernels: str) -> dict[str, str]:
    environment = os.environ | {"CONFIDE_KERNELS": kernels, "PYTHONHASHSEED": "0"}
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", DIGESTS], cwd=root, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr  # sums that wrap are meant to
    return json.loads(done.stdout)


def test_every_algorithm_gives_the_same_interpreted():
    assert digests("interpreted") == digests("compiled")


@numba.njit
def _bits(word):
    return popcount(word), trailing_zeros(word)


@pytest.mark.parametrize("word", [0, 1, 2, 0b1011000, 2**63, 2**64 - 1])
def test_intrinsics_have_twins(word):
    as_word = np.uint64(word)
    assert _bits(as_word) == (interpreted.popcount(as_word), interpreted.trailing_zeros(as_word))


def test_no_two_claims_get_the_same_number():
    counter = np.zeros(1, np.int64)
    assert [interpreted.claim(counter) for _ in range(3)] == [0, 1, 2]


@pytest.mark.parametrize("seed", some(range(60), every=3))
def test_what_numpy_does_in_place_of_a_kernel_gives_the_same(seed):
    draw = np.random.default_rng(seed)
    n, groups, width, classes = int(draw.integers(1, 60)), int(draw.integers(1, 9)), 7, int(draw.integers(1, 5))
    of, counts = draw.integers(0, groups, n).astype(np.int32), draw.integers(0, 9, (n, 3))
    same(grouping_kernels._add_counts(of, counts, groups), grouping_kernels.add_counts(of, counts, groups))

    codes = draw.integers(0, 3, (n, 2)).astype(np.int32)
    strides = np.array([1, int(draw.choice([3, 1 << 40]))])
    choices = grouping_kernels.NodeChoices(draw.integers(0, 3, 6), np.array([0, 3]), strides)
    found = []
    for group in (grouping_kernels._group_cells, grouping_kernels.group_cells):
        room = np.zeros(n, np.int64), np.zeros(256, np.int32), np.zeros(n, np.int64), np.zeros(n, np.int32)
        many, cell_of = group(codes, choices, of, np.arange(n), grouping_kernels.GroupRoom(*room))
        found.append((many, cell_of, room[2][:many], room[3][:many]))
    same(*found)

    column, y = draw.integers(0, width, n).astype(np.int32), draw.integers(0, classes, n).astype(np.int32)
    rows, found = draw.permutation(n)[: int(draw.integers(1, n + 1))], []
    for count in (_growth_kernels._count_codes_, _growth_kernels._count_codes):
        room = np.zeros((width, classes), np.int64), np.zeros(width, np.int64), np.zeros(width, np.int64)
        values = count(column, rows, y, *room)
        found.append((values, room[0], room[1], room[2][:values]))
    same(*found)

    by_class = draw.integers(0, 99, classes)
    assert _sibling_kernels._likeness(n, by_class) == _sibling_kernels.likeness(n, by_class)
    terms = draw.integers(0, 1 << 40, 99 * classes)
    for criterion in (GINI, GINI + 1):
        numbers = (by_class, int(by_class.sum()), terms, criterion, float(1 << 20))
        assert _growth_kernels._mass(*numbers) == _growth_kernels.mass(*numbers)

    at, segment = draw.integers(0, 4, (n, 2)).astype(np.int32), np.sort(draw.integers(0, 3, (2, 4)), axis=1)
    which, strides, found = draw.permutation(n).astype(np.int32), np.array([1, 3]), []
    for side in ("_", ""):
        grouped = getattr(_segment_kernels, f"{side}group_by_segments")(at, which, segment, strides)
        groups, cells, first, keys, slots = grouped
        look_up = getattr(_segment_kernels, f"{side}found")
        numbers = [look_up(key, keys, slots, first[:groups]) for key in range(12)]
        found.append((groups, cells, first[:groups], keys, numbers))
    same(*found)

    baskets = Transactions.from_lists([[str(item) for item in np.flatnonzero(draw.random(6) < 0.6)] for _ in range(n)])
    found = []
    for look_up in (_linkage_kernels._look_up, _linkage_kernels.look_up):  # which the adversary imports when called
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_linkage_kernels, "look_up", look_up)
            found.append(linkage.link_transactions(baskets, private=baskets.items[:2], known=2, samples=99, seed=seed))
    assert found[0] == found[1]


def same(ours, kernels):
    for one, other in zip(ours, kernels, strict=True):
        np.testing.assert_array_equal(one, other)
