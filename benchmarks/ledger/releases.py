"""What several releases about the same people say together, though each keeps its promise; and what a check takes.

`python -m benchmarks ledger.releases`. Every year 5% of the people leave and 10% (of those there) come; each table is
released by Mondrian with k and two different sensitive values in every group. `ours` is the share of people of whom the
register is certain (at most so many: the upper end), `rival` the share that a neighbour is certain of; where people
come and go, both are shares of those who came or left. Seconds are the process's own.
"""

import pathlib
import tempfile
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv

from benchmarks.publish import adult
from benchmarks.publish.mondrian import generated
from confide import DistinctDiversity, KAnonymity, Schema
from confide.audit.adversaries.together.cohorts import Cohorts
from confide.audit.adversaries.together.neighbour import ask_neighbour
from confide.audit.adversaries.together.register import ask_register
from confide.core.passport import Passport
from confide.core.series.membership import Membership, SensitiveColumn
from confide.core.series.release_history import ABSENT, History, history_of
from confide.core.tables.schema import Column
from confide.ledger import ReleaseLedger
from confide.ledger.checking import check_together
from confide.publish import Incognito, Mondrian, OneDimensional
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.publisher import TablePublisher


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each claim."""
    frame, schema = adult.table(data), adult.schema(sensitive="occupation")
    for k in (5, 10):
        yield _years("Adult", frame, schema, k=k, years=2)
    yield _years("Adult", frame, schema, k=5, years=5)
    yield _again("Adult, the same rows again by another method", frame, schema, (Mondrian, OneDimensional))
    yield _years("Adult, Incognito every year", frame, schema, k=5, years=2, method=Incognito)
    health, roles = _survey(data)
    for k in (5, 10):
        yield _years("BRFSS", health, roles, k=k, years=2)
    yield from _million()


def _requirement(k: int) -> Any:
    return KAnonymity(k=k) & DistinctDiversity(l=2)


def _years(
    name: str,
    frame: pa.Table,
    schema: Schema,
    *,
    k: int,
    years: int,
    method: type[TablePublisher] = Mondrian,
) -> dict[str, Any]:
    """Years in which people come and go; the last has the whole table, but for those who left."""
    draw = np.random.default_rng(1)
    rows = frame.num_rows
    arrival = draw.permutation(rows)
    first = int(rows / (1 + 0.1 * (years - 1)))
    coming = np.array_split(arrival[first:], years - 1)
    there = np.zeros(rows, dtype=np.bool_)
    there[arrival[:first]] = True
    groups = [_groups(frame, schema, there, method(requirement=_requirement(k)))]
    for new in coming:
        present = np.flatnonzero(there)
        there[draw.permutation(present)[: len(present) // 20]] = False
        there[new] = True
        groups.append(_groups(frame, schema, there, method(requirement=_requirement(k))))
    moved = years == 2
    return _answer(f"{name}, k={k}, l=2, {years} years", _history(frame, schema, groups), of_those_who_moved=moved)


def _again(name: str, frame: pa.Table, schema: Schema, methods: tuple[type[TablePublisher], ...]) -> dict[str, Any]:
    everybody = np.ones(frame.num_rows, dtype=np.bool_)
    groups = [_groups(frame, schema, everybody, method(requirement=_requirement(5))) for method in methods]
    return _answer(f"{name}, k=5, l=2", _history(frame, schema, groups), of_those_who_moved=False)


def _groups(frame: pa.Table, schema: Schema, there: Any, publisher: TablePublisher) -> Any:
    """The group of each row of the frame in a release of those who are there."""
    rows = np.flatnonzero(there)
    recoding = publisher.recode(CodedTable.of(frame.take(pa.array(rows)), schema))
    groups = np.full(frame.num_rows, ABSENT, dtype=np.int32)
    groups[rows[recoding.rows]] = recoding.groups[0]
    return groups


def _history(frame: pa.Table, schema: Schema, groups: list[Any]) -> History:
    values = CodedTable.of(frame, schema).sensitive[0].codes
    return history_of(groups, [values] * len(groups))


def _answer(name: str, history: History, *, of_those_who_moved: bool) -> dict[str, Any]:
    began = time.process_time()
    cohorts = Cohorts.of_history(history)
    register, neighbour = ask_register(cohorts), ask_neighbour(cohorts)
    seconds = time.process_time() - began
    moved = int((history.groups == ABSENT).any(axis=0).sum())
    certain, people = register.certain_at_most, register.people
    if of_those_who_moved:
        certain, people = register.left + register.came, moved
    return {
        "claim": f"{name}: share certain to a register" + (", of those who came or left" if of_those_who_moved else ""),
        "ours": round(certain / people, 4),
        "rival": round(neighbour.certain / register.people, 4),
        "ratio": None,
        "spread": None,
        "settings": {
            "people": register.people,
            "came or left": moved,
            "register": [register.certain_at_least, register.certain_at_most],
            "neighbour": neighbour.certain,
            "cpu_seconds": round(seconds, 2),
        },
    }


def _survey(data: pathlib.Path) -> tuple[pa.Table, Schema]:
    """BRFSS 2015: general health is sensitive, five columns could identify."""
    ranges = {"Sex": (0, 1), "Age": (1, 13), "Education": (1, 6), "Income": (1, 8), "BMI": (0, 127)}
    path = data / "health" / "diabetes_binary_health_indicators_BRFSS2015.csv.gz"
    columns = {name: Column(role="quasi-identifier", range=bounds) for name, bounds in ranges.items()}
    return csv.read_csv(path).select([*ranges, "GenHlth"]), Schema({**columns, "GenHlth": Column(role="sensitive")})


def _million(rows: int = 1_000_000) -> Iterator[dict[str, Any]]:
    """Two years of a million people: the check, and the size of the ledger."""
    frame, schema = generated(int(rows * 1.1))
    draw = np.random.default_rng(1)
    values = CodedTable.of(frame, schema).sensitive[0]
    publisher = Mondrian(requirement=_requirement(10))
    years = [np.zeros(frame.num_rows, dtype=np.bool_) for _ in range(2)]
    years[0][:rows] = True
    years[1][draw.permutation(rows)[rows // 20 :]] = True
    years[1][rows:] = True
    passport = Passport.issue(_requirement(10), stage="publish table", algorithm="mondrian", artefact="table")
    with tempfile.TemporaryDirectory() as folder:
        ledger = ReleaseLedger.new(pathlib.Path(folder) / "people.ledger", bytes(32))
        sizes, began = [len(ledger.file.data)], time.process_time()
        recode = 0.0
        for year in years:
            started = time.process_time()
            groups = _groups(frame, schema, year, publisher)
            recode = time.process_time() - started
            there = np.flatnonzero(year)
            membership = Membership(
                person_column="id",
                persons=there,
                group=groups[there],
                sensitive=(SensitiveColumn("illness", values.codes[there], values.labels),),
            )
            ledger = ledger.with_pending(passport.for_bytes(b"", "people.csv", type="table"), membership).with_done()
            ledger.write()
            sizes.append(len(ledger.file.data))
        began = time.process_time()
        view = check_together(ReleaseLedger.read(ledger.path, bytes(32)))
        seconds = time.process_time() - began
    known = [int(years[0].sum()), int(years[1].sum())]
    yield {
        "claim": "a check of two releases of a million people, seconds",
        "ours": round(seconds, 2),
        "rival": round(recode, 2),
        "ratio": round(recode / seconds, 2),
        "spread": None,
        "settings": {"rival": "deciding one release by Mondrian, seconds", "register": view.register},
    }
    yield {
        "claim": "bytes of the ledger for each row of the first release, and of a further one",
        "ours": [
            round((after - before) / people, 2) for before, after, people in zip(sizes, sizes[1:], known, strict=False)
        ],
        "rival": None,
        "ratio": None,
        "spread": None,
        "settings": {"newcomers in the second": int((years[1] & ~years[0]).sum())},
    }
