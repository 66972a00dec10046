from collections import defaultdict
from fractions import Fraction
from math import floor

import numpy as np
import polars
import pyarrow as pa
import pytest
from tests.amounts import some

from confide import KAnonymity, Schema, SimpleDiversity, verify
from confide.audit import attack_table
from confide.core.errors import ConfideError, UsageError, VerificationError
from confide.core.passport import Passport
from confide.core.release import passport_path
from confide.publish import Incognito, Mondrian, PublishTable, compare_tables, explore_table, publish_table
from confide.publish.tables.averaging.group_numbers import lower_medians
from confide.publish.tables.methods import METHODS, publisher_named

QUASI = {"role": "quasi-identifier"}
AGE = {**QUASI, "range": [0, 120]}


def draw_people(seed, *, rows=60, gaps=False):
    """Ages, hours and sex of invented people; some ages are missing with `gaps`."""
    draw = np.random.default_rng(seed)
    ages = [int(age) for age in np.clip(draw.normal(45, 20, rows), 0, 120)]
    if gaps:
        ages = [None if draw.random() < 0.15 else age for age in ages]
    hours = [round(float(h), 1) for h in np.clip(draw.normal(38, 9, rows), 0, 80)]
    return pa.table({"age": ages, "hours": hours, "sex": [str(s) for s in draw.choice(["f", "m"], rows)]})


def groups_of(table, names):
    """Rows by what they look like."""
    found = defaultdict(list)
    for row, shown in enumerate(zip(*(table[name].to_pylist() for name in names), strict=True)):
        found[shown].append(row)
    return found


def half_up_or_down(number):
    """The two whole numbers that a number may be rounded to."""
    return {floor(number), -floor(-number)} if abs(number - round(number)) == Fraction(1, 2) else {round(number)}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["mean", "median", "midpoint"])
@pytest.mark.parametrize("seed", some(range(40), every=20))
def test_k_rows_share_the_same_numbers_whatever_the_method(kind, method, seed, tmp_path):
    people = draw_people(seed)
    schema = Schema.from_dict(
        {
            "age": {**AGE, "release": kind, "top": 80, "bottom": 10},
            "hours": {**QUASI, "range": [0, 80], "step": 1, "release": kind},
            "sex": QUASI,
        }
    )
    loss = {"k-optimize": {"loss": "discernibility", "time_limit": 2}, "top-down": {"loss": "ncp"}}.get(method, {})
    options = {"requirement": KAnonymity(k=3), "keep_order": True, "suppress": 0.1, **loss}
    release = publisher_named(method, **options).publish(people, schema)
    made = release.data
    assert made.schema.field("age").type == pa.int64()
    assert made.schema.field("hours").type == pa.float64()
    if release.loss["rows_left_out"] == 0:
        for (age, hours, _), rows in groups_of(made, ["age", "hours", "sex"]).items():
            assert len(rows) >= 3
            limited = sorted(min(80, max(10, people["age"][row].as_py())) for row in rows)
            if kind == "mean":
                assert age in half_up_or_down(Fraction(sum(limited), len(limited)))
                assert hours == pytest.approx(np.mean([people["hours"][row].as_py() for row in rows]))
            if kind == "median":
                half = len(rows) / 2
                assert sum(a <= age for a in limited) >= half <= sum(a >= age for a in limited)
                assert age in limited
            if kind == "midpoint":
                assert all(abs(a - age) <= min(age, 120 - age) + 1 for a in limited)
    release.write(tmp_path / "out.csv")
    assert verify(passport_path(tmp_path / "out.csv")).ok
    assert passport_names(release.passport) == {"mean": 4, "median": 2, "midpoint": 0}[kind]


def passport_names(passport):
    """How many limits speak of means and medians."""
    return sum(("mean" in text or "median" in text) and "'" in text for text in passport.does_not_protect_against)


def test_lower_medians_are_values_of_their_group():
    values, group = np.array([5.0, 1.0, 3.0, 9.0, 2.0]), np.array([0, 0, 0, 1, 1], dtype=np.int32)
    assert lower_medians(values, group, 2).tolist() == [3.0, 2.0]


