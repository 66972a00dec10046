"""Putting back what the greedy rule for itemsets need not have suppressed.

A rule that looks one step ahead takes items that later ones make needless. An item may come back if every mole that
holds it holds another suppressed item too; what may not come back now never may later, for fewer items are then
suppressed. So one after the other comes back, in an order that loses few nuggets and leaves nothing to chance:

1. the items in some nugget: always the one that brings most nuggets back, with the items there are at that moment;
   then the commoner, then the smaller code;
2. the items in no nugget, the commonest first, then the smaller code.

Afterwards no suppressed item can come back alone. The thesis does not do this.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.progress import task
from confide.publish.transactions.families.counters import FamilyCounter
from confide.publish.transactions.families.diagrams import DecisionDiagram

__all__ = ["needless"]


def needless(
    moles: FamilyCounter,
    nuggets: DecisionDiagram,
    chosen: Iterable[int],
    gone: Iterable[int],
    supports: NDArray[np.int64],
) -> set[int]:
    """The items of `chosen`, all of them `gone`, that come back.

    `moles` are all there were before an item of `gone` went; `nuggets` those of the data. Takes one pass over the
    diagrams for each item that may come back, for each that does.
    """
    out, back = set(gone), set[int]()
    chosen = set(chosen)
    worth = {v for v in chosen if v in set(nuggets.codes.tolist())}
    with task("putting items back", total=None) as tick:
        free = worth - moles.needed(sorted(worth), out)
        while free:
            best = max(free, key=lambda v: (_value_left(nuggets, out - {v}), int(supports[v]), -v))
            out.remove(best)
            back.add(best)
            free = free - {best}
            free -= moles.needed(sorted(free), out)
            tick(1)
        for v in sorted(chosen - worth, key=lambda v: (-int(supports[v]), v)):
            if not moles.needed([v], out):
                out.remove(v)
                back.add(v)
                tick(1)
    return back


def _value_left(nuggets: DecisionDiagram, gone: set[int]) -> int:
    return nuggets.without(gone).counts(int(nuggets.codes.max(initial=-1)) + 1).total
