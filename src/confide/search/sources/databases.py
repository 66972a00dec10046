"""A copy of a browser's database: browsers hold theirs locked, and keep what is new in a file beside it (-wal).

Both are copied to a folder that its owner alone can see and that is gone afterwards (if this process is killed, when
the next one copies something); only the copy is opened.
"""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from confide.core.errors import InputError
from confide.core.runtime.unfinished import make_part

__all__ = ["copied", "has_table"]

_BESIDE = ("-wal", "-shm")


@contextmanager
def copied(database: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a copy of the database, read only; whatever is wrong with it is one line."""
    if not database.is_file():
        raise InputError("no such file", source=database)
    with make_part(Path(tempfile.gettempdir()), folder=True) as folder:
        copy = folder / "copy.sqlite"
        try:
            shutil.copyfile(database, copy)
            for ending in _BESIDE[:1]:  # SQLite makes the index (-shm) anew from the log
                beside = database.with_name(database.name + ending)
                if beside.is_file():
                    shutil.copyfile(beside, Path(str(copy) + ending))
        except OSError as error:
            raise InputError(
                f"cannot be copied: {error.strerror}; close the browser and try again", source=database
            ) from None
        try:
            with closing(sqlite3.connect(copy)) as connection:
                connection.text_factory = _text
                connection.execute("PRAGMA query_only = ON")
                connection.execute("PRAGMA trusted_schema = OFF")
                yield connection
        except sqlite3.Error as error:
            raise InputError(f"is not a database that can be read ({error})", source=database) from None
        except UnicodeDecodeError:  # of SQLite's own message, which quotes the file
            raise InputError("is not a database that can be read", source=database) from None


def _text(data: bytes) -> str:
    """Text as SQLite keeps it; what is not UTF-8 becomes a sign for it."""
    return data.decode(errors="replace")


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    """Whether the database has a table of this name."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (name,))
    return found.fetchone() is not None
