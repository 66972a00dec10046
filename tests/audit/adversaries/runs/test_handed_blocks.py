import numpy as np
import pytest
from tests.stream.streams import asked

from confide import Transactions
from confide.audit.adversaries.runs.handed_blocks import RecordBlocks, read_handed_blocks
from confide.stream.blocks.factor import cleaned_error
from confide.stream.pipeline.opening import header_of

SETS = [frozenset("a"), frozenset("ab"), frozenset("x")]


def test_records_are_counted_block_by_block_whatever_parts_they_came_in():
    rows = [["a"], ["a", "b"], ["b"], ["b", "a"], [], ["a", "b", "c"], ["a"]]
    numbers = np.array([0, 0, 1, 1, 3, 3, 4])
    whole = RecordBlocks(parts=[Transactions.from_lists(rows)], numbers=numbers)
    parts = RecordBlocks(parts=[Transactions.from_lists(x) for x in (rows[:1], rows[1:6], rows[6:])], numbers=numbers)
    wanted = [[1, 0, 1, 1], [1, 0, 1, 0], [0, 0, 0, 0]]
    for blocks in (whole, parts):
        assert blocks.count(4, 4, SETS).tolist() == wanted
        assert blocks.count(0, 1, SETS[:2]).tolist() == [[2], [1]]


def test_cleaning_every_block_leaves_what_the_factor_was_chosen_for():
    laws = header_of(asked(window=2000, every=10)).noise
    rate = 25 / laws.blocks
    chance = np.random.default_rng(2)
    counts = chance.poisson(rate, size=(2000, laws.blocks))
    found = read_handed_blocks(counts, np.full(2000, rate), laws.block, chance)
    left = np.mean((found - counts.sum(axis=1)) ** 2)
    each = float(laws.factor) / 1000 * 10 / 2 / laws.blocks
    assert left == pytest.approx(laws.blocks * cleaned_error(each, rate), rel=0.1)
