"""A store in one DuckDB file.

DuckDB appends a transaction to its write-ahead log (FILE.wal) and syncs it before COMMIT returns; after a kill the
next open replays the log up to the last whole transaction. One process may have the file open, which the file's lock
enforces: a second collector on it is refused at start.

Rows stand in a DuckDB file as they came, and what is deleted stays in free blocks. So the order is forgotten by a new
file, FILE.rewritten, that takes the old one's place.

All three are for their owner only. DuckDB takes no mode for the files it makes, and it makes a log whenever the first
transaction after a checkpoint comes: so the process's mask for new files is narrowed around whatever may make one.
"""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from confide.collect.service.store import Store, Submission, SubmissionOutcome, another_scheme, outcomes
from confide.core.errors import InputError, UnreachableError, UsageError
from confide.core.runtime.extras import require

if TYPE_CHECKING:
    import pyarrow as pa

    from confide.collect.schemes.scheme import Scheme

__all__ = ["DuckDBStore"]

_TABLES = """
CREATE TABLE IF NOT EXISTS confide_scheme (fingerprint VARCHAR PRIMARY KEY, scheme VARCHAR NOT NULL);
CREATE TABLE IF NOT EXISTS confide_submissions (
    submission UUID PRIMARY KEY, lengths INTEGER[] NOT NULL, codes INTEGER[] NOT NULL
);
CREATE TABLE IF NOT EXISTS confide_notes (name VARCHAR PRIMARY KEY, text VARCHAR NOT NULL);
"""


_MASK = threading.Lock()


@contextmanager
def _for_the_owner_only() -> Iterator[None]:
    with _MASK:
        before = os.umask(0o077)
        try:
            yield
        finally:
            os.umask(before)


