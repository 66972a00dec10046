"""Kernels that take text apart: bytes in, counts and codes out.

A token is a run of bytes that are not separators. Lines end in a newline (or the end of the text); a carriage return
counts as a blank. The caller cuts the text at line ends and gives each piece to a thread; a piece is [start, stop).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.array_kernels import copy_into
from confide.core.runtime.jit import kernel, load_word, trailing_zeros

NEWLINE = np.uint8(10)
CARRIAGE_RETURN = np.uint8(13)
TAB = np.uint8(9)
BLANK = np.uint8(32)
ZERO = np.uint8(48)
LARGEST = (1 << 31) - 1


@kernel
def _is_blank(byte: np.uint8) -> Any:
    return (byte == BLANK) | (byte == NEWLINE) | (byte == CARRIAGE_RETURN) | (byte == TAB)


@kernel
def count_tokens(text: NDArray[np.uint8], start: int, stop: int) -> tuple[int, int]:
    """Number of (tokens, newlines) in a piece, where blanks part tokens.

    Compared with its left neighbour, no byte needs any state, so the compiler looks at many at once. It does so only
    for an index it knows to be positive, hence the slice.
    """
    piece = text[start:stop]
    if len(piece) == 0:
        return 0, 0
    tokens = 0 if _is_blank(piece[0]) else 1
    lines = 1 if piece[0] == NEWLINE else 0
    for position in range(1, len(piece)):
        byte = piece[position]
        tokens += 1 if _is_blank(piece[position - 1]) & (_is_blank(byte) ^ True) else 0
        lines += 1 if byte == NEWLINE else 0
    return tokens, lines


@kernel
def count_byte(text: NDArray[np.uint8], byte: np.uint8) -> int:
    """How often a byte occurs."""
    found = 0
    for position in range(len(text)):
        found += 1 if text[position] == byte else 0
    return found


@kernel
def _eight_digits(word: np.uint64) -> Any:
    """The number that eight bytes 0..9 stand for, the lowest byte being the leading digit."""
    word = word * np.uint64(10) + (word >> np.uint64(8))
    pairs = (word & np.uint64(0x000000FF000000FF)) * np.uint64(0x000F424000000064)
    fours = ((word >> np.uint64(16)) & np.uint64(0x000000FF000000FF)) * np.uint64(0x0000271000000001)
    return np.int64((pairs + fours) >> np.uint64(32))


@kernel
def parse_integers(
    text: NDArray[np.uint8],
    start: int,
    stop: int,
    values: NDArray[np.int32],
    indptr: NDArray[np.int64],
    first_value: int,
    first_line: int,
) -> tuple[int, int, bool]:
    """Read whole numbers 0..2^31-1, blanks between them, into `values`; close each line in `indptr`.

    Returns (position of the first byte that does not fit or -1, largest value, whether every line rises strictly).
    "007" does not fit: as a label it is not 7.

    Eight bytes are looked at together: the first non-digit ends the number, and the digits before it, moved to
    the top of the word, become a number in three multiplications.
    """
    at = first_value
    line = first_line
    largest = -1
    previous = -1
    rising = True
    position = start
    fast = len(text) - 8
    while position < stop:
        byte = text[position]
        if byte < ZERO:
            position += 1
            if byte == NEWLINE:
                line += 1
                indptr[line] = at
                previous = -1
            elif not _is_blank(byte):
                return position - 1, largest, rising
            continue
        token = position
        value: Any = 0
        length: Any = 8
        digits = np.uint64(0)
        if position <= fast:
            digits = load_word(text, position) ^ np.uint64(0x3030303030303030)
            others = (digits | (digits + np.uint64(0x7676767676767676))) & np.uint64(0x8080808080808080)
            length = np.int64(trailing_zeros(others) >> np.uint64(3))
        if length < 8:
            value = _eight_digits(digits << np.uint64((8 * (8 - length)) & 63))
            position += length
        else:
            while position < stop:
                digit = np.int64(text[position]) - 48
                if digit < 0 or digit > 9:
                    break
                value = value * 10 + digit
                if value > LARGEST:
                    return token, largest, rising
                position += 1
        if position == token or (byte == ZERO and position - token > 1):
            return token, largest, rising
        values[at] = value
        at += 1
        rising &= value > previous
        previous = value
        largest = max(largest, value)
        if position < stop:  # nearly always one blank follows
            byte = text[position]
            if byte == BLANK:
                position += 1
            elif not _is_blank(byte):
                return token, largest, rising
    return -1, largest, rising


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

    A short row is sorted by rank: an entry's place is the number of entries before it in order. That compares all with
    all, but without a branch to guess wrong and many at a time: twice as fast as insertion for ten entries.
    """
    repeats = 0
    row = np.empty(32, dtype=np.int64)
    for number in range(first, last):
        start = indptr[number]
        length = indptr[number + 1] - start
        rises = True
        for i in range(start + 1, start + length):
            rises &= indices[i] > indices[i - 1]
        if rises:
            continue
        if length > 32:
            copy_into(indices[start:], np.sort(indices[start : start + length]))
        else:
            for i in range(length):
                row[i] = np.int64(indices[start + i]) * 32 + i  # no two alike
            for i in range(length):
                place = start
                for j in range(length):
                    place += 1 if row[j] < row[i] else 0
                indices[place] = row[i] >> 5
        for i in range(start + 1, start + length):
            repeats += 1 if indices[i] == indices[i - 1] else 0
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
