"""One table, from where its owner keeps it: a CSV, Parquet or .xlsx file, DuckDB, or PostgreSQL.

Databases are opened read-only, and a query sees only its own database. An error says in one line what is missing. It
never repeats a value of the table, and of a connection's address only host, port and database.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from confide.core.errors import ConfideError, InputError, UnreachableError, UsageError
from confide.core.runtime.extras import require
from confide.core.tables.formats.csv_types import with_types
from confide.core.tables.frames import format_of, read_table
from confide.core.tables.reading import PLAIN, Reading

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["has_password", "load_table"]


def load_table(
    *,
    file: str | PathLike[str] | None = None,
    duckdb: str | PathLike[str] | None = None,
    postgres: str | None = None,
    postgres_env: str | None = None,
    table: str | None = None,
    query: str | None = None,
    types: Mapping[str, str] | None = None,
    text: Iterable[str] | None = None,
    deadline: float = 60.0,
    extra: str = "serve",
    reading: Reading = PLAIN,
) -> "pa.Table":
    """Load one table as Arrow columns, from exactly one place.

    `file`: CSV, Parquet or .xlsx (`table` may name the sheet), by its name. Columns of a CSV file or a sheet are text,
    since a postcode 01234 is not a number; `types` declares the others ("integer", "number" or "date"). With `text`,
    the columns to leave as text, every other one is numbers where each of its cells is one (see `csv_types`). An empty
    cell is NULL.

    `duckdb`: a database file. `postgres`: an address, postgresql://user@host:port/database, without a password,
    which libpq takes from PGPASSWORD or the user's password file; or `postgres_env`: the name of an environment
    variable that holds a whole address. Both need either `table` (also "schema.table") or `query`, one SELECT.
    `deadline` is how many seconds a server may take to connect, and then to answer. `extra` is what to install, of this
    package's extras, where a database's driver is missing. `reading` says how a file is read.
    """
    places = {"file": file, "duckdb": duckdb, "postgres": postgres, "postgres_env": postgres_env}
    given = [name for name, place in places.items() if place is not None]
    if len(given) != 1:
        raise UsageError(
            "a table comes from exactly one of file, duckdb, postgres and postgres_env, not "
            f"{' and '.join(given) or 'none of them'}"
        )
    if file is not None:
        if query is not None or (table is not None and Path(file).suffix.lower() != ".xlsx"):
            raise UsageError("a file is one table; leave out table and query")
        return _from_file(Path(file), types or {}, text, reading if table is None else replace(reading, sheet=table))
    if types:
        raise UsageError("types are for CSV files; a database has its own")
    if (table is None) == (query is None):
        raise UsageError(f"{given[0]} needs either table or query")
    if duckdb is not None:
        return _plain(_from_duckdb(Path(duckdb), table, query, extra))
    return _plain(_from_postgres(_address(postgres, postgres_env), table, query, deadline, extra))


# -- files --------------------------------------------------------------------------------------------------------


def _from_file(path: Path, types: Mapping[str, str], text: Iterable[str] | None, reading: Reading) -> "pa.Table":
    found = read_table(path, **reading.options)
    if format_of(path) == "parquet":
        if types:
            raise UsageError("types are for CSV files; a Parquet file has its own")
        return _plain(found)
    inferred = set() if text is None else set(found.column_names) - set(text)
    return with_types(found, types, inferred=inferred, source=path)


# -- DuckDB -------------------------------------------------------------------------------------------------------


def _from_duckdb(path: Path, table: str | None, query: str | None, extra: str) -> "pa.Table":
    engine = require("duckdb", extra=extra)
    if not path.is_file():
        raise InputError("no such file", source=path)
    try:
        # Without external access neither COPY nor read_csv reaches past the file.
        link = engine.connect(str(path), read_only=True, config={"enable_external_access": "false"})
    except engine.Error as error:
        raise InputError(f"cannot be opened: {_first_line(error)}", source=path) from None
    try:
        made = link.sql(query if query is not None else f"SELECT * FROM {_quoted(table)}")
        if made is None:
            raise InputError("the query must be one SELECT", source=path)
        return made.to_arrow_table()
    except (engine.CatalogException, engine.BinderException, engine.ParserException) as error:
        raise InputError(_first_line(error), source=path) from None  # speaks of names only
    except engine.Error as error:
        raise InputError(f"the query failed ({type(error).__name__})", source=path) from None
    finally:
        link.close()


# -- PostgreSQL ---------------------------------------------------------------------------------------------------


def _address(postgres: str | None, variable: str | None) -> str:
    if postgres is None:
        assert variable is not None
        postgres = os.environ.get(variable, "")
        if not postgres:
            raise InputError(f"the environment variable {variable} holds no address; set it")
    elif has_password(postgres):
        raise UsageError(
            "leave the password out of the address: put it in PGPASSWORD or ~/.pgpass, "
            "or the whole address in a variable named by postgres_env"
        )
    try:
        parts = urlsplit(postgres)
        sound = parts.scheme in ("postgresql", "postgres") and (parts.port or 1) > 0 and " " not in postgres
    except ValueError:
        sound = False
    if not sound:  # not repeated: it may hold a password
        raise InputError("the PostgreSQL address must read postgresql://user@host:port/database")
    return postgres


def has_password(address: str) -> bool:
    """Whether an address holds a password; commands refuse it, since the list of processes shows it to everybody."""
    try:
        parts = urlsplit(address)
        return parts.password is not None or any(name == "password" for name, _ in parse_qsl(parts.query))
    except ValueError:
        return False


def _from_postgres(address: str, table: str | None, query: str | None, deadline: float, extra: str) -> "pa.Table":
    driver = require("adbc_driver_postgresql.dbapi", extra=extra)
    parts = urlsplit(address)
    where = f"PostgreSQL at {parts.hostname or 'localhost'}:{parts.port or 5432}{parts.path}"
    seconds = max(2, round(deadline))  # libpq's least
    try:
        link = driver.connect(f"{address}{'&' if parts.query else '?'}connect_timeout={seconds}")
    except driver.Error as error:
        raise UnreachableError(f"{where} cannot be reached: {_reason(str(error))}") from None
    try:
        with link.cursor() as cursor:
            # The first statement of the transaction; the query, being one statement, cannot take it back.
            cursor.execute("SET TRANSACTION READ ONLY")
            cursor.execute(f"SET LOCAL statement_timeout = {round(deadline * 1000)}")
            cursor.execute(query if query is not None else f"SELECT * FROM {_quoted(table)}")
            found = cursor.fetch_arrow_table()
    except driver.Error as error:
        raise _query_fault(error, where, deadline) from None
    finally:
        link.close()
    if not found.num_columns:
        raise InputError("the query must be one SELECT", source=where)
    return found


def _reason(said: str) -> str:
    """Why no connection came about, in our words: libpq's may repeat the address."""
    reasons = {
        "password": "no password, or a wrong one (PGPASSWORD, ~/.pgpass)",
        "does not exist": "no such database or user",
        "refused": "connection refused",
        "translate host name": "no host of that name",
        "timeout": "no answer in time",
        "certificate": "its certificate is not accepted",
    }
    return next((reason for mark, reason in reasons.items() if mark in said), "no connection")


