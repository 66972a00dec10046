import numpy as np
import pyarrow as pa
import pytest
from tests.amounts import some
from tests.oracles.special_uniques import score
from tests.oracles.special_uniques import special_uniques as slow

from confide.core.errors import UsageError
from confide.publish import special_uniques

NAMES = list("abcde")


def draw_table(seed):
    draw = np.random.default_rng(seed)
    n, columns = int(draw.integers(2, 40)), int(draw.integers(1, 6))
    return {name: [str(v) for v in draw.integers(0, int(draw.integers(1, 6)), n)] for name in NAMES[:columns]}


@pytest.mark.parametrize("block", range(10))
def test_combinations_and_scores_agree_with_trying_all(block):
    for seed in some(range(50 * block, 50 * block + 50), every=5):
        data, most = draw_table(seed), 1 + seed % 5
        schema = {name: {"role": "insensitive" if name == "b" else "quasi-identifier"} for name in data}
        rows = list(zip(*data.values(), strict=True))
        found, wanted = special_uniques(pa.table(data), schema, most=most), slow(rows, most)
        for row, combinations in wanted.items():
            named = [{NAMES[c]: rows[row][c] for c in chosen} for chosen in combinations]
            told = found.of_row(row)
            assert sorted(map(sorted, map(dict.items, told))) == sorted(map(sorted, map(dict.items, named)))
            assert found.scores[row] == score(combinations, len(data), most)
        total = sum(score(c, len(data), most) for c in wanted.values())
        for place, name in enumerate(data):
            mine = [[c for c in of if place in c] for of in wanted.values()]
            part = sum(score(c, len(data), most) for c in mine)
            assert found.by_column[name] == pytest.approx(part / total if total else 0)


def test_chances_average_to_those_of_a_random_match():
    # two unique rows and one pair, one row in ten sampled: 0.1 * 2 / (0.1 * 2 + 0.9 * 2)
    frame = pa.table({"a": ["1", "2", "3", "3"], "b": ["1", "2", "3", "3"]})
    found = special_uniques(frame, {name: {"role": "quasi-identifier"} for name in "ab"}, most=2)
    assert found.chance(0.1) == pytest.approx(0.1)
    assert found.chances(0.1).tolist() == pytest.approx([0.1, 0.1, 0, 0])  # equal scores get the mean
    assert found.chances(1).tolist() == [1, 1, 0, 0]
    worse = special_uniques(
        pa.table({"a": ["1", "2", "3", "3", "3"], "b": ["1", "3", "2", "3", "3"], "c": list("xyyyy")}),
        {name: {"role": "quasi-identifier"} for name in "abc"},
        most=3,
    )
    assert worse.chances(0.1)[0] > worse.chances(0.1)[1] > 0


def test_nothing_that_singles_out_is_told_plainly():
    frame = pa.table({"a": ["1", "1"], "ill": ["x", "y"]})
    found = special_uniques(frame, {"a": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}})
    assert found.line() == "no row is singled out by 3 values or fewer"
    assert found.chance(0.5) == 0
    assert found.counts == {}
    assert "ill" not in found.columns


def test_bad_settings_are_refused():
    frame = pa.table({"a": ["1", "2"]})
    schema = {"a": {"role": "quasi-identifier"}}
    with pytest.raises(UsageError, match="most=0"):
        special_uniques(frame, schema, most=0)
    with pytest.raises(UsageError, match="fraction=0 "):
        special_uniques(frame, schema).chance(0)
    with pytest.raises(UsageError, match="no column 'b'"):
        special_uniques(frame, schema | {"b": {"role": "insensitive"}})
