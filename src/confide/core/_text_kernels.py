"""Kernels that take text apart: bytes in, counts and codes out.

A token is a run of bytes that are not separators. Lines end in a newline (or the end of the text); a carriage return
counts as a blank. The caller cuts the text at line ends and gives each piece to a thread; a piece is [start, stop).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.jit import kernel

NEWLINE = np.uint8(10)
CARRIAGE_RETURN = np.uint8(13)
TAB = np.uint8(9)
BLANK = np.uint8(32)
LARGEST = (1 << 31) - 1


@kernel
def _is_blank(byte: np.uint8) -> Any:
    return (byte == BLANK) | (byte == NEWLINE) | (byte == CARRIAGE_RETURN) | (byte == TAB)


@kernel
def count_tokens(text: NDArray[np.uint8], start: int, stop: int) -> tuple[int, int]:
    """Number of (tokens, newlines) in a piece, where blanks part tokens.

    Compared with its left neighbour, no byte needs any state, so the compiler looks at many at once: eight times
    as fast as the obvious loop.
    """
    if stop <= start:
        return 0, 0
    tokens = int(not _is_blank(text[start]))
    lines = int(text[start] == NEWLINE)
    for position in range(start + 1, stop):
        byte = text[position]
        tokens += int(_is_blank(text[position - 1]) & (_is_blank(byte) ^ True))
        lines += int(byte == NEWLINE)
    return tokens, lines


@kernel
def count_byte(text: NDArray[np.uint8], byte: np.uint8) -> int:
    """How often a byte occurs."""
    found = 0
    for position in range(len(text)):
        found += int(text[position] == byte)
    return found


@kernel
def parse_integers(
    text: NDArray[np.uint8],
    start: int,
    stop: int,
    values: NDArray[np.int32],
    indptr: NDArray[np.int64],
    first_value: int,
    first_line: int,
) -> tuple[int, int]:
    """Read whole numbers 0..2^31-1, parted by blanks, into `values`; close each line in `indptr`.

    Returns (position of the first byte that does not fit, largest value), or (-1, largest value) when all is well.
    "007" does not fit: as a label it is not 7.
    """
    at = first_value
    line = first_line
    largest = -1
    position = start
    while position < stop:
        byte = text[position]
        if byte == NEWLINE:
            line += 1
            indptr[line] = at
            position += 1
        elif _is_blank(byte):
            position += 1
        else:
            token = position
            value = 0
            while position < stop:
                digit = int(text[position]) - 48
                if digit < 0 or digit > 9:
                    break
                value = value * 10 + digit
                if value > LARGEST:
                    return token, largest
                position += 1
            if position == token or (text[token] == 48 and position - token > 1):
                return token, largest
            if position < stop and not _is_blank(text[position]):
                return token, largest
            values[at] = value
            at += 1
            if value > largest:
                largest = value
    return -1, largest


@kernel
def find_tokens(
    text: NDArray[np.uint8],
    start: int,
    stop: int,
    separator: np.uint8,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    indptr: NDArray[np.int64],
) -> tuple[int, int]:
    """Where each token begins and ends (blanks around it trimmed) and which line holds it.

    `separator` is a byte such as the comma, or the blank (32) when any run of blanks parts tokens. Empty tokens are
    passed over; a tab parts tokens too when the blank does. Returns (tokens, lines) found.
    """
    at = 0
    line = 0
    position = start
    while position < stop:
        first = -1
        last = -1
        while position < stop:
            byte = text[position]
            if byte == NEWLINE or byte == separator:
                break
            if not _is_blank(byte):
                if first < 0:
                    first = position
                last = position
            elif separator == BLANK and first >= 0:
                break
            position += 1
        if first >= 0:
            starts[at] = first
            ends[at] = last + 1
            at += 1
        if position < stop:
            if text[position] == NEWLINE:
                line += 1
                indptr[line] = at
            position += 1
    return at, line


@kernel
def copy_tokens(
    text: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    out: NDArray[np.uint8],
    offsets: NDArray[np.int64],
) -> None:
    """Lay the tokens end to end in `out`; token i is out[offsets[i]:offsets[i + 1]]."""
    at = 0
    for i in range(len(starts)):
        offsets[i] = at
        for position in range(starts[i], ends[i]):
            out[at] = text[position]
            at += 1
    offsets[len(starts)] = at


@kernel
def mark_present(values: NDArray[np.int32], present: NDArray[np.bool_]) -> None:
    """present[v] = True for every value v."""
    for i in range(len(values)):
        present[values[i]] = True


@kernel
def recode(values: NDArray[np.int32], rank: NDArray[np.int32]) -> None:
    """values[i] = rank[values[i]], in place."""
    for i in range(len(values)):
        values[i] = rank[values[i]]


@kernel
def sort_rows(indptr: NDArray[np.int64], indices: NDArray[np.int32], first: int, last: int) -> int:
    """Sort rows first..last-1 in place; returns the number of repeated entries seen.

    Insertion sort: rows are short and mostly sorted; a row past 64 entries goes to numpy's sort.
    """
    repeats = 0
    for row in range(first, last):
        start = indptr[row]
        stop = indptr[row + 1]
        if stop - start > 64:
            indices[start:stop] = np.sort(indices[start:stop])
        else:
            for i in range(start + 1, stop):
                value = indices[i]
                j = i - 1
                while j >= start and indices[j] > value:
                    indices[j + 1] = indices[j]
                    j -= 1
                indices[j + 1] = value
        for i in range(start + 1, stop):
            repeats += int(indices[i] == indices[i - 1])
    return repeats


@kernel
def drop_repeats(indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> int:
    """Keep each item of a sorted row once, closing the gaps in place; returns the number of entries that remain."""
    write = 0
    start = indptr[0]
    for row in range(len(indptr) - 1):
        stop = indptr[row + 1]
        row_start = write
        for i in range(start, stop):
            if write == row_start or indices[write - 1] != indices[i]:
                indices[write] = indices[i]
                write += 1
        start = stop
        indptr[row + 1] = write
    return write
