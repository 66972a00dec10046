"""The roles of a table's columns: read from its schema or proposed, and changed, several at once."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from confide.core.errors import UsageError
from confide.core.files import read_toml, write_text
from confide.core.tables.schema import ROLES, Schema
from confide.studio.project.project_folder import Project
from confide.studio.tables.copies import ColumnLook, ShownTable

__all__ = ["changed_schema", "read_roles", "schema_name"]

_OF_SENSITIVE = ("require",)
_ALWAYS = ("role", "written")


def schema_name(table: str) -> str:
    """The schema that the studio writes for a table: people.csv has people.schema.toml beside it."""
    path = PurePosixPath(table)
    return (path.parent / f"{path.name.partition('.')[0]}.schema.toml").as_posix()


def read_roles(project: Project, schema: str) -> dict[str, dict[str, Any]]:
    """The entries of each column in a schema, checked; empty where there is no such file."""
    path = project.place(schema)
    if not path.exists():
        return {}
    Schema.read(path)  # says every fault
    columns = read_toml(path)["columns"]
    return {str(name): dict(entries) for name, entries in columns.items()}


def changed_schema(project: Project, table: str, look: ShownTable, schema: str, roles: Mapping[str, str]) -> str:
    """The text of a schema with these roles; every column of the table has one. Hierarchies that a new
    quasi-identifier needs are written beside it."""
    known = read_roles(project, schema)
    unknown = [role for role in roles.values() if role not in ROLES]
    if unknown:
        raise UsageError(f"no role is called {unknown[0][:40]!r}; roles are: {', '.join(ROLES)}")
    columns: dict[str, dict[str, Any]] = {}
    for column in look.columns:
        entries = known.get(column.name, {"role": column.role})
        role = roles.get(column.name, str(entries["role"]))
        columns[column.name] = _with_role(project, look, schema, column, entries, role)
    return Schema.from_dict(columns).to_toml()


def _with_role(
    project: Project, look: ShownTable, schema: str, column: ColumnLook, entries: Mapping[str, Any], role: str
) -> dict[str, Any]:
    """The entries of a column in a role: those of another role are left out, those that it needs are added."""
    own = {name: value for name, value in entries.items() if name in _ALWAYS} | {"role": role}
    if role == "sensitive":
        return own | {name: value for name, value in entries.items() if name in _OF_SENSITIVE}
    if role != "quasi-identifier":
        return own | ({"written": column.written} if column.written and "written" not in own else {})
    kept = {name: value for name, value in entries.items() if name not in _OF_SENSITIVE} | {"role": role}
    if len(kept.keys() - set(_ALWAYS)) or column.different < 3:
        return kept
    added = dict(column.entries)
    given = added.get("hierarchy")
    if isinstance(given, str):
        added["hierarchy"] = _place_hierarchy(project, look, schema, column.name, given)
    return kept | added


def _place_hierarchy(project: Project, look: ShownTable, schema: str, column: str, file: str) -> str:
    """Copy a hierarchy beside the schema, unless one of that name is there; its name as the schema has it."""
    stem = re.sub(r"[^\w.-]", "_", column).strip(".")[:60] or "column"
    home = PurePosixPath(schema).name.partition(".")[0] + "-hierarchies"
    folder = project.place((PurePosixPath(schema).parent / home).as_posix())
    folder.mkdir(exist_ok=True)
    target = folder / f"{stem}.csv"
    if not target.exists():
        text = (look.folder / "hierarchies" / file).read_text(encoding="utf-8")
        write_text(target, text)
    return f"{home}/{stem}.csv"