def _query_fault(error: Any, where: str, deadline: float) -> ConfideError:
    """What went wrong in a query, by SQLSTATE; class 42 speaks of names, the others may speak of values."""
    state = error.sqlstate or ""
    if state == "57014":
        return UnreachableError(f"{where} did not answer within {deadline:g} s")
    if state == "25006":
        return InputError("the query must only read", source=where)
    if state.startswith("42"):
        said = str(error).partition("ERROR:")[2] or str(error)
        return InputError(said.strip().splitlines()[0], source=where)
    if state[:2] in ("", "08", "57"):  # the connection broke, or the server went down
        return UnreachableError(f"{where} stopped answering")
    return InputError(f"the query failed (SQLSTATE {state})", source=where)


# -- all ----------------------------------------------------------------------------------------------------------


def _quoted(table: str | None) -> str:
    """A table's name as an identifier of SQL, schema and name apart."""
    assert table is not None
    return ".".join('"' + part.replace('"', '""') + '"' for part in table.split("."))


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


def _plain(table: "pa.Table") -> "pa.Table":
    """Columns in plain types, so that equal values of different databases are alike.

    PostgreSQL's numeric comes as text, and DuckDB's sums as decimals without a fraction: whole numbers become int64
    where they fit, other numerics decimals, or floats when too long for these. UUIDs become text.
    """
    import pyarrow as pa

    columns = [_plain_column(field, column) for field, column in zip(table.schema, table.columns, strict=True)]
    names = table.column_names
    if len(set(names)) != len(names):
        raise InputError(f"two columns are named {next(n for n in names if names.count(n) > 1)!r}; rename one")
    return pa.table(columns, names=names)


def _plain_column(field: "pa.Field", column: "pa.ChunkedArray") -> "pa.ChunkedArray":
    import pyarrow as pa

    kind = field.type
    if isinstance(kind, pa.BaseExtensionType):
        if kind.extension_name == "arrow.uuid":
            return pa.chunked_array(
                [pa.array([None if v is None else str(v) for v in column.to_pylist()], pa.string())]
            )
        numeric = "numeric" in (
            getattr(kind, "type_name", ""),
            (field.metadata or {}).get(b"POSTGRESQL:type", b"").decode(),
        )
        storage = pa.chunked_array([chunk.storage for chunk in column.chunks], type=kind.storage_type)
        return _number(storage) if numeric else storage
    if pa.types.is_decimal(kind) and kind.scale == 0:
        return _first_that_fits(column, pa.int64(), kind)
    return column


def _number(text: "pa.ChunkedArray") -> "pa.ChunkedArray":
    import pyarrow as pa
    import pyarrow.compute as pc

    after = pc.max(pc.utf8_length(pc.replace_substring_regex(text, r"^[^.]*\.?", ""))).as_py() or 0
    before = pc.max(pc.utf8_length(pc.replace_substring_regex(text, r"^-|\..*$", ""))).as_py() or 0
    # Arrow turns text of more than 38 digits into a wrong decimal without a word, so digits are counted first.
    decimal = [pa.decimal128(38, after)] if before + after <= 38 else []
    return _first_that_fits(text, pa.int64(), *decimal, pa.float64())


def _first_that_fits(column: "pa.ChunkedArray", *kinds: "pa.DataType") -> "pa.ChunkedArray":
    import pyarrow as pa

    for kind in kinds[:-1]:
        try:
            return column.cast(kind)
        except pa.ArrowInvalid:
            continue
    return column.cast(kinds[-1])
