"""Releases of the same baskets: what they tell together, and releases that show only items of the first."""

import random
from pathlib import Path

import pytest
from tests.amounts import some
from tests.ledger.series_tables import KEY, SCHEMA, register_of
from tests.oracles.publish import moles

from confide import Transactions, verify
from confide.audit.release_chain import check_chain
from confide.core.errors import CannotMeetError, InputError, RequestError, UsageError
from confide.core.passport import Passport
from confide.core.release import passport_path
from confide.ledger import ReleaseLedger
from confide.ledger.checking import say_together
from confide.ledger.owner_page import ledger_page
from confide.publish import PublishTable
from confide.publish.jobs.transactions import PublishTransactions
from confide.publish.tables.table_publication import publish_table
from confide.publish.transactions.publication import publish_transactions, run


@pytest.fixture
def ledger(tmp_path):
    (tmp_path / "people.key").write_bytes(KEY)
    return ReleaseLedger.new(tmp_path / "people.ledger", KEY)


def random_baskets(seed, records=60, items=8):
    draw = random.Random(seed)
    rows = [[f"i{i}" for i in range(items) if draw.random() < 0.5 / (1 + i % 4)] for _ in range(records)]
    return Transactions.from_lists([[*row, "i0"] + ["s:x"] * (draw.random() < 0.2) for row in rows])


BASKETS = random_baskets(1)


def publication(baskets, ledger, *, building=False, **settings):
    asked = {"k": 3, "p": 2, "h": 0.8, "private_prefix": ["s:"]} | settings
    asked |= {"after": ledger.path} if building else {"ledger": ledger.path}
    request = PublishTransactions(records=baskets, ledger_key=ledger.path.with_name("people.key"), **asked)
    return publish_transactions(request)


def publish(baskets, ledger, name, **settings):
    done = publication(baskets, ledger, **settings)
    done.release.write(ledger.path.with_name(name))
    return done


def read(ledger):
    return ReleaseLedger.read(ledger.path, KEY)


def public(items):
    return {item for item in items if not item.startswith("s:")}


def test_a_release_is_recorded_with_its_items(ledger):
    done = publish(BASKETS, ledger, "a.dat")
    (release,) = read(ledger).item_releases
    assert release.done
    assert release.passport == Passport.read(passport_path(ledger.path.with_name("a.dat")))
    assert release.items == {item for row in done.release.data for item in row}
    assert release.private == {"s:x"}
    assert (release.records, len(read(ledger))) == (60, 1)


def test_what_is_built_on_others_shows_only_items_of_the_first(ledger):
    publish(BASKETS, ledger, "a.dat", building=True, k=4, p=2)
    for name, asked in (("b.dat", {"k": 9}), ("c.dat", {"k": 2, "p": 1}), ("d.dat", {"k": 2, "by": "generalise"})):
        done = publish(BASKETS, ledger, name, building=True, **asked)
        assert verify(passport_path(ledger.path.with_name(name))).ok
    found = read(ledger)
    first, *later = found.item_releases
    assert all(release.items <= first.items for release in later)
    assert "Together with the 3 earlier releases that it names" in done.release.passport.promise
    assert "tells no more than the first of them" in done.release.passport.promise
    view = say_together(found)
    assert (view.ok, view.together, view.beyond) == (True, True, 0)
    assert done.notes[-1].endswith("so together they tell no more than it does")
    passports = [release.passport for release in found.item_releases]
    assert all(check.ok for checks in check_chain(passports) for check in checks)
    assert ledger_page(found).tables["Time line"].rows[-1][-1] == "the promise holds"


@pytest.mark.parametrize("seed", some(range(200), every=10))
def test_whether_all_items_together_keep_the_promise_is_what_counting_them_finds(tmp_path, seed):
    """Two releases by other settings; whoever joins their rows sees each basket with the items of either."""
    draw = random.Random(seed)
    baskets = random_baskets(seed, records=25, items=6)
    (tmp_path / "people.key").write_bytes(KEY)
    ledger = ReleaseLedger.new(tmp_path / "people.ledger", KEY)
    asked = []
    for name in ("a.dat", "b.dat"):
        k, p, h = draw.randint(2, 5), draw.randint(1, 3), draw.choice([0.5, 0.8, 1.0])
        never = draw.sample(sorted(public(baskets.labels) - {"i0"}), 3)
        asked.append((k, p, h))
        try:
            publish(baskets, ledger, name, k=k, p=p, h=h, never=never)
        except CannotMeetError:
            pytest.skip("these few baskets cannot be released twice")
    view = say_together(read(ledger))
    shown = frozenset().union(*(release.items for release in read(ledger).item_releases))
    joined = [[item for item in row if item in shown] for row in baskets]
    least = {"k": min(a[0] for a in asked), "p": min(a[1] for a in asked), "h": max(a[2] for a in asked)}
    nested = read(ledger).item_releases[1].items <= read(ledger).item_releases[0].items
    found = moles(joined, private={label for label in baskets.labels if label.startswith("s:")}, **least)
    assert view.together == (nested or not found)
    assert nested == (view.beyond == 0)


