"""A store in a PostgreSQL database, reached through its ADBC driver.

Several collectors may write into one database, and it may be mined while they run. A lost connection is opened anew
by the next call; what was not acknowledged is sent again by its client.

A row's place (ctid) and the transaction that wrote it (xmin) tell when it came. So the order is forgotten by emptying
the table and writing all rows again in one transaction; the old pages go with it. PostgreSQL's own log of changes (its
WAL, and archives or replicas fed by it) is the operator's to delete.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

from confide.collect.service.store import (
    Store,
    Submission,
    SubmissionOutcome,
    another_scheme,
    hide_password,
    outcomes,
    unreachable,
)
from confide.core.errors import InputError
from confide.core.runtime.extras import require

if TYPE_CHECKING:
    import pyarrow as pa

    from confide.collect.schemes.scheme import Scheme

__all__ = ["PostgresStore"]

T = TypeVar("T")

_SCHEME = "CREATE TABLE IF NOT EXISTS confide_scheme (fingerprint text PRIMARY KEY, scheme text NOT NULL)"
_NOTES = "CREATE TABLE IF NOT EXISTS confide_notes (name text PRIMARY KEY, text text NOT NULL)"
_SUBMISSIONS = """
CREATE TABLE IF NOT EXISTS confide_submissions
(submission uuid PRIMARY KEY, lengths int[] NOT NULL, codes int[] NOT NULL)
"""


class PostgresStore(Store):
    """See `store.Store`."""

    def __init__(self, address: str, scheme: "Scheme | None"):
        self._address = address
        self._adbc = require("adbc_driver_postgresql.dbapi", extra="serve")
        self._link: Any = None
        self._do(lambda cursor: self._settle(cursor, scheme))
        if scheme is not None:
            self.forget_order()  # a collector that was killed could not

    def _do(self, work: Callable[[Any], T]) -> T:
        """Run one transaction; an error that is not ours closes the connection, and the next call opens another."""
        try:
            if self._link is None:
                self._link = self._connect()
            with self._link.cursor() as cursor:
                result = work(cursor)
            self._link.commit()
        except self._adbc.Error as error:
            self.close()
            raise unreachable(self._address, error) from None
        except BaseException:
            self.close()
            raise
        return result

    def _connect(self) -> Any:
        link = self._adbc.connect(self._address)
        with link.cursor() as cursor:
            # Whatever the database's defaults: acknowledged means on disk, and a row another collector wrote is seen.
            cursor.execute("SET synchronous_commit = on")
            cursor.execute("SET default_transaction_isolation = 'read committed'")
        link.commit()
        return link

    def _settle(self, cursor: Any, scheme: "Scheme | None") -> None:
        cursor.execute("SELECT to_regclass('confide_scheme') IS NOT NULL")
        if scheme is None and cursor.fetchone() != (True,):
            raise InputError("holds no store of collected records", source=hide_password(self._address))
        if scheme is not None:
            # Two collectors that start together would otherwise make the tables at once, which one of them regrets.
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext('confide_scheme'))")
            cursor.fetchall()
            for table in (_SCHEME, _SUBMISSIONS, _NOTES):
                cursor.execute(table)
            cursor.execute(
                "INSERT INTO confide_scheme SELECT $1, $2 WHERE NOT EXISTS (SELECT FROM confide_scheme)",
                (scheme.fingerprint, scheme.to_json()),
            )
        cursor.execute("SELECT fingerprint FROM confide_scheme")
        held = cursor.fetchall()
        if not held:
            raise InputError("is a store without a scheme", source=hide_password(self._address))
        if scheme is not None and held[0][0] != scheme.fingerprint:
            raise another_scheme(self._address, held[0][0], scheme.fingerprint)

    def add(self, submissions: Sequence[Submission]) -> list[SubmissionOutcome]:
        import pyarrow as pa

        # PostgreSQL has no ragged arrays of arrays, so arrays travel as their own text: {1,2,3}.
        texts = pa.list_(pa.string())
        arriving = pa.table(
            {
                "submission": pa.array([[str(one.id) for one in submissions]], texts),
                "lengths": pa.array([[_array(one.lengths) for one in submissions]], texts),
                "codes": pa.array([[_array(one.codes) for one in submissions]], texts),
            }
        )

        def write(cursor: Any) -> list[SubmissionOutcome]:
            cursor.execute(
                "INSERT INTO confide_submissions SELECT s::uuid, l::int[], c::int[] "
                "FROM unnest($1::text[], $2::text[], $3::text[]) AS t(s, l, c) "
                "ON CONFLICT DO NOTHING RETURNING submission::text",
                arriving,
            )
            new = {UUID(row[0]) for row in cursor.fetchall()}
            known = [str(one.id) for one in submissions if one.id not in new]
            return outcomes(submissions, new, _read_codes(cursor, known) if known else {})

        return self._do(write)

    def count(self) -> tuple[int, int]:
        def ask(cursor: Any) -> tuple[int, int]:
            cursor.execute("SELECT count(*), coalesce(sum(cardinality(lengths)), 0)::bigint FROM confide_submissions")
            submissions, records = cursor.fetchone()
            return submissions, records

        return self._do(ask)

    def find_codes(self, ids: Sequence[UUID]) -> dict[UUID, Any]:
        return self._do(lambda cursor: _read_codes(cursor, [str(id) for id in ids]))

    def note(self, name: str) -> str | None:
        def ask(cursor: Any) -> str | None:
            cursor.execute("SELECT to_regclass('confide_notes') IS NOT NULL")
            if cursor.fetchone() != (True,):
                return None
            cursor.execute("SELECT text FROM confide_notes WHERE name = $1", (name,))
            row = cursor.fetchone()
            return None if row is None else row[0]

        return self._do(ask)

    def write_note(self, name: str, text: str) -> None:
        def write(cursor: Any) -> None:
            cursor.execute(
                "INSERT INTO confide_notes VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET text = EXCLUDED.text",
                (name, text),
            )

        self._do(write)

    def scheme_text(self) -> str:
        def ask(cursor: Any) -> str:
            cursor.execute("SELECT scheme FROM confide_scheme")
            text: str = cursor.fetchone()[0]
            return text

        return self._do(ask)

    def read(self) -> "pa.Table":
        def ask(cursor: Any) -> Any:
            cursor.execute("SELECT lengths, codes FROM confide_submissions ORDER BY submission")
            return cursor.fetch_arrow_table()

        return self._do(ask)

    def forget_order(self) -> None:
        def rewrite(cursor: Any) -> None:
            cursor.execute("SELECT count(DISTINCT xmin::text) FROM confide_submissions")
            if cursor.fetchone()[0] < 2:
                return
            cursor.execute("SET LOCAL lock_timeout = '10s'")  # somebody may be mining
            cursor.execute("LOCK TABLE confide_submissions IN ACCESS EXCLUSIVE MODE")
            cursor.execute("CREATE TEMPORARY TABLE confide_held ON COMMIT DROP AS TABLE confide_submissions")
            cursor.execute("TRUNCATE confide_submissions")  # unlike a new table it keeps the rights granted on it
            cursor.execute("INSERT INTO confide_submissions SELECT * FROM confide_held ORDER BY submission")

        self._do(rewrite)

    def close(self) -> None:
        if self._link is not None:
            with suppress(Exception):  # the connection may be what is broken
                self._link.close()
            self._link = None


def _array(numbers: Sequence[int]) -> str:
    return "{" + ",".join(map(str, numbers)) + "}"


def _read_codes(cursor: Any, ids: list[str]) -> dict[UUID, Any]:
    cursor.execute(
        "SELECT submission::text, lengths, codes FROM confide_submissions WHERE submission = ANY($1::text[]::uuid[])",
        (ids,),
    )
    return {UUID(row[0]): (tuple(row[1]), tuple(row[2])) for row in cursor.fetchall()}
