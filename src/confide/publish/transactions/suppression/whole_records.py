"""Suppression against somebody who may know everything public about a person: p without bound, h = 1.

No mole need be searched then. Whatever occurs is part of some record's public items, and is in at least as many
records; so the release is coherent exactly when the public part of every record is contained in at least k records.
Items are admitted one after the other, the dearest first, and stay out when they would break that. What was refused
once stays refused, since admitting more only adds to what an attacker may know: nothing suppressed can be put back.
"""

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError
from confide.core.requirements import Coherence
from confide.publish.transactions.declaration import DeclaredItems
from confide.publish.transactions.suppression.decision import Step, Suppression

_MOST_RUNS, _MOST_ENTRIES = 64, 100_000_000  # passes for improving; entries read in all of them

__all__ = ["suppress_by_records"]


def suppress_by_records(
    records: DeclaredItems,
    requirement: Coherence,
    *,
    price: NDArray[np.int64] | NDArray[np.object_],
    keep: NDArray[np.int32] | None = None,
    deleted: NDArray[np.bool_] | None = None,
    improve: bool = True,
) -> Suppression:
    """Suppress what cannot be admitted; `price` says what losing each item costs, `keep` are admitted first,
    `deleted` items never.

    Ties go to the larger support, then to the smaller code. With `improve`, each of the dearest admitted items is moved
    to the end of the queue in turn, and stays there where that loses less. Cost: some passes over the data.
    """
    from confide.core.transactions.row_kernels import transpose
    from confide.publish.transactions.suppression._record_kernels import admit

    whole = records.whole_records(requirement)
    declared, counts = whole.declared, whole.counts
    tx, supports = declared.transactions, declared.supports
    wanted = np.zeros(tx.n_items, dtype=np.bool_)
    if keep is not None:
        wanted[keep] = True
    out = np.zeros(tx.n_items, dtype=np.bool_) if deleted is None else deleted & ~wanted
    public = np.flatnonzero(~declared.is_private & (supports > 0) & ~out)
    rank = {int(v): i for i, v in enumerate(sorted(public.tolist(), key=lambda v: (-price[v], -int(supports[v]), v)))}
    order = np.array(sorted(public.tolist(), key=lambda v: (not wanted[v], rank[v])), dtype=np.int32)
    tid_ptr, tids = transpose(tx.indptr, tx.indices, tx.n_items)
    n_first = int(wanted[public].sum())
    held = (supports.astype(np.int64), tid_ptr, tids, counts, requirement.k, n_first)
    admitted = admit(order, *held)
    if improve and admitted[:n_first].all():
        runs = max(4, min(_MOST_RUNS, _MOST_ENTRIES // max(whole.entries, 1)))
        for v in order[n_first:][admitted[n_first:]][:runs]:
            # A dear item may keep out many others that are dearer together: try without it.
            other = np.append(order[order != v], v)
            found = admit(other, *held)
            if price[other[found]].sum() > price[order[admitted]].sum():
                order, admitted = other, found
    refused = order[:n_first][~admitted[:n_first]]
    if len(refused):
        raise CannotMeetError(
            f"items marked to be kept cannot all be kept: with {tx.labels[refused[0]]!r} some record is unlike others",
            parameter="keep",
            value=keep,
        )
    gone = np.sort(order[~admitted])
    alone = gone[supports[gone] < requirement.k]
    rest = sorted(gone[supports[gone] >= requirement.k].tolist(), key=lambda v: rank[v])
    steps = [Step(item=int(v), reason="alone") for v in alone]
    steps += [Step(item=int(v), reason="option") for v in np.flatnonzero(out)]
    steps += [Step(item=v, reason="records") for v in rest]
    return Suppression(steps=tuple(steps), method="records")
