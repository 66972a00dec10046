"""Releases of tables as they may be made: numbers, blanks, shifted dates, counted people, cells of earlier releases."""

from datetime import date, timedelta

import numpy as np
import pyarrow as pa

from confide import DistinctDiversity, KAnonymity, TCloseness
from confide.core.requirements import KMap, KMapBySize
from confide.publish import Incognito, Mondrian, PublishTable, publish_table
from tests.ledger.histories import Series

__all__ = ["TABLE_RELEASES"]

ROWS = 40
DAYS = [date(2026, 1, 1) + timedelta(3 * i) for i in range(ROWS)]


def _people():
    draw = np.random.default_rng(4)
    return pa.table(
        {
            "age": draw.integers(20, 60, ROWS),
            "sex": draw.choice(["f", "m"], ROWS),
            "illness": draw.choice(["flu", "gout", "none"], ROWS),
            "pay": draw.choice(["high", "low"], ROWS),
            "person": [f"p{i // 2}" for i in range(ROWS)],
            "seen": pa.array(DAYS),
        }
    )


def _schema(*without, **changed):
    found = {
        "age": {"role": "quasi-identifier", "range": [0, 99], "step": 10},
        "sex": {"role": "quasi-identifier"},
        "illness": {"role": "sensitive"},
        "pay": {"role": "sensitive"},
        "person": {"role": "person"},
        "seen": {"role": "identifier"},
    }
    found = {name: spec | changed.get(name, {}) for name, spec in found.items() if name not in without}
    return {name: spec for name, spec in found.items() if name not in without}


def _published(requirement, *without, **changed):
    how = {"method": changed.pop("method")} if "method" in changed else {"rounds": 2}
    frame = _people().drop_columns(list(without))
    request = PublishTable(table=frame, schema=_schema(*without, **changed), requirement=requirement, **how)
    return publish_table(request).release


def _shifted():
    made = Mondrian(requirement=KAnonymity(k=3), shift_key=bytes(range(16)))
    return made.publish(_people(), _schema(seen={"role": "insensitive", "shift": 90}))


def _counted(requirement):
    people = pa.concat_tables([_people()] * 3).select(["age", "sex"])
    population = people if isinstance(requirement, KMap) else None
    made = Incognito(requirement=requirement, population=population, suppress=0.2)
    return made.publish(_people().drop_columns(["person"]), _schema("person"))


def _continued():
    draw = np.random.default_rng(9)
    first = [(i, int(draw.integers(16)), str(draw.choice(["f", "m"])), ["flu", "gout"][i % 2]) for i in range(24)]
    series = Series()
    series.release(first, k=3, l=2)
    return series.publish(first[3:], k=3, l=2)[0]


_EACH = TCloseness(t=0.5, column="pay") & DistinctDiversity(l=2, column="illness") & KAnonymity(k=3)

TABLE_RELEASES = {
    "numbers.csv": lambda: _published(
        KAnonymity(k=3), "person", method="microaggregation", age={"release": "mean"}, sex={"role": "insensitive"}
    ),
    "blank.parquet": lambda: _published(KAnonymity(k=3), "person", method="blank"),
    "each.csv": lambda: _published(_EACH, "person"),
    "regrouped.xlsx": lambda: _published(KAnonymity(k=3), age={"grid": 5, "step": 1}),
    "shifted.csv": _shifted,
    "population.csv": lambda: _counted(KMap(k=5)),
    "size.parquet": lambda: _counted(KMapBySize(k=5, population=1000, sample=ROWS)),
    "continued.csv": _continued,
}
"""File name: the release that is broken."""
