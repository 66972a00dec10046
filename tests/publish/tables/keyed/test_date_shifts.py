"""Dates shifted by person: intervals stay, the key alone decides, and the auditor follows each person."""

from dataclasses import replace
from datetime import date, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from confide import KAnonymity, Passport, Schema, verify
from confide.audit.comparisons.compared_table import compare_table
from confide.core.artefacts.originals import OriginalTable
from confide.core.errors import InputError, UsageError
from confide.core.requirements.tables import DATES_SHIFTED
from confide.publish import Incognito, Mondrian

KEY = b"a key of 16 bytes or more"
START = date(2024, 2, 20)


def stays(kind=None):
    """Two stays of each of 30 people, of whom every tenth lacks a day of discharge."""
    admitted = [START + timedelta(7 * (i % 13) + i) for i in range(60)]
    discharged = [None if i % 10 == 0 else day + timedelta(i % 5) for i, day in enumerate(admitted)]
    if kind is str:
        admitted = [day.isoformat() for day in admitted]
        discharged = [None if day is None else f"{day.isoformat()} 08:30" for day in discharged]
    elif kind is datetime:
        admitted, discharged = (
            [None if day is None else datetime(day.year, day.month, day.day, 8, 30) for day in days]
            for days in (admitted, discharged)
        )
    return pa.table(
        {
            "who": [f"p{i % 30}" for i in range(60)],
            "age": [20 + i % 3 for i in range(60)],
            "admitted": admitted,
            "discharged": discharged,
        }
    )


def schema(**changes):
    described = {
        "who": {"role": "person"},
        "age": {"role": "quasi-identifier", "range": [0, 99]},
        "admitted": {"role": "insensitive", "shift": 90},
        "discharged": {"role": "insensitive", "shift": 90},
    }
    return {name: {**spec, **changes.get(name, {})} for name, spec in described.items()}


def published(frame, described=None, **options):
    made = Mondrian(requirement=KAnonymity(k=3), keep_order=True, shift_key=KEY, **options)
    return made.publish(frame, described or schema())


def as_date(value):
    return datetime.fromisoformat(value) if isinstance(value, str) else value


@pytest.mark.parametrize("kind", [None, str, datetime])
def test_intervals_of_a_person_stay_and_types_too(kind):
    frame = stays(kind)
    release = published(frame)
    moved: dict = {}
    for name in ("admitted", "discharged"):
        assert release.data[name].type == frame[name].type
        for who, before, after in zip(
            *(t.to_pylist() for t in (frame["who"], frame[name], release.data[name])), strict=True
        ):
            assert (before is None) == (after is None)
            if before is not None:
                moved.setdefault(who, set()).add(as_date(after) - as_date(before))
    assert all(len(shifts) == 1 for shifts in moved.values())
    days = [next(iter(shifts)) / timedelta(1) for shifts in moved.values()]
    assert all(day == int(day) and abs(day) <= 90 for day in days)
    assert len(set(days)) > 15
    assert release.comparison.ok


def test_the_same_key_shifts_a_person_alike_and_another_does_not():
    one, again = published(stays()), published(stays())
    other = Mondrian(requirement=KAnonymity(k=3), keep_order=True, shift_key=KEY[::-1]).publish(stays(), schema())
    assert one.data["admitted"].equals(again.data["admitted"])
    assert not one.data["admitted"].equals(other.data["admitted"])


def test_shifts_are_spread_evenly():
    frame = pa.table({"who": [f"q{i}" for i in range(4000)], "age": [20] * 4000, "admitted": [START] * 4000})
    described = {name: spec for name, spec in schema(admitted={"shift": 1}).items() if name != "discharged"}
    found = published(frame, described).data["admitted"].to_pylist()
    counts = np.unique([(day - START).days for day in found], return_counts=True)
    assert counts[0].tolist() == [-1, 0, 1]
    assert counts[1].min() > 1200  # 4000/3 = 1333 +- 30: beyond 4 standard errors with a chance below 1 in 10,000


def test_the_passport_counts_no_protection(tmp_path):
    release = published(stays())
    assert DATES_SHIFTED in release.passport.does_not_protect_against
    assert release.passport.context["shifted"] == ["admitted", "discharged"]
    assert "shift_key" not in release.passport.parameters
    release.write(tmp_path / "out.csv")
    assert verify(tmp_path / "out.csv.passport.json").ok
    passport = Passport.read(tmp_path / "out.csv.passport.json")
    kept = tuple(text for text in passport.does_not_protect_against if text != DATES_SHIFTED)
    forged = passport.model_copy(update={"does_not_protect_against": kept})
    assert "what shifted dates leave open is named" in [
        check.name for check in verify(forged, artefact=tmp_path / "out.csv").failed
    ]


def test_the_auditor_refuses_dates_that_moved_otherwise():
    frame, described = stays(), Schema.from_dict(schema())
    release = published(frame)
    original = OriginalTable(table=frame, schema=described, places=np.arange(60))

    def fails(table):
        return [check.name for check in compare_table(table, release.passport, original) if not check.ok]

    assert fails(release.data) == []
    dates = release.data["admitted"].to_pylist()
    for wrong in (
        [dates[0] + timedelta(1), *dates[1:]],  # another day than the person's other dates
        [day + timedelta(400) for day in dates],
        [None, *dates[1:]],
        frame["admitted"].to_pylist(),  # not shifted, while the others are
    ):
        place = release.data.column_names.index("admitted")
        assert fails(release.data.set_column(place, "admitted", pa.array(wrong))) == ["every cell covers what was read"]


def test_further_rows_come_without_the_dates():
    recoded = Incognito(requirement=KAnonymity(k=3), shift_key=KEY)
    recoded.publish(stays(), schema())
    assert recoded.transform(stays()).column_names == ["age"]


@pytest.mark.parametrize(
    ("changes", "options", "words"),
    [
        ({}, {"shift_key": None}, "give shift_key="),
        ({}, {"shift_key": b"short"}, "16 bytes or more"),
        ({"admitted": {"shift": 30}}, {}, "are shifted differently"),
        ({"who": {"role": "insensitive"}}, {}, "no column says whose row it is"),
        ({"admitted": {"shift": 0}}, {}, "shift must be a whole number of days"),
        ({"admitted": {"role": "sensitive"}}, {}, "so for an insensitive column"),
    ],
)
def test_what_cannot_be_shifted_is_one_clear_line(changes, options, words):
    with pytest.raises((UsageError, InputError), match=words):
        Mondrian(**{"requirement": KAnonymity(k=3), "shift_key": KEY, **options}).publish(stays(), schema(**changes))


def test_a_key_without_dates_to_shift_and_dates_that_are_none_are_refused():
    plain = {name: {k: v for k, v in spec.items() if k != "shift"} for name, spec in schema().items()}
    with pytest.raises(UsageError, match="write shift = 180"):
        published(stays(), plain)
    words = stays().set_column(2, "admitted", pa.array(["soon"] * 60))
    with pytest.raises(InputError, match=r"'admitted'.*holds a value that is no date"):
        published(words)
    with pytest.raises(InputError, match="values are missing"):
        published(stays().set_column(0, "who", pa.array([None, *["p"] * 59])))


def test_a_schema_with_shifts_is_written_and_read(tmp_path):
    described = Schema.from_dict(schema())
    described.write(tmp_path / "s.toml")
    assert Schema.read(tmp_path / "s.toml").columns == described.columns
    assert replace(described.columns["admitted"], shift=None).shift is None
