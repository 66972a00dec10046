"""Whether a requirement can be met at all, and the nearest that can: asked of the whole table as one group.

No partition does better than the whole where joining groups that pass gives a group that passes. k-anonymity, every
diversity and (alpha, k)-anonymity are such; the whole release is always close to itself.
"""

from fractions import Fraction
from math import exp, floor, log

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
            nearest=f"k={rows}" if rows >= 2 else None,
        )


def check_values(part: TableRequirement, name: str, counts: NDArray[np.int64], rows: int, *, what: str) -> None:
    """Raise if the whole table, as one group, fails a requirement of a sensitive column with these counts.

    `counts` are filled: commonest first, each row or person counted once.
    """
    asked = part.of if isinstance(part, OthersKnown) else part
    top = int(counts[0])
    share = f"the commonest value of {name!r} is in {top / rows:.1%} of all {what}"
    if isinstance(asked, SimpleDiversity) and top * asked.l > rows:
        raise CannotMeetError(f"l={asked.l} cannot be met: {share}", nearest=_largest("l", rows // top))
    if isinstance(asked, AlphaK) and top > asked.most_allowed(rows):
        raise CannotMeetError(
            f"alpha={asked.alpha:g} cannot be met: {share}", nearest=_smallest_share("alpha", top, rows)
        )
    values = len(counts)
    if isinstance(asked, DistinctDiversity) and values < asked.l:
        found = f"{name!r} has {values} value{'s' * (values != 1)}"
        raise CannotMeetError(f"l={asked.l} cannot be met: {found}", nearest=_largest("l", values))
    if isinstance(asked, EntropyDiversity) and not asked.allows(counts.tolist()):
        entropy = log(rows) - sum(count * log(count) for count in counts.tolist()) / rows
        best = floor(exp(entropy) * 100) / 100
        raise CannotMeetError(
            f"l={asked.l:g} cannot be met: {name!r} is worth no more than {exp(entropy):.2f} equally common values",
            nearest=f"l={best:g}" if best > 1 else None,
        )
    if isinstance(asked, RecursiveDiversity):
        _check_recursive(asked, name, counts, top)


def _check_recursive(part: RecursiveDiversity, name: str, counts: NDArray[np.int64], top: int) -> None:
    tails = {least: int(counts[least - 1 :].sum()) for least in range(2, len(counts) + 1)}
    if part.most_frequent_allowed(tail=tails.get(part.l, 0), top=top):
        return
    smaller = [
        least for least, tail in tails.items() if least < part.l and part.most_frequent_allowed(tail=tail, top=top)
    ]
    ways = [f"l={max(smaller)} with c={part.c:g}"] if smaller else []
    if tails.get(part.l, 0):
        ways.append(f"c={_above(Fraction(top, tails[part.l]))} with l={part.l}")
    raise CannotMeetError(
        f"(c={part.c:g}, l={part.l}) cannot be met: over the whole table the commonest value of {name!r} outweighs the "
        f"{part.l}-th and all rarer ones too far",
        nearest=" or ".join(ways) or None,
    )


def _above(bound: Fraction) -> str:
    """The smallest number with two decimals above this."""
    return f"{(floor(bound * 100) + 1) / 100:g}"


def _largest(letter: str, value: int) -> str | None:
    return f"{letter}={value}, the largest that works" if value >= 2 else None


def _smallest_share(letter: str, part: int, whole: int) -> str | None:
    thousandths = -(-part * 1000 // whole)
    return f"{letter}={thousandths / 1000:g}" if thousandths < 1000 else None
