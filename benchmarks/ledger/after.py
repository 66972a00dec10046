"""Releases that are built on one another (`--after`), beside releases that each stand alone.

`python -m benchmarks ledger.after`. Every year 5% of the people leave and 10% (of those there) come; where people move,
5% of those there get all quasi-identifiers of somebody else. `ours` and `rival` are the NCP of the last release, built
on those before it and made alone by Mondrian; `ratio` is ours / rival. A row that is carried on is no loss; rows that
are held back are left out of the mean, and stand in the settings. Where it says so, both are shares of people of whom
the register is certain (at most so many). Nothing here was tuned to the data. Seconds are the process's own.
"""

import pathlib
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.ledger.releases import _groups, _history, _survey
from benchmarks.publish import adult
from benchmarks.publish.mondrian import brfss, generated
from confide import DistinctDiversity, KAnonymity, Schema
from confide.audit.adversaries.together.cohorts import Cohorts
from confide.audit.adversaries.together.register import ask_register
from confide.core.passport import Passport
from confide.core.series.membership import Membership
from confide.core.tables.schema import Column
from confide.ledger import ReleaseLedger
from confide.ledger.building import earlier_for
from confide.ledger.checking import check_together
from confide.publish import Mondrian
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.memberships import membership_of, people_of
from confide.publish.tables.recoding import Recoding
from confide.publish.tables.series.next_release import NextRelease
from confide.share.domains import Domains
from confide.share.jobs.publishing import train
from confide.share.jobs.requests import ShareTrain
from confide.share.tree_members import members_of_tree


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each claim."""
    table, schema = adult.table(data), adult.schema(sensitive="occupation")
    health, roles = _survey(data)
    for name, frame, columns in (("Adult", table, schema), ("BRFSS, 5 columns", health, roles)):
        for k in (5, 10):
            for l in (2, 3):  # noqa: E741 - the paper's letter
                yield from _years(name, frame, columns, k=k, l=l, carry=0.025, attack=l == 2)
        yield from _years(name, frame, columns, k=5, l=2, carry=0.0)
    everything, wide = brfss(data)
    wide = Schema({**wide.columns, "GenHlth": Column(role="sensitive"), "Diabetes_binary": wide.columns["Sex"]})
    for k in (5, 10):
        yield from _years("BRFSS, 21 columns", everything, wide, k=k, l=2, carry=0.025)
    for k in (5, 10):
        yield from _years("Adult", table, schema, k=k, l=2, carry=0.05, suppress=0.05, movers=0.05)
        yield from _years("Adult", table, schema, k=k, l=2, carry=0.07, suppress=0.02, years=5, attack=k == 5)
    yield _other_k(table, schema, 5, 10)
    yield _other_k(table, schema, 10, 5)
    for k in (5, 50, 500):
        yield _tree_then_table(table, schema, k)
    yield _other_columns(table, schema)
    yield from _million()


@dataclass
class _Series:
    """Releases of one ledger, built on one another."""

    ledger: ReleaseLedger
    made: NextRelease | None = None
    seconds: float = 0.0

    @classmethod
    def new(cls, folder: str) -> "_Series":
        return cls(ReleaseLedger.new(pathlib.Path(folder) / "people.ledger", bytes(32)))

    def release(self, frame: pa.Table, schema: Schema, k: int, l: int, **shares: float) -> Recoding:  # noqa: E741
        """The next release of the series, recorded but not written."""
        table = CodedTable.of(frame, schema)
        people = people_of(table, np.arange(len(table)))
        earlier = earlier_for(self.ledger, people)
        began = time.process_time()
        self.made = None
        if earlier is None:
            recoding = Mondrian(requirement=_requirement(k, l)).recode(table)
        else:
            self.made = NextRelease(requirement=_requirement(k, l), earlier=earlier, **shares)
            recoding = self.made.recode(table)
        self.seconds = time.process_time() - began
        continued = self.made.continuation_ if self.made is not None else None
        self.record(membership_of(recoding, pseudonyms=False, continued=continued, origin=people.origin))
        return recoding

    def record(self, membership: Membership) -> None:
        passport = Passport.issue(_requirement(2, 2), stage="publish table", algorithm="-", artefact="table")
        number = len(self.ledger)
        passport = passport.for_bytes(bytes([number]), f"{number + 1}.csv", type="table")
        self.ledger = self.ledger.with_pending(passport, membership).with_done()


def _requirement(k: int, l: int) -> Any:  # noqa: E741
    return KAnonymity(k=k) & DistinctDiversity(l=l)


def _with_persons(frame: pa.Table, schema: Schema) -> tuple[pa.Table, Schema]:
    persons = pa.array(np.arange(frame.num_rows))
    return frame.append_column("id", persons), Schema({**schema.columns, "id": Column(role="person")})


def _ncp(recoding: Recoding) -> float:
    """The mean loss of the rows of this year that are released."""
    rows = np.zeros(len(recoding.table))
    for codes, losses, weight in zip(recoding.codes, recoding.losses, recoding.table.weights, strict=True):
        rows += losses[codes] * weight
    own = len(rows) - (recoding.carried or 0)
    return float(rows[:own][recoding.kept[:own]].mean())


def _claim(what: str, ours: float, rival: float, **settings: Any) -> dict[str, Any]:
    return {
        "claim": what,
        "ours": round(ours, 4),
        "rival": round(rival, 4),
        "ratio": round(ours / rival, 3) if rival else None,
        "spread": None,
        "settings": settings,
    }


def _years(
    name: str,
    frame: pa.Table,
    schema: Schema,
    *,
    k: int,
    l: int,  # noqa: E741
    carry: float,
    suppress: float = 0.0,
    years: int = 2,
    movers: float = 0.0,
    attack: bool = False,
) -> Iterator[dict[str, Any]]:
    """Years in which people come, go and move; the same draws as in `ledger.releases`."""
    draw = np.random.default_rng(1)
    rows = frame.num_rows
    now, known = _with_persons(frame, schema)
    arrival = draw.permutation(rows)
    first = int(rows / (1 + 0.1 * (years - 1)))
    there = np.zeros(rows, dtype=np.bool_)
    there[arrival[:first]] = True
    alone = [_groups(frame, schema, there, Mondrian(requirement=_requirement(k, l)))] if attack else []
    with tempfile.TemporaryDirectory() as folder:
        series = _Series.new(folder)
        series.release(now.take(pa.array(np.flatnonzero(there))), known, k, l)
        for new in np.array_split(arrival[first:], years - 1):
            present = np.flatnonzero(there)
            there[draw.permutation(present)[: len(present) // 20]] = False
            there[new] = True
            if movers:
                now = _moved(now, known, np.flatnonzero(there), movers, draw)
            year = now.take(pa.array(np.flatnonzero(there)))
            recoding = series.release(year, known, k, l, carry=carry, suppress=suppress)
            if attack:
                alone.append(_groups(frame, schema, there, Mondrian(requirement=_requirement(k, l))))
    began = time.process_time()
    rival = Mondrian(requirement=_requirement(k, l)).recode(CodedTable.of(year.drop_columns(["id"]), schema))
    seconds = time.process_time() - began
    assert series.made is not None
    assert series.made.continuation_ is not None
    what = f"{name}, k={k}, l={l}, release {years}" + (f", {movers:.0%} moved" if movers else "")
    yield _claim(
        f"{what}, at most {carry:.1%} carried: NCP",
        _ncp(recoding),
        _ncp(rival),
        carried=round((recoding.carried or 0) / year.num_rows, 4),
        held_back=round(series.made.continuation_.held_back / year.num_rows, 4),
        values_left=series.made.continuation_.values_left,
        cpu_seconds=[round(series.seconds, 2), round(seconds, 2)],
    )
    if attack:
        view = check_together(series.ledger)
        certain = ask_register(Cohorts.of_history(_history(frame, schema, alone))).certain_at_most
        assert view.register is not None
        assert view.neighbour is not None
        yield _claim(
            f"{what}: share of people certain to a register",
            view.register["certain_at_most"] / view.people,
            certain / rows,
            neighbour=view.neighbour["certain"],
            ok=view.ok,
        )


def _moved(frame: pa.Table, schema: Schema, present: Any, share: float, draw: np.random.Generator) -> pa.Table:
    """Some people get the quasi-identifiers of others."""
    moving = draw.permutation(present)[: int(len(present) * share)]
    source = np.arange(frame.num_rows)
    source[moving] = draw.permutation(present)[: len(moving)]
    quasi = schema.named("quasi-identifier")
    return pa.table(
        {n: frame.column(n).take(pa.array(source)) if n in quasi else frame.column(n) for n in frame.column_names}
    )


def _other_k(frame: pa.Table, schema: Schema, first: int, second: int) -> dict[str, Any]:
    known_frame, known = _with_persons(frame, schema)
    with tempfile.TemporaryDirectory() as folder:
        series = _Series.new(folder)
        series.release(known_frame, known, first, 2)
        ours = _ncp(series.release(known_frame, known, second, 2, carry=0.0))
    rival = _ncp(Mondrian(requirement=_requirement(second, 2)).recode(CodedTable.of(frame, schema)))
    ok = check_together(series.ledger).ok
    return _claim(f"Adult, the same people, k={first} then k={second}: NCP", ours, rival, ok=ok)


def _tree_then_table(frame: pa.Table, schema: Schema, k: int) -> dict[str, Any]:
    known_frame, known = _with_persons(frame, schema)
    domains = Domains.propose(frame, target="occupation")
    tree = train(ShareTrain(table=frame, domains=domains, k=k, l=2, marginals=False)).release.data
    X, y, _ = domains.columns(frame)
    with tempfile.TemporaryDirectory() as folder:
        series = _Series.new(folder)
        series.record(members_of_tree(tree, X, y, known_frame, target="occupation", person="id"))
        ours = _ncp(series.release(known_frame, known, 5, 2, carry=0.0))
    rival = _ncp(Mondrian(requirement=_requirement(5, 2)).recode(CodedTable.of(frame, schema)))
    ok = check_together(series.ledger).ok
    what = f"Adult, a tree with k={k} and then a table with k=5, l=2: NCP"
    return _claim(what, ours, rival, leaves=len(tree.leaves()), ok=ok)


def _other_columns(frame: pa.Table, schema: Schema) -> dict[str, Any]:
    names = schema.named("quasi-identifier")
    known_frame, known = _with_persons(frame, schema)

    def only(kept: tuple[str, ...]) -> tuple[pa.Table, Schema]:
        chosen = [*kept, "occupation", "id"]
        return known_frame.select(chosen), Schema({name: known.columns[name] for name in chosen})

    with tempfile.TemporaryDirectory() as folder:
        series = _Series.new(folder)
        series.release(*only(names[:4]), 5, 2)
        ours = _ncp(series.release(*only(names[4:]), 5, 2, carry=0.0))
    other, plain = only(names[4:])
    alone = Schema({name: column for name, column in plain.columns.items() if name != "id"})
    rival = _ncp(Mondrian(requirement=_requirement(5, 2)).recode(CodedTable.of(other.drop_columns(["id"]), alone)))
    ok = check_together(series.ledger).ok
    return _claim("Adult, the same people, four columns and then the four others, k=5, l=2: NCP", ours, rival, ok=ok)


def _million(rows: int = 1_000_000) -> Iterator[dict[str, Any]]:
    """Two years of a million people: deciding, checking, and what the ledger takes."""
    frame, schema = generated(int(rows * 1.1))
    frame, known = _with_persons(frame, schema)
    draw = np.random.default_rng(1)
    second = np.concatenate([draw.permutation(rows)[rows // 20 :], np.arange(rows, frame.num_rows)])
    with tempfile.TemporaryDirectory() as folder:
        series = _Series.new(folder)
        sizes = [len(series.ledger.file.data)]
        series.release(frame.slice(0, rows), known, 10, 2)
        sizes.append(len(series.ledger.file.data))
        alone = series.seconds
        recoding = series.release(frame.take(pa.array(second)), known, 10, 2, carry=0.03)
        sizes.append(len(series.ledger.file.data))
        series.ledger.write()
        began = time.process_time()
        view = check_together(ReleaseLedger.read(series.ledger.path, bytes(32)))
        seconds = time.process_time() - began
    yield _claim("a million rows: seconds to decide a release", series.seconds, alone, carried=recoding.carried)
    yield _claim("a million rows: seconds to check two releases", seconds, alone, ok=view.ok, cells=view.cells)
    bytes_of = [round((after - before) / rows, 2) for before, after in pairwise(sizes)]
    what = "bytes of the ledger for each row, of the first release and of a further one"
    settings = {"newcomers in the second": frame.num_rows - rows}
    yield {"claim": what, "ours": bytes_of, "rival": None, "ratio": None, "spread": None, "settings": settings}
