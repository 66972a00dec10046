import json

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
    assert fails in failed
    assert verify(passport).ok


@pytest.mark.parametrize("suppress", [0.0, 0.03, 0.3])
@pytest.mark.parametrize("seed", range(12))
def test_every_headline_we_write_is_accepted(seed, suppress):
    frame, schema = random_table(seed, rows=60, columns=2 + seed % 3, persons=seed % 2 == 1)
    for publisher in (Incognito, Mondrian):
        release = publisher(requirement=KAnonymity(k=2), suppress=suppress).publish(frame, schema)
        assert any(check.name == "its headline fits its figures" for check in release.verification.checks)
