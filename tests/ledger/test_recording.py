"""A release and its ledger: recorded before it has its name, checked together with earlier ones."""

import os
import signal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.ledger.series_tables import KEY, SCHEMA, register_of, year
from tests.oracles import several_releases as oracle

from confide import verify
from confide.core.errors import CannotMeetError, InputError, UsageError
from confide.core.file_groups import file_group
from confide.core.jobs.outcome import Host
from confide.core.passport import Passport
from confide.core.release import passport_path
from confide.ledger import ReleaseLedger
from confide.ledger.checking import check_together
from confide.ledger.owner_page import ledger_page
from confide.publish import PublishTable
from confide.publish.tables.table_publication import publish_table
from confide.share.jobs.publishing import train
from confide.share.jobs.requests import ShareTrain

PEOPLE = register_of(120)


@pytest.fixture
def ledger(tmp_path):
    (tmp_path / "people.key").write_bytes(KEY)
    return ReleaseLedger.new(tmp_path / "people.ledger", KEY)


def publication(table, ledger, *, schema=None, building=False, **settings):
    key = ledger.path.with_name("people.key")
    asked = {"k": 4, "diversity": "distinct", "l": 2, "method": "mondrian"} | settings
    asked |= {"after": ledger.path} if building else {"ledger": ledger.path}
    request = PublishTable(table=table, schema=schema or SCHEMA, ledger_key=key, **asked)
    return publish_table(request)


def publish(table, ledger, name, **settings):
    done = publication(table, ledger, **settings)
    done.release.write(ledger.path.with_name(name))
    return done


def read(ledger):
    return ReleaseLedger.read(ledger.path, KEY)


def test_a_release_is_recorded_with_its_people_groups_and_values(ledger):
    done = publish(year(PEOPLE, range(100)), ledger, "a.csv")
    found = read(ledger)
    (release,) = found.releases
    written = Passport.read(passport_path(ledger.path.with_name("a.csv")))
    assert release.done
    assert release.passport == written
    assert release.people == 100 == len(found.pseudonyms)
    assert len(set(release.groups.tolist())) == done.release.loss["groups"]
    diagnoses = [found.labels[value][0] for value in release.values.tolist()]
    assert sorted(diagnoses) == sorted(PEOPLE["diagnosis"].to_pylist()[:100])


def test_people_keep_their_numbers_over_releases(ledger):
    publish(year(PEOPLE, range(100)), ledger, "a.csv")
    publish(year(PEOPLE, range(10, 120)), ledger, "b.csv")
    found = read(ledger)
    assert len(found.pseudonyms) == 120
    both = (found.history().groups >= 0).sum(axis=0)
    assert sorted(both.tolist()) == [1] * 30 + [2] * 90


def test_what_is_noted_is_what_enumerating_all_worlds_finds(ledger):
    """A register of 14 people and two values, so that all worlds can be listed."""
    small = register_of(14, seed=5)
    ill = pa.array(["yes" if i % 3 else "no" for i in range(14)])
    small = small.set_column(small.schema.get_field_index("diagnosis"), "diagnosis", ill)
    publish(year(small, range(11)), ledger, "a.csv", k=3)
    done = publication(year(small, range(2, 14)), ledger, k=3)
    assert "certain" in done.notes[-1]
    done.release.write(ledger.path.with_name("b.csv"))
    history = read(ledger).history()
    possible = oracle.worlds_values(history.groups.tolist(), history.values.tolist())
    certain = sum(len(values) == 1 for values in possible)
    register = check_together(read(ledger)).register
    assert register["certain_at_least"] <= certain <= register["certain_at_most"]


def test_a_release_that_was_checked_against_an_older_ledger_does_not_leave(ledger):
    one = publication(year(PEOPLE, range(100)), ledger)
    other = publication(year(PEOPLE, range(20, 120)), ledger)
    one.release.write(ledger.path.with_name("a.csv"))
    with pytest.raises(UsageError, match="has changed since this release was checked"):
        other.release.write(ledger.path.with_name("b.csv"))
    assert not ledger.path.with_name("b.csv").exists()
    assert len(read(ledger)) == 1


def test_a_trial_records_nothing(ledger):
    publication(year(PEOPLE, range(100)), ledger)
    assert len(read(ledger)) == 0


