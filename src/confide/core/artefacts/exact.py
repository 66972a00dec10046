"""A released file, read only if it is what our writer writes for the data in it.

    bytes --> unpacked --> read --> written again, in memory --> the same bytes?

Readers are generous: they pass over further keys, columns, ids and blanks. A release that was read so could carry,
beside the records that were verified, whatever somebody wanted to smuggle. So what is read is written again and
compared byte for byte. The bytes of Parquet depend on the version of Arrow; there the structure is compared: columns,
types, no metadata, no statistics, no gaps.

The format follows from the file's name and content; nothing a passport says decides how its file is read.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.errors import InputError
from confide.core.files import MAX_BYTES, compression_of

if TYPE_CHECKING:
    import pyarrow as pa

    from confide.core.tables.formats.new_workbook import NewWorkbook

__all__ = [
    "Released",
    "check_structure",
    "checked_parquet",
    "lines_alike",
    "open_workbook",
    "read_document",
    "read_itemsets",
    "read_rule_set",
    "read_stream",
    "read_table",
    "read_tree",
    "released_mark",
]


@dataclass(frozen=True, kw_only=True)
class Released:
    """What a file holds, and the format it is in (None where the kind has but one)."""

    data: Any
    format: str | None


def _compare(plain: bytes, blocks: Iterable[bytes], source: Path) -> None:
    place = 0
    for block in blocks:
        if plain[place : place + len(block)] != block:
            line = plain.count(b"\n", 0, place) + 1 + lines_alike(plain[place:], block)
            raise InputError("is not as Confide writes it: something else stands there", source=source, line=line)
        place += len(block)
    if place != len(plain):
        line = plain.count(b"\n", 0, place) + 1
        raise InputError("is not as Confide writes it: something stands after the end", source=source, line=line)


def lines_alike(found: bytes, wanted: bytes) -> int:
    """How many lines are the same before the first that is not."""
    pairs = zip(found.split(b"\n"), wanted.split(b"\n"), strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), 0)


def read_table(plain: bytes, source: Path) -> Released:
    """A released table: .csv, .tsv, .parquet or .xlsx."""
    from confide.core.tables.frames import csv_blocks, format_of, table_from_csv

    kind = format_of(source)
    if kind == "parquet":
        return Released(data=checked_parquet(plain, source), format=None)
    if kind == "xlsx":
        return Released(data=open_workbook(plain, source, most=MAX_BYTES).to_table(), format=None)
    mark = released_mark(plain, source)
    found = table_from_csv(plain, source, delimiter=mark)
    _compare(plain, csv_blocks(found, delimiter=mark), source)
    return Released(data=found, format=None)


def open_workbook(data: bytes, source: Path, *, most: int) -> "NewWorkbook":
    """A released workbook, whose parts may unpack to `most` bytes."""
    from confide.core.tables.formats.new_workbook import NewWorkbook

    if compression_of(source) is not None:
        raise InputError("a workbook is packed inside, and not released as .gz or .zst", source=source)
    return NewWorkbook.open(data, source, most=most)


def released_mark(start: bytes, source: Path) -> str:
    """What divides the cells of a released .csv or .tsv file: the one mark outside quotes in its first line, since we
    put every cell that holds a mark in quotes; a comma where there is only one column."""
    from confide.core.tables.formats.csv_text import MARKS
    from confide.core.tables.frames import format_of

    if format_of(source) == "tsv":
        return "\t"
    bare = re.sub(rb'"[^"]*"', b"", start.partition(b"\n")[0])
    found = [mark for mark in MARKS if mark.encode() in bare]
    if len(found) > 1:
        raise InputError("is not as Confide writes it: two marks divide its cells", source=source, line=1)
    return found[0] if found else ","


def read_itemsets(plain: bytes, source: Path) -> Released:
    """Released itemsets, .jsonl or .csv."""
    from confide.core.itemsets.itemset_files import format_of, itemset_lines, itemsets_from

    kind = format_of(source)
    if kind == "parquet":
        raise InputError("itemsets are released as .jsonl or .csv", source=source)
    found = itemsets_from(plain, source)
    _compare(plain, (line.encode() for line in itemset_lines(found, format=kind)), source)
    return Released(data=found, format=None)


def read_tree(plain: bytes, source: Path) -> Released:
    """A released tree."""
    from confide.core.json_text import read_json
    from confide.core.trees.published import PublishedTree

    found = PublishedTree.from_dict(read_json(plain, source=source))
    _compare(plain, [found.to_json().encode()], source)
    return Released(data=found, format=None)


def read_rule_set(plain: bytes, source: Path) -> Released:
    """Released rules."""
    from confide.core.json_text import read_json
    from confide.core.trees.rule_soundness import read_rules

    found = read_rules(read_json(plain, source=source))
    _compare(plain, [found.to_json().encode()], source)
    return Released(data=found, format=None)


def read_document(plain: bytes, source: Path) -> Released:
    """Any other released JSON."""
    from confide.core.json_text import read_json

    found = read_json(plain, source=source)
    again = json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    _compare(plain, [again.encode()], source)
    return Released(data=found, format=None)


def read_stream(plain: bytes, source: Path) -> Released:
    """The released run of a stream."""
    from confide.core.streams.run import StreamRun

    return Released(data=StreamRun.from_bytes(plain, source=source), format=None)  # it compares line by line


def checked_parquet(plain: bytes, source: Path) -> "pa.Table":
    """The table of a Parquet file that holds its columns and nothing else."""
    from confide.core.tables.formats.parquet import read_parquet

    table = read_parquet(plain, source)
    if table.schema.metadata:
        raise InputError("holds metadata beside its columns", source=source)
    check_structure(plain, source)
    return table


def check_structure(plain: bytes, source: Path) -> None:
    """See that every byte of a Parquet file belongs to a column or its footer, and no statistics are among them; and
    that its dictionaries list nothing that no row holds.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from confide.core.tables.formats.parquet import arrow_owned, refuse_unsound
    from confide.core.tables.formats.parquet_dictionaries import check_dictionaries

    with refuse_unsound(source):
        metadata = pq.read_metadata(pa.BufferReader(arrow_owned(plain)))
    if metadata.metadata:
        raise InputError("holds metadata beside its columns", source=source)
    place = 4
    for group in range(metadata.num_row_groups):
        for column in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(column)
            if chunk.is_stats_set or chunk.has_offset_index or chunk.has_column_index:
                raise InputError("holds statistics or an index beside its values", source=source)
            begin = chunk.dictionary_page_offset if chunk.has_dictionary_page else chunk.data_page_offset
            if begin != place:
                raise InputError("holds bytes that belong to no column", source=source)
            place += chunk.total_compressed_size
    footer = int.from_bytes(plain[-8:-4], "little")
    if place + footer + 8 != len(plain) or footer != metadata.serialized_size:
        raise InputError("holds bytes that belong to no column", source=source)
    check_dictionaries(plain, metadata, source)
