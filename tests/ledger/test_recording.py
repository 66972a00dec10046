"""A release and its ledger: recorded before it has its name, checked together with earlier ones."""

import os
import signal
from pathlib import Path

import pyarrow as pa
import pytest
from tests.ledger.series_tables import KEY, SCHEMA, register_of, year
from tests.oracles import several_releases as oracle

from confide.core.errors import InputError, UsageError
from confide.core.file_groups import file_group
from confide.core.jobs.outcome import Host
from confide.core.passport import Passport
from confide.core.release import passport_path
from confide.ledger import ReleaseLedger
from confide.ledger.checking import check_together
from confide.publish import PublishTable
from confide.publish.tables.publication import publish_table

PEOPLE = register_of(120)


@pytest.fixture
def ledger(tmp_path):
    (tmp_path / "people.key").write_bytes(KEY)
    return ReleaseLedger.new(tmp_path / "people.ledger", KEY)


def publication(table, ledger, *, schema=None, **settings):
    key = ledger.path.with_name("people.key")
    asked = {"k": 4, "diversity": "distinct", "l": 2, "method": "mondrian"} | settings
    request = PublishTable(table=table, schema=schema or SCHEMA, ledger=ledger.path, ledger_key=key, **asked)
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


def test_kill_9_anywhere_leaves_no_release_that_the_ledger_does_not_know(ledger):
    publish(year(PEOPLE, range(100)), ledger, "a.csv")
    release = publication(year(PEOPLE, range(20, 120)), ledger).release
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