def killed(action, at):
    """Run `action` in a child that is killed (-9) when it is about to make its `at`th change of files; how it ended."""
    child = os.fork()
    if child == 0:
        left = at
        try:

            def counting(call):
                def count(*given, **named):
                    nonlocal left
                    if left == 0:
                        os.kill(os.getpid(), signal.SIGKILL)
                    left -= 1
                    return call(*given, **named)

                return count

            for name in ("link", "replace", "rename", "unlink", "fsync", "open", "mkdir", "rmdir"):
                setattr(os, name, counting(getattr(os, name)))
            action()
        finally:
            os._exit(0)
    return os.waitpid(child, 0)[1]


@pytest.mark.parametrize("building", [False, True])
def test_kill_9_anywhere_leaves_no_release_that_the_ledger_does_not_know(ledger, building):
    publish(year(PEOPLE, range(100)), ledger, "a.csv", building=building)
    release = publication(
        year(PEOPLE, range(5, 105)), ledger, building=building, **({"carry": 0.2, "suppress": 0.2} if building else {})
    ).release
    target, before = ledger.path.with_name("b.csv"), ledger.path.read_bytes()
    passport = release.passport.for_bytes(b"the released rows", "b.csv", type="table")

    def write():  # what `Release.write` does, without Arrow, whose threads a forked process does not have
        with file_group() as group:
            group.place(target).write_bytes(b"the released rows")
            passport.write(group.place(passport_path(target)))
            group.within(release.recorder(passport))

    states, at = set(), 0
    while True:
        ended = killed(write, at)
        found = read(ledger)
        if target.exists():
            assert passport.artefact.sha256 in {release.sha256 for release in found.releases}
        states.add((target.exists(), len(found), found.releases[-1].done))
        if ended == 0:
            break
        assert os.WTERMSIG(ended) == signal.SIGKILL
        for path in (target, passport_path(target)):
            path.unlink(missing_ok=True)
        ledger.path.write_bytes(before)
        at += 1
    assert at > 20
    assert {(False, 1, True), (False, 2, False), (True, 2, False), (True, 2, True)} <= states


def test_a_pending_release_counts_as_published(ledger):
    publish(year(PEOPLE, range(100)), ledger, "a.csv")
    done = publication(year(PEOPLE, range(20, 120)), ledger)
    with (
        pytest.raises(RuntimeError),
        done.release.recorder(done.release.passport.for_bytes(b"x", "b.csv", type="table")),
    ):
        raise RuntimeError  # the files never got their names
    found = read(ledger)
    assert [release.done for release in found.releases] == [True, False]
    assert check_together(found).releases == 2


def test_who_is_forgotten_is_a_stranger_whose_place_stays(ledger):
    publish(year(PEOPLE, range(100)), ledger, "a.csv")
    before = read(ledger)
    label = PEOPLE["id"].to_pylist()[7]
    before.without_person(label).write()
    after = read(ledger)
    assert after.forgotten == 1
    assert (after.pseudonyms != before.pseudonyms).sum() == 1
    assert after.releases[0].groups.tolist() == before.releases[0].groups.tolist()
    with pytest.raises(InputError, match="nobody of this name"):
        after.without_person(label)


def test_the_key_does_not_find_the_place_of_who_was_forgotten(ledger):
    """Numbers of people do not follow their pseudonyms, or the erased one would be between its neighbours."""
    publish(year(PEOPLE, range(100)), ledger, "a.csv")
    known = ledger.file.seal.pseudonyms(PEOPLE["id"].to_pylist()[:100])
    middle = int(np.argsort(known)[50])  # at an end few neighbours could be on both sides of it
    label, sought = PEOPLE["id"].to_pylist()[middle], known[middle]
    read(ledger).without_person(label).write()
    left = read(ledger).pseudonyms
    before, behind = np.minimum(left[:-2], left[2:]), np.maximum(left[:-2], left[2:])
    assert ((before < sought) & (sought < behind)).sum() > 5
    assert 30 < (np.diff(left.astype(np.float64)) > 0).sum() < 70


def test_several_rows_of_a_person_are_one_clear_line(ledger):
    with pytest.raises(InputError, match="column 'id': some people have several rows"):
        publication(year(PEOPLE, [*range(60), *range(60)]), ledger)


