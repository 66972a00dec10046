"""What a search looks for, checked and in the terms of the kernels."""

from typing import Literal, NamedTuple, get_args

import numpy as np

from confide.core.errors import RequirementError, UsageError
from confide.core.transactions.support import support_count

__all__ = ["ALL", "CLOSED", "FOUND", "MAXIMAL", "SEARCH", "WIDE", "Kind", "Task", "word"]

Kind = Literal["all", "closed", "maximal"]

# Which itemsets are wanted, in the order of `Kind`.
ALL, CLOSED, MAXIMAL = 0, 1, 2

# What an item leaves to do: note its own set, search its supersets, or hand it back because it is too wide.
FOUND, SEARCH, WIDE = 1, 2, 4

_WORD = 64  # items that fit into a bitmap row; less makes the search take the other ways sooner
_UNLIMITED = 2**31 - 1


def word() -> int:
    """How many items fit into a word."""
    return _WORD


class Task(NamedTuple):
    """What is searched for, checked and in the terms of the kernels, which take it as it is."""

    kind: int
    min_support: int
    max_length: int
    keep: bool
    # Whether an item that every row holds may join all sets of a branch at once instead of being tried like others.
    # Not if what is noted has to keep to a length; counts are cut to it afterwards.
    shortcuts: bool

    @classmethod
    def check(cls, records: int, min_support: int | float, kind: str, max_length: int | None, *, keep: bool) -> "Task":
        """Check what a caller asks of so many records."""
        if not isinstance(kind, str) or kind not in get_args(Kind):
            raise UsageError(f"no kind {kind!r} of itemsets; kinds are: {', '.join(get_args(Kind))}")
        if max_length is not None and (isinstance(max_length, bool) or not isinstance(max_length, int | np.integer)):
            raise RequirementError(f"max_length must be a whole number or None, not {max_length!r}")
        if max_length is not None and max_length < 1:
            raise RequirementError(
                f"max_length={max_length} leaves no itemset; use 1 or more, or None for no limit",
                parameter="max_length",
                value=max_length,
            )
        if records >= 2**31:
            raise RequirementError(f"{records:,} records are more than the two billion that can be searched")
        limit = min(int(max_length), _UNLIMITED) if max_length is not None else _UNLIMITED
        return cls(
            kind=get_args(Kind).index(kind),
            min_support=support_count(min_support, records),
            max_length=limit,
            keep=keep,
            shortcuts=max_length is None or kind == "closed" or (kind == "all" and not keep),
        )
