"""Transactions from and to files. The name says which format:

    .dat  .txt        FIMI: one record per line, blanks between items
    .csv  .tsv        baskets, one record per line, commas (or tabs) between items; or, when the first line names
                      the columns `id` and `item`, long: one row per item of a record, other columns left out; or, when
                      asked for, one-hot: a 0/1 column per item, a column `id` left out
    .jsonl .ndjson    one JSON list of items per line (or an object with the list under "items")
    .parquet          long (`id`, `item`), one list column `items`, or one-hot
    .xlsx             a sheet of a workbook, read as the .csv that saving it would give; only read

each optionally followed by `.gz` or `.zst`. One rule holds in all: an empty cell, line or list holds no item, so a
record may be empty, and it counts.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from confide.core.errors import InputError, UsageError
from confide.core.files import MAX_BYTES, atomic_write, compression_of, read_array, read_bytes
from confide.core.tables.formats.csv_text import (
    check_length,
    csv_rows,
    decoded,
    delimiter_of,
    quoted,
    ragged,
    recoded,
    without_mark,
)
from confide.core.tables.formats.workbook import sheet_asked_for
from confide.core.transactions.container import Transactions
from confide.core.transactions.guesses import check_baskets, looks_like_table
from confide.core.transactions.one_hot import read_one_hot_csv

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["FORMATS", "format_of", "read", "read_block", "text_blocks", "written_format", "write"]

FORMATS = ("dat", "basket", "long", "one-hot", "jsonl", "parquet")
_BY_SUFFIX = {
    ".dat": "dat",
    ".txt": "dat",
    ".csv": "basket",
    ".tsv": "basket",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".xlsx": "basket",
}


def format_of(path: Path, format: str | None) -> str:
    """The format asked for, or the one the name says."""
    plain = path.with_suffix("") if compression_of(path) else path
    if format is not None:
        if format not in FORMATS:
            raise UsageError(f"no format {format!r}; formats are: {', '.join(FORMATS)}")
        if plain.suffix.lower() == ".parquet" and format not in ("parquet", "one-hot"):
            raise UsageError(f"{path.name}: the name says Parquet; leave the format out, or name the file .csv")
        return format
    try:
        return _BY_SUFFIX[plain.suffix.lower()]
    except KeyError:
        raise UsageError(
            f"{path.name}: the name does not say the format; name it {', '.join(_BY_SUFFIX)}, or pass format=",
            parameter="format",
            value=format,
        ) from None


def read(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    id: str | None = None,
    item: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> Transactions:
    """Read transactions from a file.

    `format` overrides what the name says. `id` and `item` name the columns of long files (by default "id" and
    "item"); rows of one id make one record, wherever they stand, and records come in the order in which their ids
    first appear. Naming a column says that a .csv is long. `delimiter` says what divides cells of a .csv that leaves
    a choice; `sheet` which sheet of a workbook is read (the first).
    """
    source = Path(path)
    kind = format_of(source, format)
    if kind == "basket" and format is None and (id is not None or item is not None):
        kind = "long"
    workbook = ".xlsx" in (suffix.lower() for suffix in source.suffixes)
    if workbook and kind not in ("basket", "long", "one-hot"):
        raise UsageError(f"{source.name}: a workbook holds baskets, long or one-hot, not {kind}")
    said = delimiter
    if delimiter is None and ".tsv" in (suffix.lower() for suffix in source.suffixes):
        delimiter = "\t"
    named, id, item = id, id or "id", item or "item"
    if kind == "dat" and encoding is None:
        from confide.core.transactions.text_tokens import transactions_from_text

        return transactions_from_text(read_array(source, max_bytes=max_bytes), source=source)
    data = read_bytes(source, max_bytes=max_bytes)
    if workbook:
        asked = sheet_asked_for(data, source, sheet=sheet, delimiter=said, encoding=encoding)
        data, delimiter = asked.to_csv(), ","
        if kind != "basket" or (format is None and _is_long(data, delimiter, id=id, item=item)):
            data = asked.to_csv(padded=True)
    if encoding is not None:
        data = recoded(data, encoding, source)
    if kind == "dat":
        return read_block(bytes(data), Path("records.dat"), "dat")
    if kind == "parquet" or ".parquet" in (suffix.lower() for suffix in source.suffixes):
        return _from_parquet(data, source, id=id, item=item, one_hot=kind == "one-hot")
    plain = without_mark(data, source)
    if kind == "jsonl":
        return Transactions.from_lists(_json_rows(plain, source))
    mark = delimiter_of(plain, source, given=delimiter, named=kind in ("long", "one-hot"))
    if kind == "one-hot":
        return read_one_hot_csv(plain, source, mark, id=named)
    if kind == "long" or (format is None and _is_long(plain, mark, id=id, item=item)):
        return _from_long_csv(plain, source, mark, id=id, item=item)
    found = _from_basket_csv(plain, source, mark)
    if format is None:
        check_baskets(found, plain, source, mark)
    return found


def written_format(start: bytes, source: Path) -> str:
    """The format of a text file that we wrote, by its name and how it starts; a .csv has commas."""
    kind = format_of(source, None)
    return "long" if kind == "basket" and _is_long(start, ",", id="id", item="item") else kind


def read_block(block: bytes, source: Path, kind: str, *, delimiter: str = ",") -> Transactions:
    """Transactions in whole lines of such a file; those of a long one may lack its header.

    `delimiter` divides the items of baskets.
    """
    if kind == "dat":
        from confide.core.transactions.text_tokens import transactions_from_text

        return transactions_from_text(np.frombuffer(block, dtype=np.uint8), source=source)
    if kind == "jsonl":
        return Transactions.from_lists(_json_rows(block, source))
    if kind == "long":
        header = b"" if _is_long(block, ",", id="id", item="item") else b"id,item\n"
        return _from_long_csv(header + block, source, ",", id="id", item="item")
    return _from_basket_csv(block, source, delimiter)


def _from_basket_csv(plain: bytes, source: Path, delimiter: str) -> Transactions:
    if b'"' in plain:
        return Transactions.from_lists(_csv_rows(plain, source, delimiter))
    from confide.core.transactions.text_tokens import transactions_from_text

    return transactions_from_text(np.frombuffer(plain, dtype=np.uint8), separator=delimiter, source=source)


def write(
    transactions: Transactions,
    path: str | PathLike[str],
    *,
    format: str | None = None,
    id: str = "id",
    item: str = "item",
    delimiter: str = ",",
    replace: bool = False,
) -> None:
    """Write transactions to a file, atomically. Reading it back gives an equal database.

    `delimiter` divides the items of baskets in a .csv file; those in a .tsv file are always divided by tabs.
    """
    target = Path(path)
    kind = format_of(target, format)
    if ".xlsx" in (suffix.lower() for suffix in target.suffixes):
        raise UsageError(f"{target.name}: workbooks are only read; write .csv, .jsonl or .parquet")
    with atomic_write(target, replace=replace) as file:
        if kind == "parquet":
            _to_parquet(transactions, file)
            return
        tabs = ".tsv" in (suffix.lower() for suffix in target.suffixes)
        for block in text_blocks(transactions, kind, id=id, item=item, delimiter="\t" if tabs else delimiter):
            file.write(block)


def text_blocks(
    transactions: Transactions,
    kind: str,
    *,
    id: str = "id",
    item: str = "item",
    delimiter: str = ",",
    first: int = 1,
    marked: bool | None = None,
) -> Iterator[bytes]:
    """What `write` writes in a text format, in blocks: the same transactions give the same bytes.

    `first` is the number of the first record, where others stand before these. `marked` says whether the first line of
    baskets ends in an empty cell; by default that follows from them.
    """
    if kind == "one-hot":
        raise UsageError("transactions are not written one-hot; write .csv, .jsonl or .parquet")
    if kind == "dat":
        _check_dat_labels(transactions)
        lines = _dat_lines(transactions)
    elif kind == "basket":
        if first == 1 and len(transactions) and {"id", "item"} <= {label.lower() for label in transactions[0]}:
            raise UsageError("the first record would read as the header of a long file; write .jsonl instead")
        lines = _csv_lines(transactions, delimiter, looks_like_table(transactions) if marked is None else marked)
    elif kind == "jsonl":
        lines = _json_lines(transactions)
    else:
        lines = _long_lines(transactions, id, item, first)
    for block in _blocks(lines):
        yield block.encode()


# -- text -------------------------------------------------------------------------------------------------------------


def _is_long(data: bytes | bytearray, delimiter: str, *, id: str, item: str) -> bool:
    first = bytes(data[: data.find(b"\n") if b"\n" in data else len(data)]).decode(errors="replace")
    names = [name.strip().strip('"').lower() for name in first.split(delimiter)]
    return {id.lower(), item.lower()} <= set(names)


def _csv_rows(data: bytes | bytearray, source: Path, delimiter: str) -> Iterator[list[str]]:
    for _, row in csv_rows(decoded(data, source), source, delimiter):
        yield [cell for cell in row if cell.strip()]


def _from_long_csv(data: bytes | bytearray, source: Path, delimiter: str, *, id: str, item: str) -> Transactions:
    rows = csv_rows(decoded(data, source), source, delimiter)
    header = [name.strip() for name in next(rows, (1, []))[1]]
    lowered = [name.lower() for name in header]
    places = []
    for name in (id, item):
        if name.lower() not in lowered:
            raise InputError(f"no column {name!r}; columns are: {', '.join(header) or 'none'}", source=source, line=1)
        places.append(lowered.index(name.lower()))
    records: dict[str, list[str]] = {}
    for line, row in rows:
        if not row:
            continue
        if len(row) != len(header):
            raise InputError(ragged(len(row), len(header)), source=source, line=line)
        key, label = row[places[0]].strip(), row[places[1]]
        if not key:
            raise InputError("the id is empty", source=source, line=line, column=header[places[0]])
        record = records.setdefault(key, [])
        if label.strip():
            record.append(label)
    return Transactions.from_lists(records.values())


def _json_rows(data: bytes | bytearray, source: Path) -> Iterator[list[Any]]:
    for number, line in enumerate(decoded(data, source).split("\n"), start=1):
        if not line.strip():
            continue
        check_length(line, source, number)
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise InputError("not JSON; each line is a list of items", source=source, line=number) from None
        if isinstance(row, dict):
            row = row.get("items")
        if not isinstance(row, list):
            raise InputError('neither a list of items nor an object with "items"', source=source, line=number)
        for entry in row:
            if isinstance(entry, bool) or not isinstance(entry, str | int) or entry == "":
                raise InputError("an item is neither text nor a whole number", source=source, line=number)
        yield row


def _blocks(lines: Iterable[str]) -> Iterator[str]:
    """Lines in blocks of some size: writing them one by one costs more than making them."""
    block: list[str] = []
    for line in lines:
        block.append(line)
        if len(block) == 10_000:
            yield "".join(block)
            block.clear()
    yield "".join(block)


def _rows(transactions: Transactions, names: Sequence[str]) -> Iterator[list[str]]:
    """Records in the words of `names`, one for each code; many at a time, which takes a fraction of the time."""
    for start in range(0, len(transactions), 10_000):
        ends = transactions.indptr[start : start + 10_001]
        words = [names[code] for code in transactions.indices[ends[0] : ends[-1]].tolist()]
        for begin, end in pairwise((ends - ends[0]).tolist()):
            yield words[begin:end]


def _check_dat_labels(transactions: Transactions) -> None:
    for label in transactions.labels:
        if any(c in " \t\r\n" for c in label):
            raise UsageError("a .dat file has blanks between items, and a label holds one; write .csv or .jsonl")
        if label.startswith("\ufeff"):
            raise UsageError("a label begins with a byte-order mark, which .dat would lose; write .csv or .jsonl")


def _dat_lines(transactions: Transactions) -> Iterator[str]:
    for row in _rows(transactions, transactions.labels):
        yield " ".join(row) + "\n"


def _json_lines(transactions: Transactions) -> Iterator[str]:
    names = [json.dumps(label, ensure_ascii=False) for label in transactions.labels]
    for row in _rows(transactions, names):
        yield f"[{', '.join(row)}]\n"


def _csv_lines(transactions: Transactions, delimiter: str, is_marked: bool) -> Iterator[str]:
    cells = [quoted(label) for label in transactions.labels]
    # An empty cell, which holds no item, at the end of the first line that has any says that it is not a header.
    marked = int(np.argmax(transactions.lengths > 0)) if is_marked else -1
    for i, row in enumerate(_rows(transactions, cells)):
        yield delimiter.join(row) + (f"{delimiter}\n" if i == marked else "\n")


def _long_lines(transactions: Transactions, id: str, item: str, first: int) -> Iterator[str]:
    cells = [quoted(label) for label in transactions.labels]
    if first == 1:
        yield f"{quoted(id)},{quoted(item)}\n"
    for number, row in enumerate(_rows(transactions, cells), start=first):
        for cell in row or [""]:
            yield f"{number},{cell}\n"


# -- Parquet ----------------------------------------------------------------------------------------------------------


def _from_parquet(data: bytes | bytearray, source: Path, *, id: str, item: str, one_hot: bool) -> Transactions:
    from confide.core.tables.formats.parquet import read_parquet
    from confide.core.transactions.frames import from_frame
    from confide.core.transactions.one_hot import is_one_hot, transactions_from_one_hot

    table = read_parquet(data, source)
    long = {id, item} <= set(table.column_names) or "items" in table.column_names
    if one_hot or not long:
        if is_one_hot(table, id=id):
            return transactions_from_one_hot(table, id=id)
        if one_hot:
            raise InputError(f"a column other than {id!r} holds more than 0 and 1, or true and false", source=source)
    try:
        return from_frame(table, id=id, item=item)
    except InputError as error:
        raise InputError(error.what, source=source, column=error.column) from None


def _to_parquet(transactions: Transactions, file: Any) -> None:
    from confide.core.tables.formats.parquet import write_parquet
    from confide.core.transactions.frames import to_arrow

    table: pa.Table = to_arrow(transactions)
    write_parquet(table, file)