def test_other_peoples_ledger_is_one_clear_line(ledger):
    publish(year(PEOPLE, range(100)), ledger, "a.csv")
    strangers = PEOPLE.set_column(PEOPLE.schema.get_field_index("id"), "id", [[f"x{i}" for i in range(120)]])
    with pytest.raises(InputError, match="knows none of these 120 people"):
        publication(strangers, ledger)


def test_without_a_column_of_persons_only_the_same_input_follows(ledger):
    schema = {name: spec for name, spec in SCHEMA.items() if name != "id"}
    table = PEOPLE.drop_columns(["id"])
    publish(table, ledger, "a.csv", schema=schema)
    publish(table, ledger, "b.csv", schema=schema, k=8)
    assert len(read(ledger).pseudonyms) == 120
    with pytest.raises(InputError, match="only the same input can follow"):
        publication(table.slice(1), ledger, schema=schema)
    with pytest.raises(InputError, match="knows people by no column, and this table by the column 'id'"):
        publication(PEOPLE, ledger)


def test_a_value_that_is_sensitive_once_is_so_always(ledger):
    publish(year(PEOPLE, range(100)), ledger, "a.csv")
    with pytest.raises(InputError, match="follows the sensitive columns diagnosis, and this table has none"):
        publication(PEOPLE, ledger, schema=SCHEMA | {"diagnosis": {"role": "identifier"}}, diversity=None, l=None)


def test_columns_that_are_released_as_they_are_let_rows_be_joined(ledger):
    open_column = PEOPLE.append_column("ward", pa.array([str(i) for i in range(120)]))
    schema = SCHEMA | {"ward": {"role": "insensitive"}}
    publish(year(open_column, range(100)), ledger, "a.csv", schema=schema)
    done = publication(year(open_column, range(20, 120)), ledger, schema=schema)
    assert "rows can be joined by ward" in done.notes[-1]


def test_a_passphrase_is_asked_for_where_there_is_no_key(tmp_path):
    ReleaseLedger.new(tmp_path / "p.ledger", "open sesame")
    request = PublishTable(table=PEOPLE, schema=SCHEMA, k=4, ledger=Path(tmp_path / "p.ledger"))
    publish_table(request, Host(secret=lambda question, new: "open sesame")).release.write(tmp_path / "a.csv")
    assert len(ReleaseLedger.read(tmp_path / "p.ledger", "open sesame")) == 1
    with pytest.raises(UsageError, match="nobody can be asked for a passphrase"):
        publish_table(request)


def built(table, ledger, name, **settings):
    return publish(table, ledger, name, building=True, **{"carry": 0.1, "suppress": 0.1} | settings)


def test_years_that_are_built_on_one_another_make_nothing_certain(ledger):
    big = register_of(400, seed=3)
    for number in range(3):
        done = built(year(big, range(number * 15, 300 + number * 40)), ledger, f"{number}.csv")
    found = read(ledger)
    view = check_together(found)
    assert view.ok
    assert view.cells["fewest_values"] >= 2
    assert (view.register["certain_at_most"], view.neighbour["certain"]) == (0, 0)
    passport = done.release.passport
    assert passport.context["after"]["releases"] == [one.sha256 for one in found.releases[:2]]
    assert verify(passport_path(ledger.path.with_name("2.csv"))).ok
    page = ledger_page(found)
    assert page.tables["What they say together"].rows[-1][-1].startswith("at least 2 sensitive values stay possible")
    assert page.tables["Time line"].rows[-1][7] == len(found.releases[-1].carried)


@pytest.mark.parametrize(("first", "second"), [(4, 8), (8, 4)])
def test_the_same_people_with_another_k(ledger, first, second):
    """A larger k joins cells, a smaller one divides them: groups are unions of groups, one way or the other."""
    built(PEOPLE, ledger, "a.csv", k=first)
    done = built(PEOPLE, ledger, "b.csv", k=second, carry=0, suppress=0)
    a, b = (release.groups for release in read(ledger).releases)
    coarse, fine = (b, a) if second > first else (a, b)
    assert len(set(zip(coarse.tolist(), fine.tolist(), strict=True))) == len(set(fine.tolist()))
    assert done.release.loss["smallest_group"] >= second
    assert done.release.loss["rows_carried"] == 0


