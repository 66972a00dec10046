"""How often each value stands in the column that a schema of the folder describes by a hierarchy."""

from dataclasses import dataclass, field
from pathlib import PurePosixPath

from confide.core.errors import ConfideError
from confide.studio.tables.column_roles import read_roles, schema_name
from confide.studio.visit import Studio

__all__ = ["DescribedColumn", "described_column"]


@dataclass(frozen=True, kw_only=True)
class DescribedColumn:
    """The column of a table that a hierarchy is for, and the rows of each of its values (missing ones left out); None
    while the table is read."""

    table: str
    column: str
    counts: dict[str, int] | None = field(repr=False)


def described_column(studio: Studio, hierarchy: str) -> DescribedColumn | None:
    """The first column whose schema names this hierarchy; None where there is none."""
    files = studio.files.all()
    tables = {schema_name(file.name): file.name for file in files if file.kind == "table" and not file.passport}
    for schema in (file.name for file in files if file.kind == "schema" and file.name in tables):
        try:
            entries = read_roles(studio.project, schema)
            column = next((name for name, given in entries.items() if _names(schema, given, hierarchy)), None)
            look = studio.copies.look(tables[schema]) if column is not None else None
        except ConfideError:
            continue  # its own page says what is wrong with it
        if column is not None and (look is None or column in {known.name for known in look.columns}):
            counts = None if look is None else look.count_values(column)
            return DescribedColumn(table=tables[schema], column=column, counts=counts)
    return None


def _names(schema: str, entries: dict[str, object], hierarchy: str) -> bool:
    """Whether the entries of a column in a schema name the file of a hierarchy."""
    given = entries.get("hierarchy")
    return isinstance(given, str) and (PurePosixPath(schema).parent / given).as_posix() == hierarchy
