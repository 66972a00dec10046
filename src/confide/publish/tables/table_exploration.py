"""Choosing k, l, t and a method: what each would cost. `confide publish table --explore`, for any program to ask."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from confide.core.datasets.intake import as_rows
from confide.core.datasets.loading import load_rows
from confide.core.errors import ConfideError, UsageError
from confide.core.figures import Chart, Column, Diagram, Figures, Shown, Study, Table, Unit
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.requirements.tables import KAnonymity, TableRequirement
from confide.core.runtime.progress import task
from confide.core.runtime.threads import answers_ctrl_c
from confide.core.tables.frames import write_table
from confide.core.tables.schema import schema_of
from confide.publish.jobs.population_promise import with_sample
from confide.publish.jobs.tables import PublishTable
from confide.publish.tables.averaging.microaggregation import all_averaged
from confide.publish.tables.blanking.wildcards import count_wildcards
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests.rules import counted_by
from confide.publish.tables.incognito.incognito import Incognito
from confide.publish.tables.incognito.lattice_drawing import MOST_DRAWN
from confide.publish.tables.incognito.lattice_exploration import ExploredLattice
from confide.publish.tables.loss.loss_measures import classification, discernibility
from confide.publish.tables.methods import METHODS, NUMBER_METHODS, publisher_named
from confide.publish.tables.table_publication import count_sample, read_rows

__all__ = ["TableExploration", "TableSetting", "explore_as_outcome", "explore_table"]

_PATIENCE = 5.0  # seconds for all searches that need not end


@dataclass(frozen=True, kw_only=True)
class TableSetting:
    """A method under a requirement, and its cost. `refused` says why it cannot be met so; then there is no cost."""

    asked: dict[str, Any]
    method: str
    detail_lost: float | None = None
    rows_left_out: int | None = None
    groups: int | None = None
    mean_group: float | None = None
    discernibility: int | None = None
    classification: float | None = None
    seconds: float | None = None
    refused: str = ""

    @property
    def holds(self) -> bool:
        """Whether the requirement can be met so."""
        return not self.refused

    def to_dict(self) -> dict[str, Any]:
        """Plain data, a column for each number that is asked for."""
        told = {name.replace("_", " "): value for name, value in asdict(self).items() if name != "asked"}
        head = {name: told.pop(name) for name in ("method", "detail lost", "rows left out")}
        return self.asked | head | {"holds": self.holds} | told


@dataclass(frozen=True, kw_only=True)
class TableExploration(Shown):
    """What each setting would cost, for the owner: figures are exact. `lattice` is there if it is small, and one."""

    settings: tuple[TableSetting, ...]
    lattice: ExploredLattice | None
    title: str
    lead: str
    notes: tuple[str, ...] = field(default=())

    def rows(self) -> list[dict[str, Any]]:
        """Each setting with its cost."""
        return [setting.to_dict() for setting in self.settings]

    def to_dict(self) -> dict[str, Any]:
        """What was priced."""
        return {"what": self.title, "notes": list(self.notes), "settings": self.rows()}

    def tables(self) -> dict[str, Table]:
        """The rows under headings for a page."""
        rows = self.rows()
        columns = tuple(Column(name, _UNITS.get(name, "number")) for name in rows[0])
        words = {True: "yes", False: "no"}
        cells = (tuple(words[cell] if isinstance(cell, bool) else cell for cell in row.values()) for row in rows)
        return {"Settings": Table(columns, tuple(cells))}

    def charts(self) -> tuple[Chart, ...]:
        """The detail lost: against the number that varies, a line for each method (of several numbers, against the
        first, a chart for each combination of the others); or by method, if none does."""
        varied = [name for name in self.settings[0].asked if len({s.asked[name] for s in self.settings}) > 1]
        met = [setting for setting in self.settings if setting.holds]
        if not met:
            return ()
        if not varied:
            lost = tuple(float(setting.detail_lost or 0.0) for setting in met)
            methods = tuple(setting.method for setting in met)
            return (Chart(title="Detail lost", x=methods, series={"detail lost": lost}, y_unit="share"),)
        along, *others = varied
        places = sorted({setting.asked[along] for setting in self.settings})
        drawn: dict[str, dict[str, dict[Any, float]]] = {}
        for setting in met:
            rest = ", ".join(f"{other} = {setting.asked[other]:g}" for other in others)
            lines = drawn.setdefault(f"Detail lost, {rest}" if rest else "Detail lost", {})
            lines.setdefault(setting.method, {})[setting.asked[along]] = float(setting.detail_lost or 0.0)
        return tuple(
            Chart(
                title=title,
                x=tuple(map(float, places)),
                series={
                    name: tuple(line[place] for place in places)
                    for name, line in lines.items()
                    if len(line) == len(places)
                },
                y_unit="share",
                kind="line",
                x_label=along,
                note=_PARTLY if any(len(line) < len(places) for line in lines.values()) else "",
            )
            for title, lines in drawn.items()
        )

    def diagrams(self) -> tuple[Diagram, ...]:
        """All generalisations, where they are few enough to draw."""
        return () if self.lattice is None else (self.lattice.diagram(),)

    def study(self) -> Study:
        """A page about it, for the owner."""
        return Study(
            title=self.title,
            lead=self.lead,
            facts=Figures(),
            tables=self.tables(),
            charts=self.charts(),
            diagrams=self.diagrams(),
        )


_PARTLY = "Methods that cannot meet every setting are in the table only."

_UNITS: dict[str, Unit] = {
    "k": "count",
    "method": "text",
    "detail lost": "share",
    "rows left out": "count",
    "holds": "text",
    "groups": "count",
    "discernibility": "count",
    "classification": "share",
    "refused": "text",
}


def explore_as_outcome(request: PublishTable, host: Host = QUIET) -> Outcome:
    """An exploration as the outcome of a job: rows, a page, and the whole lattice for whoever wants it as a file."""
    exploration = explore_table(request, host)

    def write_lattice(path: Path, replace: bool) -> str:
        reading = request.reading(host.say)
        asked = request.requirements_asked(schema_of(request.schema))[0]
        explorer = Incognito(requirement=asked, **request.options(reading))
        lattice = explorer.explore(load_rows(as_rows(request.table, reading=reading)), request.schema)
        write_table(lattice.to_arrow(), path, replace=replace, private=True)
        return f"{len(lattice):,} generalisations are written to {path}: for the owner only"

    return Outcome(
        answer=exploration,
        rows=exploration.rows,
        reading=lambda: _for_reading(exploration.rows()),
        title=exploration.title,
        notes=exploration.notes,
        page=exploration.study,
        files={"lattice": write_lattice},
    )


_SHORT = ("method", "detail lost", "rows left out", "holds", "groups", "refused")


def _for_reading(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The numbers asked for and the columns that fit 80 letters, without those that say nothing."""
    asked = list(rows[0])[: list(rows[0]).index("method")]
    shown = [name for name in (*asked, *_SHORT) if any(row[name] not in (None, "") for row in rows)]
    return [{name: row[name] for name in shown} | {"holds": "yes" if row["holds"] else "no"} for row in rows]


