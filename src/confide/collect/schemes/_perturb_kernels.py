"""Kernels that turn random words into perturbed records. `sampling` explains why what they draw is exact.

A kernel never decides what the words it holds do not decide: it says where it stopped, or lists the records it left
open, and `sampling` finishes those in exact arithmetic.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

__all__ = ["DONE", "FULL", "SHORT", "TIE", "Rates", "cut", "flip", "uniform_by_field", "uniform_by_table"]

DONE, SHORT, FULL, TIE = 0, 1, 2, 3
"""Why `flip` stopped: no rows left; too few words for the next row; too little room for it; a word that ties in it."""

_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


@kernel
def uniform_by_table(codes, words, threshold, table, out, open_records):  # type: ignore[no-untyped-def]
    """For each record: its high half-word below `threshold` keeps it, else the low half picks a row of `table`.

    Records and table have columns of 64 bits, whatever these hold: one code each, or two packed together. Returns how
    many records were left open: their indices are in `open_records`, a high half equal to the threshold as it is, a low
    half that must be refused with its bits inverted (so it is negative).
    """
    n = np.uint64(table.shape[0])
    refuse = np.uint64(4294967296) % n
    columns = codes.shape[1]
    count = 0
    for i in range(codes.shape[0]):
        high = words[i] >> _HALF
        product = (words[i] & _LOW) * n
        cell = np.int64(product >> _HALF)
        if (product & _LOW) < refuse or high == threshold:
            open_records[count] = ~i if (product & _LOW) < refuse else i
            count += 1
        if high < threshold:
            for j in range(columns):
                out[i, j] = codes[i, j]
        else:
            for j in range(columns):
                out[i, j] = table[cell, j]
    return count


@kernel
def uniform_by_field(codes, words, threshold, sizes, out, open_records):  # type: ignore[no-untyped-def]
    """As `uniform_by_table`, with a word of its own for each field: words has one column more than codes."""
    columns = codes.shape[1]
    count = 0
    for i in range(codes.shape[0]):
        high = np.uint64(words[i, 0])
        refused = False
        for j in range(columns):
            size = np.uint64(sizes[j])
            product = np.uint64(words[i, j + 1]) * size
            if (product & _LOW) < np.uint64(4294967296) % size:
                refused = True
            out[i, j] = codes[i, j] if high < threshold else np.int32(product >> _HALF)
        if refused:
            open_records[count] = ~i
            count += 1
        elif high == threshold:
            open_records[count] = i
            count += 1
    return count


@kernel
def cut(indptr, indices, out_indptr, words, out, open_rows):  # type: ignore[no-untyped-def]
    """From each row choose as many entries as `out_indptr` has room for, every choice equally likely.

    Entry by entry: it is chosen with probability (still wanted)/(still to come), by a uniform whole number below the
    latter. Returns the number of rows left open, for a word that must be refused; they are listed in `open_rows`.
    Words are looked at even when nothing more is wanted: a row must not be likelier to be refused for what it chose.
    """
    count = 0
    for i in range(len(indptr) - 1):
        wanted = out_indptr[i + 1] - out_indptr[i]
        at = out_indptr[i]
        for k in range(indptr[i], indptr[i + 1]):
            left = np.uint64(indptr[i + 1] - k)
            product = np.uint64(words[k]) * left
            if (product & _LOW) < np.uint64(4294967296) % left:
                open_rows[count] = i
                count += 1
                break
            if wanted > 0 and (product >> _HALF) < np.uint64(wanted):
                out[at] = indices[k]
                at += 1
                wanted -= 1
    return count


class Rates(NamedTuple):
    """How items stay and enter. An item stays if its word is below `keep`; 0 stands for certainty, which takes no word.

    A word w stands for a skip of as many absent items as there are thresholds at or below w; as many as all
    thresholds means: skip them all and draw again. `guide[w >> 50]` is where to begin looking.
    """

    keep: np.uint64
    thresholds: NDArray[np.uint64]
    guide: NDArray[np.uint16]


@kernel
def flip(indptr, indices, n, rates, words, out_indptr, out, state):  # type: ignore[no-untyped-def]
    """Perturb rows from `state[0]` on: items of the row stay by a word each, others enter by skips.

    `state` holds the row, the next word and the next free place of `out`; it and
    `out_indptr` are left at the start of the row that could not be finished.
    """
    keep, thresholds, guide = rates
    row, at, end = state[0], state[1], state[2]
    block = len(thresholds)
    status = DONE
    while row < len(indptr) - 1:
        first, last = indptr[row], indptr[row + 1]
        absent = n - (last - first)
        if len(words) - at < n + (last - first) + 2:  # every absent item enters, one skip passes the end
            status = SHORT
            break
        if len(out) - end <= n:
            status = FULL
            break
        word, place = at, end
        i = first
        rank = np.int64(-1)
        tie = False
        while True:
            w = words[word]
            word += 1
            k = np.int64(guide[w >> np.uint64(50)])
            while k < block and thresholds[k] <= w:
                k += 1
            if k > 0 and thresholds[k - 1] == w:
                tie = True
            rank += k
            if k < block:
                rank += 1
            elif rank + 1 < absent:
                continue
            else:
                rank = absent
            # the absent item of this rank stands behind every held item that is not beyond rank + (those before it)
            while i < last and (rank >= absent or indices[i] <= rank + (i - first)):
                if keep == 0:
                    out[place] = indices[i]
                    place += 1
                else:
                    w = words[word]
                    word += 1
                    if w == keep:
                        tie = True
                    out[place] = indices[i]
                    place += np.int64(w < keep)  # half of them go: a branch would often be guessed wrongly
                i += 1
            if rank >= absent:
                break
            out[place] = rank + (i - first)
            place += 1
        if tie:
            status = TIE
            break
        row += 1
        at, end = word, place
        out_indptr[row] = end
    state[0], state[1], state[2] = row, at, end
    return status