def test_levels_stay_or_rise_and_nothing_is_certain(ledger):
    big = register_of(400, seed=4)
    first = built(year(big, range(320)), ledger, "a.csv", method="incognito", k=3)
    done = built(year(big, range(15, 350)), ledger, "b.csv", method="incognito", k=3, carry=0.05)
    before, after = (one.release.passport.parameters["levels"] for one in (first, done))
    assert all(after[name] >= level for name, level in before.items())
    assert done.mapping is not None
    view = check_together(read(ledger))
    assert view.ok
    assert view.cells["fewest_values"] >= 2


def test_other_columns_over_the_same_cells(ledger):
    """What the second release shows of other columns lies in the groups of the first."""
    schema = {name: spec for name, spec in SCHEMA.items() if name != "postcode"}
    built(PEOPLE.drop_columns(["postcode"]), ledger, "a.csv", schema=schema)
    other = {name: spec for name, spec in SCHEMA.items() if name != "age"}
    built(PEOPLE.drop_columns(["age"]), ledger, "b.csv", schema=other)
    view = check_together(read(ledger))
    assert view.ok
    assert view.cells["ok"]


def test_a_table_is_built_on_a_tree_and_no_tree_on_a_table(ledger):
    domains = {
        "class": "diagnosis",
        "classes": sorted(set(PEOPLE["diagnosis"].to_pylist())),
        "attributes": {"sex": {"values": sorted(set(PEOPLE["sex"].to_pylist()))}},
    }
    key = ledger.path.with_name("people.key")
    request = ShareTrain(table=PEOPLE, domains=domains, k=10, after=ledger.path, ledger_key=key, person="id")
    train(request).release.write(ledger.path.with_name("tree.json"))
    done = built(PEOPLE, ledger, "a.csv")
    leaves, groups = (release.groups for release in read(ledger).releases)
    assert len(set(zip(leaves.tolist(), groups.tolist(), strict=True))) == len(set(groups.tolist()))
    assert done.release.passport.context["after"]["values"] >= 2
    with pytest.raises(UsageError, match=r"holds a\.csv, and a tree that keeps its groups whole is one leaf"):
        train(request)


def test_releases_that_were_not_built_on_one_another_are_one_clear_line(ledger):
    publish(year(PEOPLE, range(100)), ledger, "a.csv")
    publish(year(PEOPLE, range(20, 120)), ledger, "b.csv")
    with pytest.raises(InputError, match=r"release 2 \(b\.csv\) was not built on release 1"):
        publication(PEOPLE, ledger, building=True)


def test_columns_that_tell_rows_apart_are_one_clear_line_once_somebody_came(ledger):
    open_column = PEOPLE.append_column("ward", pa.array([str(i) for i in range(120)]))
    schema = SCHEMA | {"ward": {"role": "insensitive"}}
    built(year(open_column, range(100)), ledger, "a.csv", schema=schema)
    with pytest.raises(InputError, match=r"column 'ward': is released as it is .* tells rows apart"):
        built(year(open_column, range(5, 115)), ledger, "b.csv", schema=schema)
    built(year(open_column, range(100)), ledger, "b.csv", schema=schema, k=8)


def test_values_too_many_to_match_are_one_clear_line(ledger):
    alone = PEOPLE.set_column(
        PEOPLE.schema.get_field_index("diagnosis"), "diagnosis", pa.array([f"illness {i}" for i in range(120)])
    )
    built(year(alone, range(100)), ledger, "a.csv")
    with pytest.raises(CannotMeetError, match="110 different values, too many to match: make them coarser"):
        built(year(alone, range(10, 120)), ledger, "b.csv", carry=0.01)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "incognito"}, "a.csv is not at one level for each column"),
        ({"method": "top-down"}, "method='top-down' builds on no earlier release"),
        ({"missing": "drop"}, "no row may be dropped"),
        ({"carry": 1.5}, "carry"),
    ],
)
def test_settings_that_do_not_go_with_building_are_one_clear_line(ledger, settings, message):
    built(PEOPLE, ledger, "a.csv")
    with pytest.raises(UsageError, match=message):
        built(PEOPLE, ledger, "b.csv", **settings)


def test_two_ledgers_are_one_too_many(ledger):
    with pytest.raises(UsageError, match="after= records the release in its own"):
        PublishTable(table=PEOPLE, schema=SCHEMA, k=4, ledger=ledger.path, after=ledger.path)
