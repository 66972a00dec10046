from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from tests.amounts import some
from tests.publish.tables.random_tables import random_table

from confide import Hierarchy, KAnonymity
from confide.core.errors import ConfideError, InputError, UsageError
from confide.publish import Incognito, Mondrian, compare_tables

TREE = Hierarchy.from_rows([("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*")])
SCHEMA = {
    "age": {"role": "quasi-identifier", "range": [0, 99]},
    "x": {"role": "quasi-identifier", "hierarchy": TREE},
    "ill": {"role": "sensitive"},
}
PEOPLE = pa.table({"age": [20, 21, 30, 31], "x": ["a", "a", "b", "c"], "ill": ["n", "n", "y", "y"]})


def test_a_table_compared_with_itself_differs_in_nothing():
    found = compare_tables(PEOPLE, PEOPLE.take(pa.array([2, 0, 3, 1])), SCHEMA, classifiers=False)
    assert all(figure.difference == pytest.approx(0) for figure in found.figures)
    assert set(found.query_errors.values()) == {0.0}
    assert found.of("Cramer's V")["age and ill"].original == pytest.approx(1)


def test_labels_stand_evenly_for_what_they_cover():  # by hand
    coarse = pa.table({"age": ["20-29", "20-29", "30-39", "30-39"], "x": ["ab", "ab", "ab", "c"], "ill": list("nnyy")})
    found = compare_tables(PEOPLE, coarse, SCHEMA, classifiers=False)
    assert found.of("mean")["age"].released == pytest.approx(25.5)
    assert found.of("standard deviation")["age"].released == pytest.approx(5)  # 20.5 twice, 30.5 twice
    # x: a 2, b 1, c 1 against a 1.5, b 1.5, c 1: an eighth of the rows moves
    assert found.of("rows that moved")["x"].released == pytest.approx(0.125)
    assert found.of("rows that moved")["ill"].released == 0
    # ill from age alone: deviations 5.0249, so a step of 10 years is 1.99 of them
    assert found.of("coefficient")["age for ill: its commonest value"].released == pytest.approx(
        -1 / (10 / 5.02494), 1e-4
    )


@pytest.mark.parametrize("block", range(5))
def test_shares_and_pairs_agree_with_rows_written_out(block):
    """Every row of the release is written out as the values that it may be."""
    for seed in some(range(100 * block, 100 * block + 100), every=10):
        frame, schema = random_table(seed, columns=2)
        try:
            release = Incognito(requirement=KAnonymity(k=2), suppress=0.2).publish(frame, schema, verify=False).data
        except ConfideError:
            continue
        found = compare_tables(frame, release, schema, classifiers=False, queries=1)
        names = schema.named("quasi-identifier")
        here = {name: sorted(set(frame.column(name).to_pylist())) for name in names}
        rows = []
        for row in release.to_pylist():
            meant = [
                [v for v in here[name] if row[name] in (v, *_above(schema.columns[name].hierarchy, v))]
                for name in names
            ]
            rows.append(meant)
        for place, name in enumerate(names):
            share = Counter()
            for meant in rows:
                share.update({v: 1 / len(meant[place]) / len(rows) for v in meant[place]})
            true = Counter(frame.column(name).to_pylist())
            moved = sum(abs(true[v] / frame.num_rows - share[v]) for v in here[name]) / 2
            assert found.of("rows that moved")[name].released == pytest.approx(moved)
        table = np.zeros([len(here[name]) for name in names])
        for first, second in rows:
            for v in first:
                for w in second:
                    table[here[names[0]].index(v), here[names[1]].index(w)] += 1 / len(first) / len(second)
        told = found.of("Cramer's V")[" and ".join(names)].released
        assert told == pytest.approx(_association(table), abs=1e-9)


def _above(hierarchy, value):
    return next(row for row in hierarchy.rows if row[0] == value)


def _association(table):
    table = table[table.sum(axis=1) > 1e-12][:, table.sum(axis=0) > 1e-12]
    n, most = table.sum(), min(table.shape) - 1
    if most < 1:
        return 0.0
    chi = sum(
        (table[i, j] - table[i].sum() * table[:, j].sum() / n) ** 2 / (table[i].sum() * table[:, j].sum() / n)
        for i in range(len(table))
        for j in range(table.shape[1])
    )
    return (chi / n / most) ** 0.5


def test_a_coarser_release_is_worth_less():
    draw = np.random.default_rng(1)
    age = draw.integers(0, 100, 600)
    frame = pa.table(
        {
            "age": age,
            "x": draw.choice(["a", "b", "c"], 600),
            "ill": np.where(age + draw.normal(0, 9, 600) > 50, "y", "n"),
        }
    )
    worth = [
        compare_tables(frame, Mondrian(requirement=KAnonymity(k=k)).publish(frame, SCHEMA).data, SCHEMA)
        for k in (3, 300)
    ]
    fine, coarse = (found.of("accuracy")["naive Bayes"] for found in worth)
    assert fine.original == coarse.original > 0.8
    assert fine.released > coarse.released + 0.05
    assert worth[0].query_errors["median"] < worth[1].query_errors["median"]
    means = pa.table({"age": np.full(600, age.mean()), "x": frame.column("x"), "ill": frame.column("ill")})
    constant = compare_tables(frame, means, SCHEMA, classifiers=False).of("standard deviation")["age"]
    assert constant.released == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("release", "options", "error", "fault"),
    [
        (PEOPLE.drop_columns(["x"]), {}, InputError, "the release has no column 'x'; columns are: age, ill"),
        (PEOPLE.slice(0, 0), {}, InputError, "the release has no rows"),
        (PEOPLE, {"target": "height"}, UsageError, "target='height' is no column to predict; columns are: age, x, ill"),
        (PEOPLE, {"queries": 0}, UsageError, "queries=0"),
        (
            PEOPLE.set_column(1, "x", pa.array(["zz"] * 4)),
            {},
            InputError,
            "'x': 1 labels stand for no value of the original",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_line(release, options, error, fault):
    with pytest.raises(error, match=fault):
        compare_tables(PEOPLE, release, SCHEMA, **options)


def test_shares_of_values_add_up_and_are_those_of_counting():
    ages = [20 + n % 37 for n in range(200)]
    towns = [f"town {n % 20:02}" for n in range(200)]
    table = pa.table({"age": ages, "town": towns, "ill": ["y", "n"] * 100})
    schema = {"age": SCHEMA["age"], "town": {"role": "insensitive"}, "ill": {"role": "sensitive"}}
    coarse = table.set_column(0, "age", pa.array(["20-39" if age < 40 else "40-59" for age in ages]))
    shares = compare_tables(table, coarse, schema, classifiers=False, queries=1).of("share of rows")
    for name, bars in (("age", 12), ("town", 12), ("ill", 2)):
        own = [figure for what, figure in shares.items() if what.startswith(f"{name} = ")]
        assert len(own) == bars
        assert sum(figure.original for figure in own) == pytest.approx(1)
        assert sum(figure.released for figure in own) == pytest.approx(1)
    assert shares["age = 20 to 23"].original == pytest.approx(sum(age < 23 for age in ages) / 200)
    assert shares["age = 20 to 23"].released == pytest.approx(sum(age < 40 for age in ages) / 200 * 3 / 20)
    assert shares["town = all others"].original == pytest.approx(9 / 20)
    assert shares["ill = y"].released == 0.5
