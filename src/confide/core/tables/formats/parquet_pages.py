"""How many values a Parquet file holds, by the headers of its pages: known before anything is decoded.

    PAR1 | page header, page | page header, page | ... | footer | its length | PAR1

A page of a few bytes may stand for a billion values, and the number of rows says nothing of it: one row may be a list
of all of them. So the footer is read, and every page is visited, by a few lines of our own. Arrow has the same numbers,
but asking it for those of a damaged file takes the program down. With pyarrow in a child process under limits instead,
a file of 48 kB takes 640 MB and one of 4 MB 1.4 GB until it is refused; here 124 MB and 72 MB (`house.untrusted_files`
in the benchmarks). What no row holds (see `parquet_dictionaries`) no library says.

Both are structures of Thrift's compact protocol: fields by number, whole numbers as varints.
"""

from dataclasses import dataclass
from typing import Any

__all__ = [
    "CODECS",
    "DICTIONARY_HEADER",
    "PACKED_SIZE",
    "UNPACKED_SIZE",
    "Compact",
    "Damaged",
    "Pages",
    "field_of",
    "number_of",
    "walked",
]

_DEEPEST = 16
_ENTRIES = 1 << 20  # that any file may have: each takes some hundred bytes here
_DELTA_BYTE_ARRAY = 7
_PADDING = 100  # bytes by which old writers understate a column, and which readers allow them
# Numbers of fields in parquet.thrift.
_SCHEMA, _GROUPS = 2, 4
_COLUMNS, _META = 1, 3
_TYPE, _PATH, _CODEC, _VALUES, _COMPRESSED, _DATA_PAGE, _DICTIONARY_PAGE = 1, 3, 4, 5, 7, 9, 11
_BYTE_ARRAY = 6
CODECS = {0: None, 1: "snappy", 2: "gzip", 4: "brotli", 6: "zstd", 7: "lz4_raw"}
_LAST_CODEC = 7  # 3 and 5, which are not among these, Arrow refuses or reads
_LARGEST_DICTIONARY = 64 << 20
UNPACKED_SIZE, PACKED_SIZE = 2, 3
_PAGE_KINDS = {5: 2, 8: 4}  # data pages of version 1 and 2: where their header names the encoding
DICTIONARY_HEADER = 7


class Damaged(ValueError):
    """The file does not hold together; says where."""


@dataclass(frozen=True, kw_only=True)
class Pages:
    """Of the whole file: values in all pages, bytes its pages unpack to, bytes of the widest fixed value, and whether a
    page is coded so that a value costs nothing where it begins like the one before. `in_lists` bounds the text that the
    lists of one row group hold: as many values as it has, each as long as the longest in its dictionary.

    Of the row group where it is most: `held` are the bytes of the largest pages of its columns, which a reader keeps
    unpacked side by side, and `nested` those that its lists and records take when they are read at once."""

    values: int
    unpacked: int
    widest: int
    prefixed: bool
    in_lists: int
    held: int
    nested: int
    columns: int


def walked(data: bytes | bytearray) -> Pages:
    """Visit every page of the file in these bytes; raises Damaged where it is not one."""
    if len(data) < 12 or data[:4] != b"PAR1" or data[-4:] != b"PAR1":
        raise Damaged("no Parquet file")
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    if footer < 4:
        raise Damaged("its footer is longer than the file")
    file, _ = Compact(data).structure(footer)
    values = unpacked = in_lists = held = nested = columns = 0
    prefixed = False
    for group in _list(file.get(_GROUPS)):
        text = pages = within = 0
        columns = max(columns, len(_list(field_of(group, _COLUMNS))))
        for column in _list(field_of(group, _COLUMNS)):
            found = _column(data, field_of(column, _META), footer)
            values, unpacked, prefixed = values + found[0], unpacked + found[1], prefixed or found[2]
            text, pages, within = text + found[3], pages + found[4], within + found[5]
        in_lists, held, nested = max(in_lists, text), max(held, pages), max(nested, within)
    widths = [field_of(element, 2) for element in _list(file.get(_SCHEMA)) if isinstance(element, dict)]
    widest = max((width for width in widths if isinstance(width, int)), default=0)
    return Pages(
        values=values,
        unpacked=unpacked,
        widest=widest,
        prefixed=prefixed,
        in_lists=in_lists,
        held=held,
        nested=nested,
        columns=columns,
    )


