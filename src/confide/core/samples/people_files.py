"""Invented people as files: the table, its schema, and the hierarchies beside it."""

from os import PathLike
from pathlib import Path
from typing import Any

from confide.core.file_groups import check_outputs
from confide.core.samples.people import people, people_hierarchies, people_schema
from confide.core.tables.frames import write_table
from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Schema

__all__ = ["write_people"]


def write_people(path: str | PathLike[str], rows: int, *, seed: int = 1, replace: bool = False) -> Path:
    """Write `people(rows)` to a file, schema and hierarchies beside it; returns where the schema is.

    Hierarchies are the same for every invention, so those that an earlier one left there are used again.
    """
    output = Path(path)
    hierarchies = {name: Hierarchy.from_rows(levels) for name, levels in people_hierarchies().items()}
    columns: dict[str, dict[str, Any]] = {
        name: {**spec, "hierarchy": hierarchies.get(name)} for name, spec in people_schema().items()
    }
    new = []
    for name, hierarchy in hierarchies.items():
        there = output.with_name(f"{name}.csv")
        if there.is_file() and not replace and Hierarchy.read(there) == hierarchy:
            columns[name]["hierarchy"] = there.name
        else:
            new.append(there)
    schema = Schema.from_dict(columns)
    beside = output.with_name(output.name.partition(".")[0] + ".schema.toml")
    check_outputs([output, beside, *new], replace=replace)
    write_table(people(rows, seed=seed), output, replace=replace)
    schema.write(beside, replace=replace)
    return beside
