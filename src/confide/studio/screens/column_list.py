"""Columns: what each is, several changed at once; the rows, from anywhere in the table. For the owner only."""

from collections.abc import Mapping
from typing import Any

from confide.core.errors import InputError, UsageError
from confide.core.tables.schema import ROLES
from confide.studio.forms.suggestions import schema_of_table
from confide.studio.project.run_files import free_name
from confide.studio.tables.column_roles import changed_schema, read_roles, schema_name
from confide.studio.tables.copies import ColumnLook, ShownTable
from confide.studio.tables.utf8_copies import ENCODINGS, write_as_utf8
from confide.studio.visit import Answer, GoTo, Page, Studio, Visit, address

__all__ = ["show_columns"]

_COLUMNS_SHOWN = 60
_ROWS_SHOWN = 50
_WIDTH_SHOWN = 25  # columns of rows
_KINDS = {
    "whole": "whole numbers",
    "number": "numbers",
    "date": "dates",
    "code": "codes of digits",
    "contact": "addresses or telephones",
    "text": "texts",
}
_MEANINGS = {
    "identifier": "names a person: left out",
    "quasi-identifier": "others may know it: made coarser",
    "sensitive": "nobody must learn it",
    "insensitive": "harmless: released as it is",
    "class": "what models predict: released as it is",
    "person": "whose row it is",
}


def show_columns(visit: Visit) -> Answer:
    """The columns of a table; posted, roles are changed in its schema."""
    studio, table = visit.studio, visit.text("table")
    if not table:
        return _choose(studio)
    if visit.form is not None and visit.text("do") == "recode":
        copy = free_name(studio.project, f"{table.rpartition('/')[2].partition('.')[0]}-utf8", ".csv")
        write_as_utf8(studio.project.place(table), studio.project.place(copy), visit.text("encoding"))
        return GoTo(address("columns", table=copy))
    schema = visit.text("schema") or schema_of_table(studio.files, table) or schema_name(table)
    try:
        look = studio.copies.look(table)
    except InputError as error:
        if "not UTF-8" not in str(error):
            raise
        values = {"table": table, "line": str(error), "encodings": ENCODINGS}
        return Page(template="unread.html.j2", title=table, values=values, status=422)
    if look is None:
        values = {"table": table}
        return Page(template="copying.html.j2", title=table, values=values, again_after=1)
    if visit.form is not None:
        return _change(visit, table, look, schema)
    return _page(visit, table, look, schema)


def _choose(studio: Studio) -> Page:
    tables = [file for file in studio.files.all() if file.kind == "table" and not file.passport]
    return Page(template="choose_table.html.j2", title="Columns", values={"tables": tables})


def _page(visit: Visit, table: str, look: ShownTable, schema: str) -> Page:
    studio = visit.studio
    known = read_roles(studio.project, schema)
    letters, only = visit.text("letters")[:80], visit.text("only")
    roles = {column.name: str(known.get(column.name, {"role": column.role})["role"]) for column in look.columns}
    fitting = [
        (at, column)
        for at, column in enumerate(look.columns)
        if letters.casefold() in column.name.casefold() and only in ("", roles[column.name])
    ]
    first = min(visit.number("first", 0), max(0, len(fitting) - 1))
    start = max(1, min(visit.number("row", 1), look.rows))
    shown = fitting[first : first + _COLUMNS_SHOWN]
    names = [column.name for column in look.columns[:_WIDTH_SHOWN]]
    counts = {role: sum(other == role for other in roles.values()) for role in ROLES}
    values: dict[str, Any] = {
        "table": table,
        "schema": schema,
        "saved": bool(known),
        "look": look,
        "shown": [(at, column, roles[column.name], _why(column, known), _bars(column)) for at, column in shown],
        "fitting": len(fitting),
        "first": first,
        "letters": letters,
        "only": only,
        "roles": ROLES,
        "meanings": _MEANINGS,
        "counts": {role: count for role, count in counts.items() if count},
        "kinds": _KINDS,
        "names": names,
        "more_columns": len(look.columns) - len(names),
        "row": start,
        "rows": look.slice(start - 1, _ROWS_SHOWN, names) if visit.text("rows") else [],
        "rows_shown": _ROWS_SHOWN,
        "columns_shown": _COLUMNS_SHOWN,
        "version": studio.versions.current(schema),
        "lost": sorted(set(known) - {column.name for column in look.columns}),
    }
    return Page(template="columns.html.j2", title=f"Columns of {table}", values=values, owner=True)


def _why(column: ColumnLook, known: dict[str, Any]) -> str:
    """Why it has its role: as the schema says, or by what the proposal goes."""
    if column.name in known and known[column.name]["role"] != column.role:
        return f"your choice; proposed was {column.role}, since {column.why}"
    return column.why


def _bars(column: ColumnLook) -> list[tuple[str, int, float, float]]:
    """Each bar with its label and rows, and where it stands: x and height, of 100 by 24."""
    most = max((rows for _, rows in column.bars), default=0) or 1
    width = 100 / max(len(column.bars), 1)
    return [
        (label, rows, at * width, max(24 * rows / most, 0.5 if rows else 0))
        for at, (label, rows) in enumerate(column.bars)
    ]


def _change(visit: Visit, table: str, look: ShownTable, schema: str) -> Answer:
    """Change roles: of each column by its own choice, or of all that are marked by one."""
    assert visit.form is not None
    studio, do = visit.studio, visit.text("do")
    where = {"table": table, "schema": schema}
    if do in ("undo", "redo"):
        studio.versions.undo(schema) if do == "undo" else studio.versions.redo(schema)
        return GoTo(address("columns", **where))
    names = [column.name for column in look.columns]
    marked = [names[int(text)] for text in visit.form.get("marked", []) if text.isdecimal() and int(text) < len(names)]
    if do == "marked":
        if not marked:
            raise UsageError("no column is marked; mark some, then choose what all of them are")
        roles = dict.fromkeys(marked, visit.text("role"))
    else:
        roles = {names[at]: text for at, text in _own_roles(visit.form, len(names))}
    text = changed_schema(studio.project, table, look, schema, roles)
    base = visit.number("base", 0) or None
    studio.versions.save(schema, text, base=base)
    if do == "publish":
        return GoTo(address("run", job="publish table", **where))
    back = {name: visit.text(name) for name in ("first", "letters", "only") if visit.text(name)}
    return GoTo(address("columns", **where, **back))


def _own_roles(form: Mapping[str, list[str]], most: int) -> list[tuple[int, str]]:
    """The choices `role-N` of a form, by the number of the column."""
    found = [(name.removeprefix("role-"), texts) for name, texts in form.items() if name.startswith("role-")]
    return [(int(at), texts[-1]) for at, texts in found if at.isdecimal() and int(at) < most]