def _column(data: bytes | bytearray, meta: Any, footer: int) -> tuple[int, int, bool, int, int, int]:
    """(values, unpacked bytes, prefixed, bytes of text in lists, held, nested) of one column in one row group."""
    first, claimed = number_of(meta, _DATA_PAGE), number_of(meta, _VALUES)
    if number_of(meta, _CODEC) > _LAST_CODEC:  # Arrow, asked for its name, ends the program
        raise Damaged("a column is packed in an unknown way")
    if claimed == 0:  # of a table without rows: readers look at no page
        return 0, 0, False, 0, 0, 0
    dictionary = field_of(meta, _DICTIONARY_PAGE)
    at = dictionary if isinstance(dictionary, int) and 0 < dictionary < first else first
    end = at + number_of(meta, _COMPRESSED)
    if not 4 <= at <= end <= footer:
        raise Damaged("a column lies outside the file")
    values = unpacked = longest = largest = dictionary_size = 0
    prefixed = False
    inside = len(_list(field_of(meta, _PATH))) > 1
    of_lists = number_of(meta, _TYPE) == _BYTE_ARRAY and inside
    while values < claimed and at < min(end + _PADDING, footer):  # readers stop there, too
        header, begin = Compact(data).structure(at)
        at = begin + number_of(header, PACKED_SIZE)
        size = number_of(header, UNPACKED_SIZE)
        unpacked += size
        largest = max(largest, size)
        for kind, encoding in _PAGE_KINDS.items():
            if kind in header:
                values += number_of(header[kind], 1)
                prefixed = prefixed or field_of(header[kind], encoding) == _DELTA_BYTE_ARRAY
        if DICTIONARY_HEADER in header:
            unpacked += 16 * number_of(header[DICTIONARY_HEADER], 1)
            dictionary_size = max(dictionary_size, size + 16 * number_of(header[DICTIONARY_HEADER], 1))
            if of_lists:
                longest = max(longest, _longest(data[begin:at], size, number_of(meta, _CODEC)))
    values = max(values, claimed)
    nested = values * (16 + longest) + unpacked if inside else 0
    return values, unpacked, prefixed, values * longest, largest + 2 * dictionary_size, nested


def _longest(packed: bytes | bytearray, size: int, codec: int) -> int:
    """Bytes of the longest text in a dictionary page; all of the page where it cannot be unpacked here."""
    import pyarrow as pa

    if size > _LARGEST_DICTIONARY:
        return size
    try:
        name = CODECS[codec]
        plain = bytes(packed) if name is None else pa.Codec(name).decompress(bytes(packed), size, asbytes=True)
    except (KeyError, pa.ArrowException, OSError, ValueError):
        return size
    at = longest = 0
    while at + 4 <= len(plain):
        length = int.from_bytes(plain[at : at + 4], "little")
        longest = max(longest, min(length, size))
        at += 4 + length
    return longest


def field_of(holder: Any, number: int) -> Any:
    """The value of a field by its number, None where it is missing; Damaged where `holder` is not a structure."""
    if not isinstance(holder, dict):
        raise Damaged("a part of its footer is missing")
    return holder.get(number)


def number_of(holder: Any, number: int) -> int:
    """The whole number of at least 0 that a field holds; Damaged where it is anything else."""
    found = field_of(holder, number)
    if not isinstance(found, int) or found < 0:
        raise Damaged("a number of its footer or of a page is missing or negative")
    return found


def _list(found: Any) -> list[Any]:
    if not isinstance(found, list):
        raise Damaged("a list of its footer is missing")
    return found


class Compact:
    """A reader of Thrift's compact protocol; structures become {number of the field: value}."""

    def __init__(self, data: bytes | bytearray):
        self.data, self.at, self.entries = data, 0, 0
        self.most = max(_ENTRIES, len(data) // 16)

    def structure(self, at: int) -> tuple[dict[int, Any], int]:
        """The structure that begins here, and where it ends."""
        self.at = at
        try:
            return self._structure(0), self.at
        except IndexError:
            raise Damaged("a structure ends beyond the file") from None

    def _structure(self, depth: int) -> dict[int, Any]:
        found: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._whole()
            kind = head & 15
            found[number] = kind == 1 if kind in (1, 2) else self._value(kind, depth)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        self.entries += 1
        if self.entries > self.most or depth > _DEEPEST:
            raise Damaged("too many entries, or nested too deeply")
        match kind:
            case 1 | 2 | 3:  # in a list a truth value is a byte
                return self._byte()
            case 4 | 5 | 6:
                return self._whole()
            case 7:
                return self._skip(8)
            case 8:
                return self._skip(self._varint())
            case 9 | 10:
                head = self._byte()
                size = self._varint() if head >> 4 == 15 else head >> 4
                return [self._value(head & 15, depth + 1) for _ in range(self._possible(size))]
            case 11:
                size = self._varint()
                kinds = self._byte() if size else 0
                for _ in range(self._possible(size)):
                    self._value(kinds >> 4, depth + 1)
                    self._value(kinds & 15, depth + 1)
                return None
            case 12:
                return self._structure(depth + 1)
        raise Damaged("a field of no known type")

    def _possible(self, size: int) -> int:
        if size > len(self.data) - self.at:  # an entry takes a byte at least
            raise Damaged("a list ends beyond the file")
        return size

    def _skip(self, size: int) -> None:
        if size > len(self.data) - self.at:
            raise Damaged("a value ends beyond the file")
        self.at += size

    def _byte(self) -> int:
        found = self.data[self.at]
        self.at += 1
        return found

    def _varint(self) -> int:
        found = shift = 0
        while True:
            byte = self._byte()
            found |= (byte & 127) << shift
            if byte < 128:
                return found
            shift += 7
            if shift > 63:
                raise Damaged("a number of more than 64 bits")

    def _whole(self) -> int:
        found = self._varint()
        return (found >> 1) ^ -(found & 1)