@answers_ctrl_c
def explore_table(request: PublishTable, host: Host = QUIET) -> TableExploration:
    """What every method would cost under each combination of the numbers asked; nothing is released.

    The request may name one method; "auto" means all. A method that cannot meet a requirement, or does not take it,
    says so in its row. With one requirement, a lattice of up to a few hundred generalisations is looked at as a whole.
    K-optimize, which may search for long, gets a few seconds in all.

    >>> import pyarrow as pa
    >>> from confide.publish import PublishTable
    >>> frame = pa.table({"age": [21, 22, 23, 38, 39, 40]})
    >>> schema = {"age": {"role": "quasi-identifier", "range": [0, 99]}}
    >>> found = explore_table(PublishTable(table=frame, schema=schema, k=(2, 3, 7), method="mondrian"))
    >>> [(row["k"], row["groups"], row["holds"]) for row in found.rows()]
    [(2, 3, True), (3, 2, True), (7, None, False)]
    """
    asked = request.requirements_asked(schema_of(request.schema))
    names: list[str] = list(METHODS) if request.method == "auto" else [request.method]
    if request.method == "auto" and all_averaged(schema_of(request.schema)):
        names += NUMBER_METHODS
    names = [name for name in names if request.method != "auto" or _counts(name, asked)]
    given = request.options(request.reading(host.say))
    options = {key: value for key, value in given.items() if key != "loss"}
    publisher_named(names[0], requirement=asked[0], **options).check()
    frame = load_rows(read_rows(request, host))
    table = CodedTable.of(frame, schema_of(request.schema), missing=request.missing, population=given["population"])
    asked = [with_sample(requirement, count_sample(table)) for requirement in asked]
    with task("exploring settings", total=len(asked) * len(names)) as step:
        settings = []
        for requirement in asked:
            for name in names:
                settings.append(_priced(table, requirement, name, options, patience=_PATIENCE / len(asked)))
                step(1)
    lattice = _lattice(table, asked, names, options)
    return TableExploration(
        settings=tuple(settings),
        lattice=lattice,
        title="What each method and setting would cost",
        lead=f"{_range_of(settings)} The data: {_extent(table)}.",
        notes=(*_notes(lattice), *_notes_on_blanks(table, asked, names)),
    )


