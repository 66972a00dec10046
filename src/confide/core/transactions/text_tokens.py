"""Rows of labels out of plain text, at the speed of a scan.

Whole numbers, which is what most basket files hold, go straight into codes on all cores. Other labels are cut out,
distinguished by Arrow's hash table, and only the distinct ones become Python text.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.core.runtime.threads import cores, in_threads
from confide.core.tables.formats.csv_text import NOT_UTF8
from confide.core.transactions import _text_kernels as kernels
from confide.core.transactions.container import Transactions

__all__ = ["sorted_rows", "transactions_from_text"]

_DENSE = 1 << 24  # values below this are distinguished by a table of flags, above it by sorting


def transactions_from_text(text: NDArray[np.uint8], *, separator: str = " ", source: object = None) -> Transactions:
    """One record per line of UTF-8 bytes, items divided by `separator` (a blank: any run of blanks and tabs).

    Blanks around an item are dropped, an empty item is passed over, an empty line is an empty record.
    """
    if bytes(text[:3]) == b"\xef\xbb\xbf":  # the mark some editors put first
        text = text[3:]
    found = _integers(text) if separator == " " else None
    return found or Transactions.from_arrays(*_labels(text, separator, source))


def sorted_rows(indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Sort every row and drop repeats, in place, on all cores."""
    rows = len(indptr) - 1
    threads = _cores(len(indices))
    bounds = [rows * piece // threads for piece in range(threads + 1)]
    repeats = sum(in_threads(lambda ends: kernels.sort_rows(indptr, indices, *ends), pairwise(bounds)))
    if repeats:
        indices = indices[: kernels.drop_repeats(indptr, indices)].copy()
    return indptr, indices


def _cores(work: int) -> int:
    """How many threads are worth starting for this many entries or bytes."""
    return cores(most=min(8, max(1, work >> 19)))


def _pieces(text: NDArray[np.uint8]) -> list[tuple[int, int]]:
    """Cut the text at line ends into one piece per core, or one if it is small."""
    threads = _cores(len(text))
    cuts = [0]
    for piece in range(1, threads):
        nominal = len(text) * piece // threads
        window = text[nominal : nominal + (1 << 20)]
        newline = int(np.argmax(window == kernels.NEWLINE))
        if window[newline] == kernels.NEWLINE and nominal + newline + 1 > cuts[-1]:
            cuts.append(nominal + newline + 1)
    cuts.append(len(text))
    return list(pairwise(cuts))


def _integers(text: NDArray[np.uint8]) -> Transactions | None:
    """Transactions, when every item is a whole number below 2^31 written the usual way; else None."""
    pieces = _pieces(text)
    counts = in_threads(lambda piece: kernels.count_tokens(text, *piece), pieces)
    first = np.cumsum([(0, 0), *counts], axis=0)
    n_values, n_lines = (int(total) for total in first[-1])
    open_end = len(text) > 0 and text[-1] != kernels.NEWLINE
    values = np.empty(n_values, dtype=np.int32)
    indptr = np.zeros(n_lines + 1 + open_end, dtype=np.int64)

    def parse(number: int) -> Any:
        at, line = first[number]
        return kernels.parse_integers(text, *pieces[number], values, indptr, int(at), int(line))

    outcomes = in_threads(parse, range(len(pieces)))
    if any(misfit >= 0 for misfit, _, _ in outcomes):
        return None
    indptr[-1] = n_values
    largest = max(largest for _, largest, _ in outcomes)
    if largest < _DENSE:
        present = np.zeros(largest + 1, dtype=np.bool_)
        parts = [values[a:b] for a, b in pairwise(first[:, 0])]
        in_threads(lambda part: kernels.mark_present(part, present), parts)
        distinct = np.flatnonzero(present)
        rank = (np.cumsum(present) - 1).astype(np.int32)
        in_threads(lambda part: kernels.recode(part, rank), parts)
    else:
        distinct, inverse = np.unique(values, return_inverse=True)
        values = inverse.astype(np.int32)
    if not all(rising for _, _, rising in outcomes):
        indptr, values = sorted_rows(indptr, values)
    return Transactions(indptr, values, tuple(map(str, distinct.tolist())))


def _labels(
    text: NDArray[np.uint8], separator: str, source: object
) -> tuple[NDArray[np.int64], NDArray[np.int32], list[str]]:
    """Codes and labels of any tokens, in order of first appearance."""
    import pyarrow as pa

    if not np.all(text):
        raise InputError("holds zero bytes; it is not a text file", source=source)
    byte = np.uint8(ord(separator))
    most, lines = kernels.count_tokens(text, 0, len(text))
    if separator != " ":
        most = kernels.count_byte(text, byte) + lines + 1
    starts, ends = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    indptr = np.zeros(lines + 2, dtype=np.int64)
    found, lines = kernels.find_tokens(text, 0, len(text), byte, starts, ends, indptr)
    starts, ends = starts[:found], ends[:found]
    if len(text) and text[-1] != kernels.NEWLINE:
        lines += 1
        indptr[lines] = found
    indptr = indptr[: lines + 1]
    packed = np.empty(int((ends - starts).sum()), dtype=np.uint8)
    offsets = np.empty(found + 1, dtype=np.int64)
    kernels.copy_tokens(text, starts, ends, packed, offsets)
    tokens = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), found, [None, pa.py_buffer(offsets), pa.py_buffer(packed)]
    )
    encoded = tokens.dictionary_encode()
    codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int32)
    labels = []
    for code, raw in enumerate(encoded.dictionary.to_pylist()):
        try:
            labels.append(raw.decode())
        except UnicodeDecodeError:
            line = int(np.searchsorted(indptr, int(np.argmax(codes == code)), side="right"))
            raise InputError(NOT_UTF8, source=source, line=line) from None
    return indptr, codes, labels
