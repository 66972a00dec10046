from collections import Counter
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from tests.amounts import some
from tests.publish.tables.random_tables import random_table

from confide import DistinctDiversity, Hierarchy, KAnonymity, Schema, verify
from confide.core.errors import CannotMeetError, RequirementError, UsageError
from confide.core.tables.schema import Column
from confide.publish import Blank
from confide.publish.tables.coding import CodedTable


def flat(names, **columns):
    return Schema.from_dict({name: {"role": "quasi-identifier"} | columns.get(name, {}) for name in names})


def fewest_blanks(rows, k):
    """The optimum, by trying every set of blanks of every row."""
    width = len(rows[0])
    masks = list(product([False, True], repeat=width))
    best = None
    for chosen in product(masks, repeat=len(rows)):
        cost = sum(map(sum, chosen))
        if best is not None and cost >= best:
            continue
        shown = [
            tuple("*" if blank else v for v, blank in zip(row, mask, strict=True))
            for row, mask in zip(rows, chosen, strict=True)
        ]
        if min(Counter(shown).values()) >= k:
            best = cost
    return best


@pytest.mark.parametrize("block", range(10))
def test_small_tables_need_hardly_more_blanks_than_the_optimum(block):
    over = cases = 0
    for seed in some(range(50 * block, 50 * block + 50), every=10):
        draw = np.random.default_rng(seed)
        n, k = int(draw.integers(3, 7)), int(draw.integers(2, 4))
        rows = [tuple(map(str, row)) for row in draw.integers(0, 3, (n, 2))]
        frame = pa.table(dict(zip("ab", zip(*rows, strict=True), strict=True)))
        made = Blank(requirement=KAnonymity(k=k)).publish(frame, flat("ab")).data
        shown = list(zip(*(column.to_pylist() for column in made.columns), strict=True))
        assert min(Counter(shown).values()) >= k
        blanks, best = sum(row.count("*") for row in shown), fewest_blanks(rows, k)
        assert best <= blanks <= 2 * best
        over, cases = over + blanks - best, cases + best
    assert over <= 0.1 * cases + 1


@pytest.mark.parametrize("seed", some(range(200), every=10))
def test_a_value_stays_or_is_blank_and_the_release_is_verified(seed, tmp_path):
    frame, schema = random_table(seed, rows=40)
    names = schema.named("quasi-identifier")
    try:
        release = Blank(requirement=KAnonymity(k=3), keep_order=True).publish(frame, schema)
    except CannotMeetError:
        return
    coded = CodedTable.of(frame, schema)
    for column in coded.quasi:
        own = [column.labels[column.lowest][column.maps[column.lowest][leaf]] for leaf in column.codes]
        shown = release.data.column(column.name).to_pylist()
        top = column.labels[column.height][0]
        assert all(new in (old, top) for old, new in zip(own, shown, strict=True))
    rows = list(zip(*(release.data.column(name).to_pylist() for name in names), strict=True))
    assert min(Counter(rows).values()) >= 3
    release.write(tmp_path / "out.csv")
    assert verify(tmp_path / "out.csv.passport.json").ok


def test_a_blank_is_a_value_like_any_other():
    frame = pa.table({"sex": ["M", "F"], "age": ["30", "30"]})
    made = Blank(requirement=KAnonymity(k=2)).publish(frame, flat(["sex", "age"])).data
    assert made.to_pylist() == [{"sex": "*", "age": "30"}] * 2  # one blank alone leaves whoever seeks (M, 30) one row


def test_weights_say_where_blanks_hurt_and_levels_where_none_may_be():
    frame = pa.table({"a": ["1", "2"], "b": ["1", "2"]})
    both = Hierarchy.from_rows([("1", "x", "*"), ("2", "x", "*")])
    level = Schema(
        {"a": Column(role="quasi-identifier", hierarchy=both, levels=(1, 1)), "b": Column(role="quasi-identifier")}
    )
    made = Blank(requirement=KAnonymity(k=2)).publish(frame, level).data
    assert made.to_pylist() == [{"a": "x", "b": "*"}] * 2
    frame = pa.table({"a": ["1", "1", "2"], "b": ["1", "2", "2"]})
    heavy = flat("ab", a={"weight": 10})
    made = Blank(requirement=KAnonymity(k=2), suppress=0.5).publish(frame, heavy).data
    assert Counter(made.column("a").to_pylist())["*"] <= 3


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"requirement": KAnonymity(k=2) & DistinctDiversity(l=2)}, "blanks keep k-anonymity alone"),
        ({"requirement": KAnonymity(k=2), "rounds": 0}, "rounds=0 decides nothing"),
        ({"requirement": KAnonymity(k=2), "loss": "entropy"}, "loss"),
        ({"requirement": KAnonymity(k=9)}, "k=9 is larger than the table of 4 rows"),
    ],
)
def test_what_blanks_cannot_do_is_refused_in_a_line(options, fault):
    frame = pa.table({"a": list("1122"), "ill": list("xyxy")})
    schema = {"a": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}}
    with pytest.raises((UsageError, RequirementError, CannotMeetError), match=fault):
        Blank(**options).publish(frame, schema)


def test_persons_are_refused():
    frame = pa.table({"a": list("1122"), "who": list("pqrs")})
    with pytest.raises(UsageError, match="one row per person"):
        Blank(requirement=KAnonymity(k=2)).publish(
            frame, {"a": {"role": "quasi-identifier"}, "who": {"role": "person"}}
        )
