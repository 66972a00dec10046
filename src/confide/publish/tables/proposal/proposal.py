"""A proposed schema: roles with their reasons, types, and hierarchies to be edited.

Nothing here decides for the owner. The file says why each role was chosen, and what to look at.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from confide.core.errors import InputError
from confide.core.figures import Shown
from confide.core.file_groups import file_group
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.tables.frames import read_table, to_table
from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Column, Schema
from confide.publish.jobs.tables import PublishSchema
from confide.publish.tables.cautions import count_look_alikes, look_alike_note, repeated_note
from confide.publish.tables.coding.texts import Texts
from confide.publish.tables.proposal.coarsening import coarsening_of
from confide.publish.tables.proposal.facts import ColumnFacts, facts_of
from confide.publish.tables.proposal.roles import probable_role
from confide.publish.tables.risk.column_risk import unique_rows

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ProposedColumn", "SchemaProposal", "propose_schema", "read_hierarchies", "run"]

_HEADER = """\
# A proposal, made from names, types and numbers of values; what the columns mean, you know better. Check every role:
#   identifier         names a person; left out of a release
#   quasi-identifier   others may know it of a person; made coarser until enough rows look alike
#   sensitive          what nobody must learn about a person
#   person             which rows belong to one person, where a person has several
#   class, insensitive released as they are
"""


@dataclass(frozen=True, kw_only=True)
class ProposedColumn:
    """One column: what was seen, the role, why, and what to look at."""

    facts: ColumnFacts
    column: Column
    why: str
    advice: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """Warnings about values that seem to stand for a missing one, and about sensitive values that look alike."""
        told = []
        alike = count_look_alikes(self.facts.values) if self.column.role == "sensitive" else 0
        if alike:
            told.append(look_alike_note(self.facts.name, values=alike))
        for written, rows in self.facts.stand_ins.items():
            what = f'"{written}"' if written else "nothing but blanks"
            told.append(
                f"warning: column {self.facts.name!r} holds {what} in {rows:,} row{'s' * (rows != 1)}, which is taken "
                "as a value of its own; if it means that the value is missing, leave those cells empty"
            )
        return tuple(told)


@dataclass(frozen=True, kw_only=True)
class SchemaProposal(Shown):
    """A schema with reasons. `files` are the hierarchies to be written beside it, by the name of their file."""

    columns: Mapping[str, ProposedColumn]
    files: Mapping[str, Hierarchy]

    @property
    def schema(self) -> Schema:
        """The schema itself, with hierarchies as objects."""
        kept = {}
        for name, proposed in self.columns.items():
            given = proposed.column.hierarchy
            found = self.files[given] if isinstance(given, str) else given
            kept[name] = replace(proposed.column, hierarchy=found)
        return Schema(kept)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the owner should look at before anything else."""
        return (*self._repeated(), *(text for proposed in self.columns.values() for text in proposed.notes))

    def _repeated(self) -> Iterator[str]:
        """A warning for each identifier that repeats, where no column says whose rows belong together."""
        if any(proposed.column.role == "person" for proposed in self.columns.values()):
            return
        for name, proposed in self.columns.items():
            rows, different = proposed.facts.rows - proposed.facts.missing, proposed.facts.different
            if proposed.column.role == "identifier" and different < rows:
                yield repeated_note(name, rows=rows, different=different)

    def to_toml(self) -> str:
        """The schema with its reasons as comments."""
        parts = [_HEADER]
        for name, proposed in self.columns.items():
            lines = Schema({name: proposed.column}).to_toml().splitlines()
            comments = [f"# {proposed.column.role}: {proposed.why}"]
            comments += [f"# {text}" for text in (proposed.advice, *proposed.notes) if text]
            parts.append("\n".join([*comments, *(line for line in lines if line)]) + "\n")
        return "\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """What each column seems to be, and why, as plain data."""
        return {"columns": self.rows()}

    def rows(self) -> list[dict[str, Any]]:
        """One row for each column, without a value of anybody."""
        return [
            {
                "column": name,
                "role": proposed.column.role,
                "kind": proposed.facts.kind,
                "different": proposed.facts.different,
                "unique_rows": proposed.facts.unique,
                **({} if proposed.facts.unique_people is None else {"unique_people": proposed.facts.unique_people}),
                "missing_rows": proposed.facts.missing,
                "why": proposed.why,
            }
            for name, proposed in self.columns.items()
        ]

    def write(self, folder: str | PathLike[str], *, replace: bool = False) -> Path:
        """Write `schema.toml` and the hierarchies into a folder; all appear, or none. Returns the schema's path."""
        where = Path(folder)
        where.mkdir(parents=True, exist_ok=True)
        with file_group(replace=replace) as group:
            for name, hierarchy in self.files.items():
                hierarchy.write(group.place(where / name))
            group.place(where / "schema.toml").write_text(self.to_toml(), encoding="utf-8")
        return where / "schema.toml"


