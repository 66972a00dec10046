"""Requests that read baskets: how a file is read is said once, here, for every job that reads one."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from confide.core.errors import RequestError, UsageError
from confide.core.jobs.fields import READING, setting, source
from confide.core.jobs.outcome import Say
from confide.core.jobs.request import Request

if TYPE_CHECKING:
    from confide.core.datasets.stored_transactions import StoredTransactions
    from confide.core.tables.reading import Reading
    from confide.core.transactions.container import Transactions

__all__ = ["BasketReading", "EngineReading", "FileReading", "TransactionsSource"]

_MARKS = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t"}


@dataclass(frozen=True, kw_only=True)
class FileReading(Request):
    """How the files of one job are read."""

    delimiter: str | None = setting(
        None, group=READING, metavar="MARK", help="What divides cells: comma, semicolon or tab."
    )
    encoding: str | None = setting(None, group=READING, metavar="NAME", help="Encoding of text files [utf-8].")
    sheet: str | None = setting(None, group=READING, metavar="NAME", help="Sheet of an .xlsx file [the first].")

    def check(self) -> None:
        super().check()
        mark = _MARKS.get(self.delimiter or "", self.delimiter)
        if mark is not None and mark not in _MARKS.values():
            raise RequestError("delimiter", self.delimiter, "is none of: comma, semicolon, tab")
        object.__setattr__(self, "delimiter", mark)

    def reading(self, say: Say | None = None) -> "Reading":
        """How files are read, for the readers; `say` hears which engine was chosen, and why."""
        from confide.core.tables.reading import PLAIN, Reading

        return Reading(delimiter=self.delimiter, encoding=self.encoding, sheet=self.sheet, say=say or PLAIN.say)


@dataclass(frozen=True, kw_only=True)
class EngineReading(FileReading):
    """The same, and who computes on Parquet."""

    engine: Literal["auto", "memory", "stream", "spark"] = setting(
        "auto", group=READING, help="Who computes on Parquet: in memory while it fits, else in passes over the files."
    )
    spark_master: str | None = setting(
        None, group=READING, metavar="URL", help="Compute on this Spark cluster.", when={"engine": "spark"}
    )

    def reading(self, say: Say | None = None) -> "Reading":
        return replace(super().reading(say), engine=self.engine, spark_master=self.spark_master)

    def refuse_engine(self) -> None:
        """Refuse an engine that could not be used, where the records are not in Parquet files."""
        if self.engine in ("stream", "spark") or self.spark_master is not None:
            raise RequestError(
                "engine", self.engine, "works on Parquet only; give a .parquet file, or a folder of them"
            )


@dataclass(frozen=True, kw_only=True)
class BasketReading(FileReading):
    """How a file of baskets is read: its format and, of a table, its columns."""

    format: Literal["dat", "basket", "long", "one-hot", "jsonl", "parquet"] | None = setting(
        None, group=READING, help="Format of IN, where its name does not say it."
    )
    id: str | None = setting(
        None, group=READING, metavar="NAME", help="Record column of long and one-hot files: one id, one record [id]."
    )
    item: str | None = setting(None, group=READING, metavar="NAME", help="Item column of long files [item].")

    def read_baskets(self, path: Path) -> "Transactions":
        """The records of a file, in memory."""
        from confide.core.transactions.container import Transactions

        return Transactions.read(path, format=self.format, id=self.id, item=self.item, **self.reading().options)


@dataclass(frozen=True, kw_only=True)
class TransactionsSource(BasketReading, EngineReading):
    """A job that reads baskets."""

    records: Any = source(help="Baskets: .dat, .csv, .jsonl, .parquet or .xlsx, also packed (.gz, .zst); - for stdin.")

    def read_records(self, say: Say) -> "Transactions | StoredTransactions":
        """The records: in memory, or in their files where they would not fit. `say` hears what was read."""
        from confide.core.datasets.intake import as_records, in_files
        from confide.core.transactions.container import Transactions
        from confide.core.transactions.guesses import reading_notes

        if not isinstance(self.records, Path):
            return as_records(self.records, id=self.id, item=self.item, reading=self.reading(say))
        if str(self.records) != "-" and self.format in (None, "parquet") and in_files(self.records):
            stored = as_records(self.records, id=self.id, item=self.item, reading=self.reading(say))
            if not isinstance(stored, Transactions) or self.records.is_dir():
                say(f"read {self.records}: {len(stored):,} records")
            return stored
        self.refuse_engine()
        with _as_file(self.records, self.format) as file:
            found = self.read_baskets(file)
        columns = bool(self.id or self.item)
        for text in reading_notes(found, self.records, format=self.format, columns=columns, sheet=self.sheet):
            say(text)
        return found


@contextmanager
def _as_file(path: Path, format: str | None) -> Iterator[Path]:
    """The file itself; what comes by standard input as a file that is gone afterwards, for its owner only."""
    if str(path) != "-":
        yield path
        return
    import tempfile

    from confide.core.files import MAX_BYTES

    if sys.stdin is None:
        raise UsageError("there is no standard input to read")
    suffix = {"dat": ".dat", "jsonl": ".jsonl", "parquet": ".parquet"}.get(format or "", ".csv")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"stdin{suffix}"
        file.write_bytes(sys.stdin.buffer.read(MAX_BYTES))
        yield file