def test_items_that_together_identify_people_are_a_warning(ledger):
    """Nobody is alone with a, or with b; but only one basket has both."""
    rows = [["a"], ["a"], ["b"], ["b"], ["a", "b"], ["c"], ["c"]]
    baskets = Transactions.from_lists(rows)
    publish(baskets, ledger, "a.dat", k=2, h=1, private_prefix=[], never=["b"])
    done = publish(baskets, ledger, "b.dat", k=2, h=1, private_prefix=[], never=["a"])
    assert done.notes[-1].startswith("warning: ")
    assert "all items together do not keep this" in done.notes[-1]
    assert not say_together(read(ledger)).ok
    assert ledger_page(read(ledger)).warning
    with pytest.raises(InputError, match=r"release 2 \(b\.dat\) was not built on release 1"):
        publication(baskets, ledger, building=True, k=2, h=1, private_prefix=[])


def test_broader_names_beside_other_items_are_not_worked_out(ledger):
    publish(BASKETS, ledger, "a.dat", by="generalise", k=9)
    done = publish(BASKETS, ledger, "b.dat", k=9)
    assert say_together(read(ledger)).together is None
    assert "nobody worked out what all tell together" in done.notes[-1]
    with pytest.raises(InputError, match=r"release 1 \(a\.dat\) shows broader names"):
        publication(BASKETS, ledger, building=True)


def test_an_item_that_the_first_does_not_show_cannot_be_kept(ledger):
    publish(BASKETS, ledger, "a.dat", building=True, never=["i3"])
    with pytest.raises(UsageError, match="item 'i3' cannot be kept: the first release that this one is built on"):
        publication(BASKETS, ledger, building=True, keep=["i3"])


def test_other_baskets_and_other_kinds_are_one_clear_line_each(ledger):
    publish(BASKETS, ledger, "a.dat")
    with pytest.raises(InputError, match="was begun with other baskets, and only the same ones"):
        publication(random_baskets(2), ledger)
    with pytest.raises(InputError, match="follows other private items"):
        publication(BASKETS, ledger, h=1, private_prefix=[])
    key = ledger.path.with_name("people.key")
    with pytest.raises(InputError, match="holds releases of baskets, and this is none"):
        publish_table(PublishTable(table=register_of(40), schema=SCHEMA, k=4, after=ledger.path, ledger_key=key))
    other = ReleaseLedger.new(ledger.path.with_name("other.ledger"), KEY)
    done = publish_table(PublishTable(table=register_of(40), schema=SCHEMA, k=4, ledger=other.path, ledger_key=key))
    done.release.write(ledger.path.with_name("t.csv"))
    with pytest.raises(InputError, match="holds releases of tables or trees, and this is one of baskets"):
        publication(BASKETS, other)


def test_what_releases_nothing_has_no_ledger(ledger):
    asked = {"records": BASKETS, "k": (2, 3), "p": 1, "h": 1.0, "explore": True, "ledger": ledger.path}
    with pytest.raises(RequestError, match="explore= releases nothing"):
        run(PublishTransactions(**asked, ledger_key=ledger.path.with_name("people.key")))
    assert len(read(ledger)) == 0


def test_a_ledger_without_releases_has_nothing_to_put_together(ledger):
    view = say_together(ledger)
    assert view.ok
    assert "nothing to put together" in view.lines()[0]


def test_records_in_files_are_refused(ledger, tmp_path):
    from confide.core.datasets.choice import using_engine
    from confide.core.datasets.intake import as_records

    BASKETS.write(tmp_path / "b.parquet")
    with using_engine("stream"):
        stored = as_records(Path(tmp_path / "b.parquet"))
    if stored.in_memory:
        pytest.skip("read into memory")
    with pytest.raises(RequestError, match="follows records in memory"):
        publication(stored, ledger)