@pytest.mark.parametrize(
    ("cells", "kind", "expected"),
    [
        (["21", "24", "38", "39"], "mean", ["22", "22", "38", "38"]),  # whole numbers as text stay whole
        (["2.5", "2.6", "9.1", "9.4"], "mean", ["2.55", "2.55", "9.25", "9.25"]),
        (["21", "24", "38", "39"], "median", ["21", "21", "38", "38"]),
    ],
)
def test_numbers_in_text_stay_text(cells, kind, expected):
    schema = {"x": {**QUASI, "range": [0, 100], "step": 1, "release": kind}}
    made = Mondrian(requirement=KAnonymity(k=2), keep_order=True).publish(pa.table({"x": cells}), schema).data
    assert made["x"].to_pylist() == expected


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (pa.array([1, 2, 50, 52], pa.uint8()), pa.uint8()),
        (pa.array([1.0, 2.0, 50.0, 53.0], pa.float32()), pa.float32()),
        (pa.array(["1.10", "2.00", "50.55", "53.21"]).cast(pa.decimal128(6, 2)), pa.decimal128(6, 2)),
    ],
)
def test_the_type_of_a_column_stays(column, kind):
    schema = {"x": {**QUASI, "range": [0, 100], "step": 1, "release": "mean"}}
    made = Mondrian(requirement=KAnonymity(k=2)).publish(pa.table({"x": column}), schema)
    assert made.data.schema.field("x").type == kind
    assert made.verification.ok


def test_frames_of_guests_keep_their_types():
    schema = {"age": {**AGE, "release": "mean"}, "sex": QUASI}
    people = draw_people(3).select(["age", "sex"])
    for frame in (people.to_pandas(), polars.from_arrow(people)):
        made = Mondrian(requirement=KAnonymity(k=4)).publish(frame, schema).data
        assert type(made) is type(frame)
        assert str(made["age"].dtype).lower() == "int64"


def test_rounded_numbers_are_multiples():
    schema = {"age": {**AGE, "release": "mean", "round": 5}}
    made = Mondrian(requirement=KAnonymity(k=4)).publish(draw_people(1).select(["age"]), schema).data
    assert all(age % 5 == 0 for age in made["age"].to_pylist())


def test_a_missing_value_makes_its_whole_group_missing():
    people = draw_people(2, gaps=True).select(["age", "sex"])
    schema = {"age": {**AGE, "release": "mean"}, "sex": QUASI}
    publisher = Mondrian(requirement=KAnonymity(k=4), missing="category", keep_order=True)
    release = publisher.publish(people, schema)
    assert release.verification.ok
    assert release.data["age"].null_count >= people["age"].null_count
    assert all(
        shown is None
        for shown, age in zip(release.data["age"].to_pylist(), people["age"].to_pylist(), strict=True)
        if age is None
    )


def test_groups_with_the_same_numbers_may_not_fail_together():
    people = pa.table({"age": [10, 14, 11, 13], "ill": ["a", "b", "b", "c"]})
    schema = {"age": {**AGE, "release": "mean", "round": 10}, "ill": {"role": "sensitive"}}
    release = Mondrian(requirement=SimpleDiversity(l=2), keep_order=True).publish(people, schema)
    assert release.loss["groups"] == 1
    assert release.data["age"].to_pylist() == [10] * 4


def test_there_is_no_mapping_of_means():
    people = draw_people(4).select(["age", "sex"])
    schema = {"age": {**AGE, "release": "mean"}, "sex": QUASI}
    done = publish_table(PublishTable(table=people, k=3, schema=schema, method="incognito", suppress=0.1))
    with pytest.raises(UsageError, match="made of groups"):
        done.needed_mapping()
    with pytest.raises(UsageError, match="recodes equal values differently"):
        publisher = Incognito(requirement=KAnonymity(k=3), suppress=0.1)
        publisher.publish(people, schema)
        publisher.transform(people)


def test_the_owner_sees_numbers_in_every_view():
    people = draw_people(5, rows=120)
    schema = Schema.from_dict(
        {"age": {**AGE, "release": "mean"}, "hours": {**QUASI, "range": [0, 80], "step": 5}, "sex": QUASI}
    )
    release = publish_table(PublishTable(table=people, k=5, schema=schema, method="mondrian")).release
    assert 0 < release.loss["squared_error_by_column"]["age"] < 1
    assert set(release.passport.context["numbers"]) == {"age"}
    explained = Mondrian(requirement=KAnonymity(k=5)).publish(people, schema).explain(0).rows
    assert explained[0][1] == str(people["age"][0].as_py())
    worth = compare_tables(people, release.data, schema, classifiers=False)
    assert "age" in worth.of("rows that moved")
    found = attack_table(people, schema=schema, release=release.data)
    assert found.fewest_matches >= 5
    assert found.identified == 0
    assert found.absent == 0
    settings = explore_table(PublishTable(table=people, k=(5, 9), schema=schema, method="mondrian"))
    assert [row["holds"] for row in settings.rows()] == [True, True]