class DuckDBStore(Store):
    """See `store.Store`."""

    def __init__(self, address: str, scheme: "Scheme | None"):
        self._address, self._scheme = address, scheme
        self._duckdb = require("duckdb", extra="serve")
        self._link: Any = None
        self._open()

    def _open(self) -> None:
        writing = self._scheme is not None
        self._link = self._connected(Path(self._address), writing=writing)
        try:
            self._settle(self._scheme)
            if writing:
                for file in (self._address, f"{self._address}.wal"):
                    _narrow(Path(file))
                self.forget_order()  # a collector that was killed could not
        except BaseException:
            self.close()
            raise

    def _connected(self, path: Path, *, writing: bool) -> Any:
        if not writing and not path.is_file():
            raise InputError("no such store", source=path)
        if not path.parent.is_dir():
            raise UsageError(f"the folder {path.parent} does not exist; make it first")
        # No extension is fetched or loaded, no other file is read: a store is data and nothing else.
        config = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
        if writing:
            config["threads"] = "1"  # a transaction of a few rows is over before a second thread has woken
        try:
            with _for_the_owner_only():
                return self._duckdb.connect(str(path), read_only=not writing, config=config)
        except self._duckdb.IOException as error:
            if "lock" in str(error).lower():
                raise UsageError(
                    f"{path} is in use by another process, perhaps a running collector; stop it first, or collect "
                    "into PostgreSQL, which several may use"
                ) from None
            raise InputError(f"cannot be opened as a store: {_line(error)}", source=path) from None
        except self._duckdb.Error as error:
            raise InputError(f"cannot be opened as a store: {_line(error)}", source=path) from None

    def _settle(self, scheme: "Scheme | None") -> None:
        """Make the tables where there are none, and see that the store is this scheme's."""
        asked = "SELECT path FROM duckdb_databases() WHERE database_name = current_database()"
        if self._all(asked)[0][0] is None:
            # DuckDB opens a JSON or CSV file too, as a view in memory: what we stored would be gone with the process.
            raise InputError("not a DuckDB file; name a new file or a store", source=self._address)
        try:
            if scheme is not None:
                self._all(_TABLES)
            held = self._all("SELECT fingerprint FROM confide_scheme")
        except self._duckdb.Error:
            raise InputError("is a DuckDB file, but not a store of collected records", source=self._address) from None
        if scheme is None:
            if not held:
                raise InputError("is a store without a scheme", source=self._address)
        elif not held:
            row = [scheme.fingerprint, scheme.to_json()]
            self._all("INSERT INTO confide_scheme VALUES (?, ?)", row)
        elif held[0][0] != scheme.fingerprint:
            raise another_scheme(self._address, held[0][0], scheme.fingerprint)

    def _all(self, query: str, values: Any = None) -> list[tuple[Any, ...]]:
        """Every row: a connection with rows left to fetch refuses further work."""
        with _for_the_owner_only():
            rows: list[tuple[Any, ...]] = self._link.execute(query, values).fetchall()
        return rows

    def add(self, submissions: Sequence[Submission]) -> list[SubmissionOutcome]:
        import pyarrow as pa

        lists = pa.list_(pa.int32())
        arriving = pa.table(
            {
                "submission": pa.array([str(one.id) for one in submissions], pa.string()),
                "lengths": pa.array([one.lengths for one in submissions], lists),
                "codes": pa.array([one.codes for one in submissions], lists),
            }
        )
        try:
            if self._link is None:
                self._open()
            return self._write(submissions, arriving)
        except self._duckdb.Error as error:
            # A full disk, say. DuckDB may refuse all further work after that, so the next call opens the file anew.
            self.close()
            raise UnreachableError(f"{self._address}: {_line(error)}") from None

    def _write(self, submissions: Sequence[Submission], arriving: "pa.Table") -> list[SubmissionOutcome]:
        self._link.register("arriving", arriving)
        self._all("BEGIN")
        rows = self._all(
            "INSERT INTO confide_submissions SELECT submission::UUID, lengths, codes FROM arriving "
            "ON CONFLICT DO NOTHING RETURNING submission"
        )
        new = {row[0] for row in rows}
        known = [one.id for one in submissions if one.id not in new]
        held = self.find_codes(known) if known else {}
        self._all("COMMIT")
        self._link.unregister("arriving")
        return outcomes(submissions, new, held)

    def find_codes(self, ids: Sequence[UUID]) -> dict[UUID, Any]:
        if self._link is None:
            self._open()
        asked = "SELECT submission, lengths, codes FROM confide_submissions WHERE submission IN (SELECT unnest(?))"
        return {row[0]: (tuple(row[1]), tuple(row[2])) for row in self._all(asked, [list(ids)])}

    def note(self, name: str) -> str | None:
        if self._link is None:
            self._open()
        tables = self._all("SELECT 1 FROM duckdb_tables() WHERE table_name = 'confide_notes'")
        if not tables:  # a store of an earlier version, open for reading
            return None
        rows = self._all("SELECT text FROM confide_notes WHERE name = ?", [name])
        return rows[0][0] if rows else None

    def write_note(self, name: str, text: str) -> None:
        if self._link is None:
            self._open()
        self._all("INSERT OR REPLACE INTO confide_notes VALUES (?, ?)", [name, text])

    def count(self) -> tuple[int, int]:
        asked = "SELECT count(*), coalesce(sum(len(lengths)), 0)::BIGINT FROM confide_submissions"
        if self._link is None:
            self._open()
        submissions, records = self._all(asked)[0]
        return submissions, records

    def scheme_text(self) -> str:
        text: str = self._all("SELECT scheme FROM confide_scheme")[0][0]
        return text

    def read(self) -> "pa.Table":
        asked = "SELECT lengths, codes FROM confide_submissions ORDER BY submission"
        return self._link.sql(asked).to_arrow_table()

    def forget_order(self) -> None:
        asked = (
            "SELECT count(*) FROM (SELECT submission < lag(submission) OVER (ORDER BY rowid) AS falls "
            "FROM confide_submissions) WHERE falls"
        )
        try:
            if self._link is None or self._all(asked)[0][0] == 0:
                return
            path, fresh = Path(self._address), Path(f"{self._address}.rewritten")
            fresh.unlink(missing_ok=True)
            self._rewrite(fresh)
            with _for_the_owner_only():
                self._link.close()  # writes the log into the old file, and removes it
            self._link = None
            if Path(f"{path}.wal").exists():
                raise UnreachableError(f"{path}: its log could not be closed")
            _sync(fresh)
            fresh.replace(path)
            _sync(path.parent)
            self._link = self._connected(path, writing=True)
        except (self._duckdb.Error, OSError) as error:
            raise UnreachableError(f"{self._address}: {_line(error)}") from None

    def _rewrite(self, fresh: Path) -> None:
        quoted = str(fresh).replace("'", "''")
        self._all(f"ATTACH '{quoted}' AS fresh")
        try:
            self._all(_TABLES.replace("EXISTS ", "EXISTS fresh."))
            self._all("INSERT INTO fresh.confide_scheme SELECT * FROM confide_scheme")
            self._all("INSERT INTO fresh.confide_notes SELECT * FROM confide_notes ORDER BY name")
            self._all("INSERT INTO fresh.confide_submissions SELECT * FROM confide_submissions ORDER BY submission")
            self._all("CHECKPOINT fresh")
        finally:
            self._all("DETACH fresh")

    def close(self) -> None:
        if self._link is not None:
            with (
                suppress(self._duckdb.Error),
                _for_the_owner_only(),
            ):  # what could not be written stays in the log and is replayed
                self._link.close()
            self._link = None


def _narrow(path: Path) -> None:
    """Take the rights of others away from a file that was made with them."""
    if os.name == "posix" and path.is_file() and path.stat().st_mode & 0o077:
        try:
            path.chmod(0o600)
        except OSError as error:
            raise UsageError(f"others can read {path}, and that cannot be changed: {error.strerror}") from None


def _sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]
