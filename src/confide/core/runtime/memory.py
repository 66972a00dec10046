"""How much memory is free, and how far a packed file (.gz, .zst) may unpack.

A few kilobytes can unpack to any size, and reading takes a multiple of that. Real files of records shrink to a third
or a tenth, repetitive ones to a thirtieth; so one that unpacks to more than a hundred times its size is refused, unless
it is small even then, and nothing may fill more than half of the memory that is free. Whoever trusts a file raises the
bound, or unpacks it first.
"""

import os
import re

from confide.core.errors import UsageError

__all__ = ["VARIABLE", "free_memory", "most_unpacked"]

VARIABLE = "CONFIDE_MAX_UNPACKED"
"""Environment variable: what a packed file may unpack to, in place of our bound, such as 8G or 500M."""

_TIMES = 100
_ALWAYS = 64 << 20
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def most_unpacked(packed: int) -> int:
    """To how many bytes a file of `packed` bytes may unpack.

    >>> most_unpacked(1000), most_unpacked(2_000_000)
    (67108864, 200000000)
    """
    told = os.environ.get(VARIABLE, "").strip().upper()
    if told:
        found = re.fullmatch(r"([0-9]{1,15})([KMG]?)B?", told)
        if found is None:
            raise UsageError(f"{VARIABLE} is not a number of bytes; set it to one such as 8G or 500M")
        return int(found[1]) * _UNITS[found[2]]
    bound = max(_ALWAYS, _TIMES * packed)
    free = free_memory()
    return bound if free is None else min(bound, max(_ALWAYS, free // 2))


def free_memory() -> int | None:
    """Bytes that this machine could still give out, or None where the system does not say."""
    try:
        with open("/proc/meminfo", "rb") as file:
            found = re.search(rb"MemAvailable: *([0-9]+) kB", file.read())
    except OSError:
        return None
    return None if found is None else int(found[1]) << 10
