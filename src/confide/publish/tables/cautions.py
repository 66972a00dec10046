"""What an owner should look at before the release goes out: faults of a schema or of the data that no promise covers.

- an identifier that repeats, where no column says whose rows belong together: one person's rows fill a group;
- columns called insensitive that single people out, alone, together, or with the quasi-identifiers as released;
- sensitive values that differ only in how they are written, and so count as different;
- numbers without a range, of which each value is kept or lost as a whole.

Each is measured, and told with counts and names of columns, never with values. It takes a pass over each such column.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.publish.tables.coding import CodedTable
from confide.publish.tables.recoding import Recoding, numbered
from confide.publish.tables.risk.groups import count_people
from confide.publish.tables.table_release import plain_column

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["NOTHING_FOUND", "NOT_LOOKED_AT", "count_look_alikes", "find_cautions", "look_alike_note", "repeated_note"]

NOTHING_FOUND = (
    "identifiers do not repeat, insensitive columns single hardly anybody out, sensitive values differ clearly"
)

NOT_LOOKED_AT = (
    "the rows are not in memory, so nobody looked whether identifiers repeat or insensitive columns single people out"
)

_MANY_NUMBERS = 8  # different numbers of which ranges could be made
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_MOST_NAMED = 3  # columns that a warning names
_MOST_OF = 0.9  # a warning names the first columns that single out this share of those whom all of them single out
_NOTABLE = 0.01  # share of people that insensitive columns must single out beside the quasi-identifiers


def find_cautions(recoding: Recoding) -> tuple[str, ...]:
    """Warnings about a table and what is released of it; one sentence each."""
    table = recoding.table
    if table.times is not None:  # distinct rows of files: identifiers and insensitive columns are not among them
        return (NOT_LOOKED_AT, *_of_look_alikes(table))
    found = (*_of_identifiers(table), *_of_insensitive(recoding), *_of_look_alikes(table))
    return (*found, *_of_numbers(table))


# -- numbers that no range is cut out of ----------------------------------------------------------------------------


def _of_numbers(table: CodedTable) -> Iterator[str]:
    """Quasi-identifiers that are numbers, and have neither a range nor a hierarchy."""
    for column in table.quasi:
        spec = table.schema.columns[column.name]
        if spec.hierarchy is None and spec.range is None and column.leaves >= _MANY_NUMBERS:
            labels = column.labels[0]
            if all(_NUMBER.fullmatch(label) for label in labels if label):
                yield (
                    f"note: {column.name!r} holds numbers, and the schema gives it no range: each is kept or lost "
                    'as a whole ("*"); say which there can be, as in range = [0, 119], and ranges are cut out of them'
                )


# -- identifiers that repeat ----------------------------------------------------------------------------------------


def _of_identifiers(table: CodedTable) -> Iterator[str]:
    if table.persons is not None:
        return
    for name in table.schema.named("identifier"):
        codes = _codes(table.table.column(name))
        if codes is None:
            continue
        rows, different = int((codes > 0).sum()), int(codes.max(initial=0))
        if different < rows:
            yield repeated_note(name, rows=rows, different=different)


def repeated_note(name: str, *, rows: int, different: int) -> str:
    """The warning about an identifier that has fewer values than rows."""
    return (
        f"warning: the identifier {name!r} repeats, {different:,} different values in {rows:,} rows; if it says whose "
        "row it is, give it the role person: until then one person's rows count as several people"
    )


# -- insensitive columns --------------------------------------------------------------------------------------------


def _of_insensitive(recoding: Recoding) -> Iterator[str]:
    """A warning if insensitive columns single people out by themselves, and one if they do with quasi-identifiers."""
    table, rows = recoding.table, recoding.rows
    original = table.rows[rows]
    columns: list[tuple[str, NDArray[np.int32], int]] = []
    for name in table.schema.named("insensitive"):
        codes = _codes(table.table.column(name))
        if codes is not None:
            columns.append((name, codes[original], int(codes.max(initial=0)) + 1))
    columns = sorted((column for column in columns if column[2] > 1), key=lambda column: -column[2])
    if not columns:
        return
    persons = None if table.persons is None else table.persons[rows]
    everybody = len(rows) if persons is None else len(np.unique(persons))
    who = "released rows" if persons is None else "people"
    alone, found = _fewest_columns([], columns, persons)
    if found:
        yield _singled_out(alone, f"{found:,} of {everybody:,} {who}", "")
    beside, more = _fewest_columns([recoding.groups], columns, persons)
    if more > max(2 * found, _NOTABLE * everybody):
        known = " once the quasi-identifiers as released are known"
        yield _singled_out(beside, f"{more:,} of {everybody:,} {who}", known)


def _fewest_columns(
    known: Sequence[tuple[NDArray[np.int32], int]],
    columns: Sequence[tuple[str, NDArray[np.int32], int]],
    persons: NDArray[np.int32] | None,
) -> tuple[list[str], int]:
    """The first columns that single out most of those whom all of them single out, and how many those are."""
    codes = [(codes, width) for _, codes, width in columns]
    whole = _count_alone([*known, *codes], persons)
    count = 0
    for last in range(1, min(len(columns), _MOST_NAMED) + 1):
        count = _count_alone([*known, *codes[:last]], persons)
        if count >= _MOST_OF * whole:
            return [name for name, _, _ in columns[:last]], count
    return [name for name, _, _ in columns], whole


def _count_alone(columns: Sequence[tuple[NDArray[np.int32], int]], persons: NDArray[np.int32] | None) -> int:
    """How many rows, or people, have a combination of values that nobody else has."""
    group, count = numbered(columns, len(columns[0][0]))
    if persons is None:
        return int((np.bincount(group, minlength=count) == 1).sum())
    alone = count_people(group, persons)[0][group] == 1
    return len(np.unique(persons[alone]))


def _singled_out(names: Sequence[str], how_many: str, known: str) -> str:
    quoted = [repr(name) for name in names[:_MOST_NAMED]]
    more = f" and {len(names) - _MOST_NAMED} more" * (len(names) > _MOST_NAMED)
    if len(names) == 1:
        what, verb = f"the insensitive column {quoted[0]}", "singles"
    else:
        listed = ", ".join(quoted) + more if more else " and ".join([", ".join(quoted[:-1]), quoted[-1]])
        what, verb = f"the insensitive columns {listed} together", "single"
    return (
        f"warning: {what} {verb} out {how_many}{known}; no promise covers whoever knows such a column: call it a "
        "quasi-identifier, make it coarser, or leave it out"
    )


# -- sensitive values that look alike -------------------------------------------------------------------------------


def _of_look_alikes(table: CodedTable) -> Iterator[str]:
    for column in table.sensitive:
        sets = _look_alikes(column.labels)
        if sets:
            rows = table.counted(np.isin(column.codes, np.concatenate(sets)))
            yield look_alike_note(column.name, values=sum(map(len, sets)), rows=rows)


def count_look_alikes(labels: Sequence[str]) -> int:
    """How many values differ from another one only in case, blanks, Unicode normal form or leading zeros.

    >>> count_look_alikes(["HIV", "hiv ", "1", "01", "10", "flu"])
    4
    """
    return sum(map(len, _look_alikes(labels)))


def look_alike_note(name: str, *, values: int, rows: int | None = None) -> str:
    """The warning about values of a sensitive column that look alike."""
    where = "" if rows is None else f" in {rows:,} rows"
    return (
        f"warning: {values:,} values of {name!r}{where} differ from another only in case, blanks, normal form or "
        "leading zeros, and count as different; if they mean the same, spell them in one way"
    )


def _look_alikes(labels: Sequence[str]) -> list[list[int]]:
    """The sets of values, by number, that are the same once they are written plainly."""
    sets: dict[str, list[int]] = defaultdict(list)
    for code, label in enumerate(labels):
        if label:
            sets[_plainly(label)].append(code)
    return [codes for codes in sets.values() if len(codes) > 1]


def _plainly(label: str) -> str:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", label).casefold())
    shown = "".join(letter for letter in folded if unicodedata.category(letter) != "Cf")
    words = " ".join(shown.split())
    return words.lstrip("0") or "0" if words.isdecimal() else words


def _codes(column: "pa.ChunkedArray") -> NDArray[np.int32] | None:
    """The values of a column as numbers from 1, 0 where one is missing; None if they cannot be compared (lists)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    plain = plain_column(column)
    if pa.types.is_string(plain.type) or pa.types.is_large_string(plain.type):
        plain = pc.if_else(pc.equal(plain, ""), pa.scalar(None, plain.type), plain)
    try:
        encoded = pc.dictionary_encode(plain).combine_chunks()
    except pa.ArrowNotImplementedError:
        return None
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0)
    return encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32) + 1
