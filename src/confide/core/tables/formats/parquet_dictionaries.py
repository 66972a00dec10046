"""Whether the dictionaries of a Parquet file list only what rows hold: an entry that no row names could be anything.

    dictionary page   n values                      data page   levels (which rows are null) | width | codes 0 .. n - 1

The values are not looked at, only the codes: so this is the same for numbers, texts and lists. A dictionary page must
end with its last value, and a page of codes with its last code.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.core.tables.formats.parquet_pages import (
    CODECS,
    DICTIONARY_HEADER,
    PACKED_SIZE,
    UNPACKED_SIZE,
    Compact,
    Damaged,
    field_of,
    number_of,
)

__all__ = ["check_dictionaries"]

U8 = NDArray[np.uint8]
_VERSION_1, _VERSION_2 = 5, 8  # fields of a page's header, by the version of data pages
_BY_CODES = (2, 8)  # encodings: PLAIN_DICTIONARY, RLE_DICTIONARY
_IN_RUNS = 3  # the encoding RLE
_BYTES = {"INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8}


def check_dictionaries(data: bytes, metadata: Any, source: Path) -> None:
    """Raise InputError, naming the column, where a dictionary of this file lists a value that no row holds.

    `metadata` is Arrow's, of the same bytes, whose columns were seen to lie within the file.
    """
    for group in range(metadata.num_row_groups):
        for number in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(number)
            if not chunk.has_dictionary_page or chunk.num_values == 0:
                continue
            try:
                fault = _Chunk(data, chunk, metadata.schema.column(number)).fault()
            except Damaged as error:
                fault = f"not a sound Parquet file ({error})"
            if fault:
                raise InputError(fault, source=source, column=metadata.schema.column(number).path.partition(".")[0])


class _Chunk:
    """One column in one row group: its pages, unpacked one after the other."""

    def __init__(self, data: bytes, chunk: Any, column: Any):
        self.data, self.chunk, self.column = data, chunk, column
        self.codec = {"UNCOMPRESSED": None, "LZ4": "lz4_raw"}.get(chunk.compression, chunk.compression.lower())

    def fault(self) -> str | None:
        """What is wrong with its dictionary, or None."""
        reader = Compact(self.data)
        at = self.chunk.dictionary_page_offset
        end = at + self.chunk.total_compressed_size
        named: NDArray[np.int64] | None = None
        while at < end:
            header, begin = reader.structure(at)
            at = begin + number_of(header, PACKED_SIZE)
            packed = self.data[begin:at]
            if DICTIONARY_HEADER in header:
                entries = number_of(header[DICTIONARY_HEADER], 1)
                if named is not None or not self._ends_with(self._unpack(packed, header), entries):
                    return "lists more in its dictionary than the values there"
                named = np.zeros(entries, dtype=np.int64)
            elif named is None:
                return "has a page before its dictionary"
            elif not self._tally(packed, header, named):
                return "has a page whose codes do not fit its dictionary"
        if named is not None and not named.all():
            return "lists a value in its dictionary that no row holds"
        return None

    def _unpack(self, packed: bytes, header: dict[int, Any]) -> U8:
        import pyarrow as pa

        size = number_of(header, UNPACKED_SIZE)
        if self.codec is None:
            return np.frombuffer(packed, dtype=np.uint8)
        if not size:
            return np.empty(0, dtype=np.uint8)
        if self.codec not in CODECS.values():
            raise Damaged("a page is packed in an unknown way")
        try:
            plain = pa.Codec(self.codec).decompress(packed, size)
        except (pa.ArrowException, OSError, ValueError):
            raise Damaged("a page cannot be unpacked") from None
        return np.frombuffer(plain, dtype=np.uint8)

    def _ends_with(self, page: U8, entries: int) -> bool:
        """Whether a dictionary page holds so many values and nothing else."""
        from confide.core.tables.formats._page_kernels import end_of_texts

        kind = self.column.physical_type
        if entries > page.size:  # each takes a byte at least
            return False
        if kind == "BYTE_ARRAY":
            return bool(end_of_texts(page, entries) == page.size)
        return entries * int(_BYTES.get(kind, self.column.length)) == page.size

    def _tally(self, packed: bytes, header: dict[int, Any], named: NDArray[np.int64]) -> bool:
        """Count which entries the codes of a data page name; whether it could be read, and ends with them."""
        from confide.core.tables.formats._page_kernels import tally_codes

        if _VERSION_1 in header:
            kind = header[_VERSION_1]
            by_codes, count = field_of(kind, 2) in _BY_CODES, number_of(kind, 1)
            if not by_codes:
                return True
            page = self._unpack(packed, header)
            sizes: tuple[int | None, int | None] = (None, None)
            if field_of(kind, 3) != _IN_RUNS or field_of(kind, 4) != _IN_RUNS:
                return False
        elif _VERSION_2 in header:
            kind = header[_VERSION_2]
            by_codes, count = field_of(kind, 4) in _BY_CODES, number_of(kind, 1)
            if not by_codes:
                return True
            sizes = number_of(kind, 6), number_of(kind, 5)
            levels = sum(sizes)
            rest = {UNPACKED_SIZE: max(0, number_of(header, UNPACKED_SIZE) - levels)}
            values = packed[levels:] if field_of(kind, 7) is False else self._unpack(packed[levels:], rest).tobytes()
            page = np.frombuffer(packed[:levels] + bytes(values), dtype=np.uint8)
        else:
            return False
        at = self._skip_levels(page, 0, self.column.max_repetition_level, sizes[0])
        tally = np.zeros(self.column.max_definition_level + 1, dtype=np.int64)
        if self.column.max_definition_level:
            begin, stop = self._levels(page, at, sizes[1])
            if tally_codes(page[:stop], begin, self.column.max_definition_level.bit_length(), count, tally) != stop:
                return False
            at, count = stop, int(tally[-1])
        if not count:
            return page.size - at <= 1  # the width of no codes
        if at >= page.size or not 0 <= page[at] <= 32:
            return False
        return bool(tally_codes(page, at + 1, int(page[at]), count, named) == page.size)

    def _skip_levels(self, page: U8, at: int, highest: int, size: int | None) -> int:
        return self._levels(page, at, size)[1] if highest else at

    def _levels(self, page: U8, at: int, size: int | None) -> tuple[int, int]:
        """Where levels begin and end: in version 1 their size stands before them, in version 2 in the header."""
        if size is None:
            size, at = int.from_bytes(page[at : at + 4].tobytes(), "little"), at + 4
        if size > page.size - at:
            raise Damaged("levels end beyond their page")
        return at, at + size
