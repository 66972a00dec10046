"""Whether a requirement can be met at all: asked of the whole table as one group.

No partition does better than the whole where joining groups that pass gives a group that passes. k-anonymity, every
diversity and (alpha, k)-anonymity are such; the whole release is always close to itself.
"""

from math import exp, log

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError
from confide.core.requirements.tables import (
    AlphaK,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    OthersKnown,
    RecursiveDiversity,
    SimpleDiversity,
    TableRequirement,
)

__all__ = ["check_size", "check_values"]


def check_size(part: TableRequirement, rows: int, *, what: str) -> None:
    """Raise if the table is smaller than a group must be."""
    if isinstance(part, KAnonymity | AlphaK) and rows < part.k:
        raise CannotMeetError(
            f"k={part.k} is larger than the table of {rows:,} {what}, so nobody can hide among k",
            parameter="k",
            value=part.k,
        )


def check_values(part: TableRequirement, name: str, counts: NDArray[np.int64], rows: int, *, what: str) -> None:
    """Raise if the whole table, as one group, fails a requirement of a sensitive column with these counts.

    `counts` are filled: commonest first, each row or person counted once.
    """
    asked = part.of if isinstance(part, OthersKnown) else part
    top = int(counts[0])
    share = f"the commonest value of {name!r} is in {top / rows:.1%} of all {what}"
    if isinstance(asked, SimpleDiversity) and top * asked.l > rows:
        raise CannotMeetError(f"l={asked.l} cannot be met: {share}", parameter="l", value=asked.l)
    if isinstance(asked, AlphaK) and top > asked.most_allowed(rows):
        raise CannotMeetError(f"alpha={asked.alpha:g} cannot be met: {share}", parameter="alpha", value=asked.alpha)
    values = len(counts)
    if isinstance(asked, DistinctDiversity) and values < asked.l:
        found = f"{name!r} has {values} value{'s' * (values != 1)}"
        raise CannotMeetError(f"l={asked.l} cannot be met: {found}", parameter="l", value=asked.l)
    if isinstance(asked, EntropyDiversity) and not asked.allows(counts.tolist()):
        entropy = log(rows) - sum(count * log(count) for count in counts.tolist()) / rows
        raise CannotMeetError(
            f"l={asked.l:g} cannot be met: {name!r} is worth no more than {exp(entropy):.2f} equally common values",
            parameter="l",
            value=asked.l,
        )
    if isinstance(asked, RecursiveDiversity):
        _check_recursive(asked, name, counts, top)


def _check_recursive(part: RecursiveDiversity, name: str, counts: NDArray[np.int64], top: int) -> None:
    tails = {least: int(counts[least - 1 :].sum()) for least in range(2, len(counts) + 1)}
    if part.most_frequent_allowed(tail=tails.get(part.l, 0), top=top):
        return
    raise CannotMeetError(
        f"(c={part.c:g}, l={part.l}) cannot be met: over the whole table the commonest value of {name!r} outweighs the "
        f"{part.l}-th and all rarer ones too far",
        parameter="l",
        value=part.l,
    )