def _priced(
    table: CodedTable, requirement: TableRequirement, name: str, options: dict[str, Any], *, patience: float
) -> TableSetting:
    told: dict[str, Any] = {"asked": _numbers(requirement), "method": name}
    begun = time.perf_counter()
    try:
        limit = {"time_limit": patience} if name in ("k-optimize", "incognito") else {}
        publisher = publisher_named(name, requirement=requirement, **options, **limit)
        publisher.check()
        found = publisher.recode_with_numbers(table)
        publisher.check_recoded(found)
    except ConfideError as error:
        return TableSetting(**told, refused=str(error))
    metric = classification(found, found.left_out)
    return TableSetting(
        **told,
        detail_lost=round(found.ncp(), 4),
        rows_left_out=found.left_out,
        groups=len(found.sizes),
        mean_group=round(float(found.sizes.mean()), 2),
        discernibility=discernibility(found.sizes, found.left_out),
        classification=None if metric is None else round(metric, 4),
        seconds=round(time.perf_counter() - begun, 3),
    )


def _numbers(requirement: TableRequirement) -> dict[str, Any]:
    """The numbers of a requirement by their letters; of several k the largest.

    >>> from confide import KAnonymity, RecursiveDiversity
    >>> _numbers(KAnonymity(k=5) & RecursiveDiversity(c=3, l=2))
    {'k': 5, 'c': 3, 'l': 2}
    """
    numbers: dict[str, Any] = {}
    for part in getattr(requirement, "parts", (requirement,)):
        options = {field: option for option, field in part.option_fields.items() if field}
        for name, value in part.plain.to_dict().items():
            if isinstance(value, int | float) and not isinstance(value, bool) and name not in _FACTS:
                key = options.get(name, name)
                key = key if name == "k" or part.plain.column is None else f"{key} of {part.plain.column}"
                numbers[key] = max(value, numbers[key]) if name == "k" and key in numbers else value
    return numbers


_FACTS = ("population", "sample")  # numbers of a requirement that nobody chose


def _counts(name: str, asked: Sequence[TableRequirement]) -> bool:
    """Whether a method counts what is asked of the population."""
    publisher = publisher_named(name, requirement=asked[0])
    return all(publisher.counts(part) for one in asked for part in one.parts_asked if counted_by(part) is not None)


def _lattice(
    table: CodedTable, asked: Sequence[TableRequirement], names: Sequence[str], options: dict[str, Any]
) -> ExploredLattice | None:
    if len(asked) > 1 or "incognito" not in names:
        return None
    incognito = Incognito(requirement=asked[0], **options)
    try:
        return incognito.explore_coded(table) if incognito.generalisations(table) <= MOST_DRAWN else None
    except UsageError:  # a requirement that it does not take, as its row says
        return None


def _range_of(settings: Sequence[TableSetting]) -> str:
    lost = [setting.detail_lost for setting in settings if setting.detail_lost is not None]
    if not lost:
        return f"None of these {len(settings)} settings can be met." if len(settings) > 1 else "It cannot be met."
    return f"The {len(lost)} settings that can be met lose between {min(lost):.1%} and {max(lost):.1%} of the detail."


def _extent(table: CodedTable) -> str:
    """How large the table is, in rows and people."""
    people = "" if table.persons is None else f" of {int(table.persons.max()) + 1:,} people"
    gaps = f" ({table.dropped:,} more with missing values)" if table.dropped else ""
    return f"{table.total:,} rows{people}{gaps}, {len(table.quasi)} quasi-identifiers"


def _notes_on_blanks(table: CodedTable, asked: Sequence[TableRequirement], names: Sequence[str]) -> Iterator[str]:
    """Beside the method that blanks cells: what it would take if a blank matched anything, and whom that exposes."""
    if "blank" not in names or table.persons is not None or table.counts is not None:
        return
    for requirement in asked:
        if isinstance(requirement, KAnonymity) and (found := count_wildcards(table, requirement.k)) is not None:
            yield found.note(requirement.k)


def _notes(lattice: ExploredLattice | None) -> Iterator[str]:
    yield "these figures are exact: for the owner only"
    if lattice is not None:
        yield (
            f"of {len(lattice):,} generalisations with one level for each column {int(lattice.safe.sum()):,} meet the "
            "requirement; report= draws them"
        )