def test_averages_column_by_column_do_not_pass_for_a_release():
    """Each value is that of five rows or more, in its column; in combination hardly any row looks like another."""
    draw = np.random.default_rng(0)
    whole = pa.table({name: draw.normal(size=400).round(6) for name in "abcd"})
    schema = Schema.from_dict({name: {**QUASI, "range": [-9, 9], "release": "mean"} for name in "abcd"})
    columns = {}
    for name in "abcd":
        values = whole[name].to_numpy()
        group = np.argsort(np.argsort(values)) // 5
        columns[name] = (np.bincount(group, weights=values) / 5)[group]
    averaged = pa.table(columns)
    assert min(len(rows) for name in "abcd" for rows in groups_of(averaged, [name]).values()) == 5
    alike = groups_of(averaged, "abcd")
    assert sum(len(rows) for rows in alike.values() if len(rows) < 5) == 400
    from confide.audit import examine

    assert not examine(averaged, schema, requirement=KAnonymity(k=5)).verification.ok


@pytest.mark.parametrize(
    ("spec", "cells", "words"),
    [
        ({**AGE, "release": "mean"}, ["1", "b"], "holds other values, in 1 of 2 rows, first in row 2"),
        ({**AGE, "release": "mean"}, [True, False], "is of numbers, but it holds other values"),
        ({**AGE, "release": "mode"}, [1, 2], "release must be one of mean, median, midpoint"),
        ({**QUASI, "release": "mean"}, [1, 2], 'release = "mean" needs a range'),
        (
            {**AGE, "release": "mean"},
            [1, 400],
            r"lie outside the range \[0, \d+\] of the schema, in 1 of 2 rows, first in row 2",
        ),
        ({**AGE, "release": "mean"}, [1.0, float("inf")], "not finite"),
        ({**AGE, "release": "mean", "top": 5, "bottom": 9}, [1, 2], "bottom must be below top"),
        ({**AGE, "release": "mean", "top": 500}, [1, 2], "both in the range"),
        ({**AGE, "release": "mean", "round": 0}, [1, 2], "round must be a number above 0"),
        ({**AGE, "release": "mean", "round": 2.5}, [1, 2], "its numbers are multiples of 1"),
        ({**AGE, "top": 90}, [1, 2], "top is for numbers that stay numbers"),
        ({"role": "sensitive", "release": "mean"}, [1, 2], "release is for a quasi-identifier"),
    ],
)
def test_bad_numbers_get_one_line(spec, cells, words):
    with pytest.raises(ConfideError, match=words) as caught:
        Mondrian(requirement=KAnonymity(k=2)).publish(pa.table({"x": cells, "y": ["a", "a"]}), {"x": spec, "y": QUASI})
    assert "\n" not in str(caught.value)


def test_a_forged_context_fails(tmp_path):
    schema = {"age": {**AGE, "release": "mean"}, "sex": QUASI}
    release = Mondrian(requirement=KAnonymity(k=4)).publish(draw_people(7).select(["age", "sex"]), schema)
    release.write(tmp_path / "out.csv")
    path = passport_path(tmp_path / "out.csv")
    known = Passport.read(path)
    for numbers in ({"sex": "mean"}, {"age": "mode"}, {}, {"nobody": "mean"}, 3):
        known.model_copy(update={"context": {**known.context, "numbers": numbers}}).write(path, replace=True)
        assert "columns of numbers hold numbers" in [c.name for c in verify(path).checks if not c.ok]
    fewer = known.does_not_protect_against[:-1]
    known.model_copy(update={"does_not_protect_against": fewer}).write(path, replace=True)
    assert not verify(path).ok


def test_numbers_that_are_no_means_do_not_leave(monkeypatch):
    from confide.publish.tables.averaging import group_numbers

    plain = group_numbers._averages
    monkeypatch.setattr(group_numbers, "_averages", lambda *given: plain(*given) + 2)
    with pytest.raises(VerificationError, match="not what was read"):
        schema = {"age": {**AGE, "release": "mean"}}
        Mondrian(requirement=KAnonymity(k=4)).publish(draw_people(7).select(["age"]), schema)