def propose_schema(frame: Any, *, hierarchies: Mapping[str, Hierarchy] | None = None) -> SchemaProposal:
    """Propose roles, types and hierarchies for a table; `hierarchies` are used for the columns they name.

    An empty cell is missing. "?", "NA" and their like are values as any other; `notes` tells which columns hold them.

    >>> import pyarrow as pa
    >>> table = pa.table({"name": ["Ann", "Bob"], "age": [34, 71], "diagnosis": ["flu", "gout"]})
    >>> propose_schema(table).schema.roles
    {'name': 'identifier', 'age': 'quasi-identifier', 'diagnosis': 'sensitive'}
    """
    table = to_table(frame)
    if table.num_rows == 0 or not table.column_names:
        raise InputError("there are no rows to propose a schema from")
    given = dict(hierarchies or {})
    columns: dict[str, ProposedColumn] = {}
    files: dict[str, Hierarchy] = {}
    for name in table.column_names:
        facts = facts_of(name, table.column(name))
        role, why = probable_role(facts)
        if name in given:
            given[name].require(facts.values, column=name)
            file = _file_name(name, files)
            files[file] = given[name]
            columns[name] = ProposedColumn(
                facts=facts,
                column=Column(role="quasi-identifier", hierarchy=file),
                why="it has a hierarchy",
            )
        elif role != "quasi-identifier" or facts.different < 3:
            columns[name] = ProposedColumn(facts=facts, column=Column(role=role, written=facts.written), why=why)
        else:
            coarsening = coarsening_of(facts)
            entries = dict(coarsening.entries)
            if coarsening.hierarchy is not None:
                entries["hierarchy"] = _file_name(name, files)
                files[entries["hierarchy"]] = coarsening.hierarchy
            columns[name] = ProposedColumn(
                facts=facts, column=Column(role=role, **entries), why=why, advice=coarsening.advice
            )
    return SchemaProposal(columns=_with_people(columns, table), files=files)


def run(request: PublishSchema, host: Host = QUIET) -> Outcome:
    """The job `publish schema`: a proposal, shown in rows and kept in a folder."""
    how = request.reading().options
    table = read_table(request.table, **how) if isinstance(request.table, Path) else to_table(request.table)
    given = {} if request.hierarchies is None else read_hierarchies(request.hierarchies, table.column_names)
    proposal = propose_schema(table, hierarchies=given)

    def save(folder: Path, replace: bool) -> str:
        written = proposal.write(folder, replace=replace)
        return f"{written} and {len(proposal.files)} hierarchies written; check every role, then edit the files"

    looked = "nothing was written; output= keeps the proposal as schema.toml, with the hierarchies beside it"
    return Outcome(
        answer=proposal,
        save=save,
        rows=proposal.rows,
        reading=lambda: _for_reading(proposal.rows()),
        title="What each column seems to be",
        notes=(*proposal.notes, looked) if host.output is None else proposal.notes,
    )


_SHORT = {"different": "values", "unique_rows": "unique", "unique_people": "unique people", "missing_rows": "missing"}


def _for_reading(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What fits 80 columns; the reasons in full are in the file, and in JSON."""
    left_out = {"kind"} if any(row["missing_rows"] for row in rows) else {"kind", "missing_rows"}
    left_out |= {"unique_rows"} if any("unique_people" in row for row in rows) else set()
    return [
        {_SHORT.get(name, name): value for name, value in row.items() if name not in left_out}
        | {"why": row["why"].partition(";")[0].removeprefix("its name says that ")}
        for row in rows
    ]


def _with_people(columns: dict[str, ProposedColumn], table: "pa.Table") -> dict[str, ProposedColumn]:
    """The same columns; where one of them names persons, with how many people alone have a value of the others."""
    named = [name for name, proposed in columns.items() if proposed.column.role == "person"]
    if len(named) != 1:
        return columns
    persons = Texts.of(table.column(named[0]), named[0]).codes
    found = {}
    for name, proposed in columns.items():
        codes = Texts.of(table.column(name), name).codes
        there = (codes >= 0) & (persons >= 0)
        alone = unique_rows([name], [codes[there]], persons=persons[there])
        people = round(alone[0].share * len(np.unique(persons[there]))) if alone else 0
        found[name] = replace(proposed, facts=replace(proposed.facts, unique_people=people))
    return found


def read_hierarchies(folder: str | PathLike[str], columns: list[str]) -> dict[str, Hierarchy]:
    """ARX's hierarchies in a folder, for these columns: `COLUMN.csv`, or ARX's own `TABLE_hierarchy_COLUMN.csv`.

    A file that fits no column is passed over; two for one column are refused.
    """
    where = Path(folder)
    if not where.is_dir():
        raise InputError("no such folder", source=where)
    found: dict[str, Path] = {}
    for path in sorted(where.glob("*.csv")):
        stem = path.stem.lower()
        for name in columns:
            if stem == name.lower() or stem.endswith(f"_hierarchy_{name.lower()}"):
                if name in found:
                    raise InputError(f"{found[name].name} and {path.name} are both for column {name!r}", source=where)
                found[name] = path
    return {name: Hierarchy.read(path) for name, path in found.items()}


def _file_name(name: str, taken: Mapping[str, Hierarchy]) -> str:
    """A file name for a column, whatever it is called; no two alike."""
    plain = re.sub(r"[^\w.-]", "_", name).strip(".")[:80] or "column"
    number, found = 1, f"{plain}.csv"
    while found.lower() in {other.lower() for other in taken}:
        number += 1
        found = f"{plain}-{number}.csv"
    return found
