import json

import pyarrow as pa
import pytest
from tests.publish.tables.random_tables import random_table

from confide import KAnonymity, verify
from confide.publish import Incognito, Mondrian


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A release of rows and one of persons, with rows left out: the file, and its passport as data."""
    folder = tmp_path_factory.mktemp("telling")
    made = {}
    for name, options in (("rows", {}), ("persons", {"persons": True})):
        frame, schema = random_table(11, rows=80, columns=3, **options)
        Incognito(requirement=KAnonymity(k=3), suppress=0.2).publish(frame, schema).write(folder / f"{name}.csv")
        passport = folder / f"{name}.csv.passport.json"
        made[name] = (passport, json.loads(passport.read_text()))
    return made


@pytest.mark.parametrize("kind", ["rows", "persons"])
@pytest.mark.parametrize(
    ("entry", "value", "fails"),
    [
        (("headline",), "Nobody can ever be identified.", "its headline fits its figures"),
        (("headline",), ("others", "others; trust us"), "its headline fits its figures"),
        (("headline",), ("% of all", "0% of all"), "its headline fits its figures"),
        (("headline",), ("at least ", "at least 1"), "its headline fits its figures"),
        (("headline",), ("Less than", "No more than"), "its headline fits its figures"),
        (("loss", "detail_lost"), 0.001, "its headline fits its figures"),
        (("loss", "detail_lost"), -5, "its figures of groups fit the table"),
        (("loss", "entropy_lost"), 1.5, "its figures of groups fit the table"),
        (("loss", "rows"), 10**9, "its figures of groups fit the table"),
        (("loss", "rows_suppressed"), -3, "its figures of groups fit the table"),
        (("loss", "groups"), 1, "its figures of groups fit the table"),
        (("context", "weaker"), True, "its context is what tables have"),
    ],
)
def test_what_does_not_fit_the_table_is_refused(published, kind, entry, value, fails):
    passport, good = published[kind]
    forged = json.loads(json.dumps(good))
    place = forged
    for name in entry[:-1]:
        place = place[name]
    old = place.get(entry[-1])
    if isinstance(value, tuple) and value[0] not in old:
        value = (old.split("; ")[0], "Little is lost")
    place[entry[-1]] = old.replace(*value, 1) if isinstance(value, tuple) else value
    passport.write_text(json.dumps(forged))
    failed = [check.name for check in verify(passport).failed]
    passport.write_text(json.dumps(good))
    assert fails in failed or failed == ["passport is well-formed"]  # as where a share is none
    assert verify(passport).ok


@pytest.fixture
def with_gaps(tmp_path):
    """A release from which rows with missing values were dropped: its passport's path."""
    ages = [str(20 + row % 10) for row in range(300)] + [None] * 97
    frame = pa.table({"age": ages, "ill": ["a", "b", "c"] * 132 + ["a"]})
    schema = {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}}
    release = Mondrian(requirement=KAnonymity(k=5), missing="drop").publish(frame, schema)
    release.write(tmp_path / "out.csv")
    assert release.key_figures == ("detail_lost", "rows_left_out", "smallest_group")
    return tmp_path / "out.csv.passport.json"


def test_rows_dropped_as_missing_are_left_out(with_gaps):
    written = json.loads(with_gaps.read_text())
    assert "; 97 rows (24.4%) are left out; " in written["headline"]
    assert written["headline"].startswith("Less than 25% of all detail is lost")
    assert {name: written["loss"][name] for name in ("rows", "rows_left_out", "rows_with_missing_values")} == {
        "rows": 397,
        "rows_left_out": 97,
        "rows_with_missing_values": 97,
    }
    assert verify(with_gaps).ok


@pytest.mark.parametrize(
    "changes",
    [
        {"headline": "97 rows (24.4%) are left out -> no row is left out"},
        {"headline": "97 rows (24.4%) are left out -> no row is left out", "rows_left_out": 0},
        {"headline": "97 rows (24.4%) are left out -> no row is left out", "rows_left_out": None},
        {"rows_left_out": None},
        {"rows_left_out": "fewer than 5"},
    ],
)
def test_a_headline_that_passes_over_them_is_refused(with_gaps, changes):
    written = json.loads(with_gaps.read_text())
    for name, value in changes.items():
        if name == "headline":
            written["headline"] = written["headline"].replace(*value.split(" -> "))
        elif value is None:
            del written["loss"][name], written["units"][name]
        else:
            written["loss"][name] = value
    with_gaps.write_text(json.dumps(written))
    assert not verify(with_gaps).ok


@pytest.mark.parametrize("suppress", [0.0, 0.03, 0.3])
@pytest.mark.parametrize("seed", range(12))
def test_every_headline_we_write_is_accepted(seed, suppress):
    frame, schema = random_table(seed, rows=60, columns=2 + seed % 3, persons=seed % 2 == 1)
    for publisher in (Incognito, Mondrian):
        release = publisher(requirement=KAnonymity(k=2), suppress=suppress).publish(frame, schema)
        assert any(check.name == "its headline fits its figures" for check in release.verification.checks)
