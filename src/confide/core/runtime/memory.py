"""How much memory is free, how far a packed file (.gz, .zst) may unpack, and what verifying a file may take.

A few kilobytes can unpack to any size, and reading takes a multiple of that. Real files of records shrink to a third
or a tenth, repetitive ones to a thirtieth; so one that unpacks to more than a hundred times its size is refused, unless
it is small even then, and nothing may fill more than half of the memory that is free. Whoever trusts a file raises the
bound, or unpacks it first.

Who verifies does not trust the file. Reading and checking it takes at most 256 MB, or ten times the file where that is
more: what is larger is read in passes, and what cannot be is refused.
"""

import os
import re
from dataclasses import dataclass

from confide.core.errors import InputError, UsageError

__all__ = ["VARIABLE", "VERIFYING", "MemoryBudget", "free_memory", "most_unpacked"]

VARIABLE = "CONFIDE_MAX_UNPACKED"
"""Environment variable: what a packed file may unpack to, in place of our bound, such as 8G or 500M."""

VERIFYING = "CONFIDE_VERIFY_MEMORY"
"""Environment variable: what verifying a file may take, in place of our bound, such as 8G."""

_TIMES = 100
_ALWAYS = 64 << 20
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def most_unpacked(packed: int) -> int:
    """To how many bytes a file of `packed` bytes may unpack.

    >>> most_unpacked(1000), most_unpacked(2_000_000)
    (67108864, 200000000)
    """
    given = _given_bytes(VARIABLE)
    if given is not None:
        return given
    bound = max(_ALWAYS, _TIMES * packed)
    free = free_memory()
    return bound if free is None else min(bound, max(_ALWAYS, free // 2))


@dataclass(frozen=True)
class MemoryBudget:
    """How many bytes reading and checking a file may take, beside what the program takes without any.

    >>> MemoryBudget.for_file(1000).total >> 20, MemoryBudget.for_file(100 << 20).total >> 20
    (256, 1000)
    """

    total: int

    @classmethod
    def for_file(cls, size: int) -> "MemoryBudget":
        """256 MB, or ten times the file; what the environment says goes first."""
        given = _given_bytes(VERIFYING)
        return cls(max(256 << 20, 10 * size) if given is None else given)

    def require(self, needed: int, what: str, *, source: object = None) -> None:
        """Raise an InputError where so many bytes are more than there may be; `what` says what takes them."""
        if needed > self.total:
            advice = f"if you trust it, set {VERIFYING}=8G"
            raise InputError(f"{what} may take more than {self.total >> 20:,} MB of memory; {advice}", source=source)


def _given_bytes(variable: str) -> int | None:
    text = os.environ.get(variable, "").strip().upper()
    if not text:
        return None
    found = re.fullmatch(r"([0-9]{1,15})([KMG]?)B?", text)
    if found is None:
        raise UsageError(f"{variable} is not a number of bytes; set it to one such as 8G or 500M")
    return int(found[1]) * _UNITS[found[2]]


def free_memory() -> int | None:
    """Bytes that this machine could still give out, or None where the system does not say."""
    try:
        with open("/proc/meminfo", "rb") as file:
            found = re.search(rb"MemAvailable: *([0-9]+) kB", file.read())
    except OSError:
        return None
    return None if found is None else int(found[1]) << 10
