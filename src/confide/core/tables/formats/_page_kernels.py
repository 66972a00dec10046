"""Kernels on the bytes of a Parquet page: which codes stand in it, and where its texts end."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

U8 = NDArray[np.uint8]
I64 = NDArray[np.int64]


@kernel
def tally_codes(page: U8, at: Any, width: int, count: int, tally: I64) -> Any:
    """Add to `tally[code]` how often each of `count` codes of `width` bits stands in the runs that begin at `at`.

    Returns where the runs end; -1 where they end beyond the page, or a code has no place in `tally`. A run is a
    repeated code (an even head, then the code in whole bytes) or groups of eight codes, bit by bit (an odd head).
    """
    left = np.int64(count)
    while left > 0:
        head, shift = np.int64(0), 0
        while True:
            if at >= page.size or shift > 28:
                return -1
            byte = np.int64(page[at])
            at += 1
            head |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        entries = head >> 1
        size = entries * width if head & 1 else (width + 7) // 8
        if entries == 0 or size > page.size - at:
            return -1
        if head & 1:
            here = min(left, entries * 8)
            for entry in range(here):
                code = np.int64(0)
                for bit in range(entry * width, entry * width + width):
                    code |= ((np.int64(page[at + (bit >> 3)]) >> (bit & 7)) & 1) << (bit - entry * width)
                if code >= tally.size:
                    return -1
                tally[code] += 1
        else:
            here = min(left, entries)
            code = np.int64(0)
            for place in range(size):
                code |= np.int64(page[at + place]) << (8 * place)
            if code < 0 or code >= tally.size:
                return -1
            tally[code] += here
        at += size
        left -= here
    return at


@kernel
def end_of_texts(page: U8, count: int) -> Any:
    """Where `count` texts end, each behind its length in four bytes; -1 where they end beyond the page."""
    at = np.int64(0)
    for _ in range(count):
        if page.size - at < 4:
            return -1
        length = np.int64(0)
        for place in range(4):
            length |= np.int64(page[at + place]) << (8 * place)
        at += 4
        if length > page.size - at:
            return -1
        at += length
    return at
