"""Classifying records whose parts lie at several sites (thesis 3.2.2), many at a time.

A record is known by one id per site. From the root down, the split site of a node is sent the ids of its own records
that stand at nodes it splits, and answers a branch for each; it never sees other sites' ids. The ledger shows
`prediction-ids` and `prediction-path` messages, and nothing else.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from confide.core.errors import InputError, UnreachableError
from confide.join.coordinator.secure_tree import SecureTree
from confide.join.network.links import Link
from confide.join.protocol.messages import Message

__all__ = ["predict"]


def predict(
    tree: SecureTree, ids: Mapping[str, Sequence[str]], *, link: Link, by: str = "row", timeout: float = 60.0
) -> list[str]:
    """The class of each record. `ids` holds for each site the ids of the records' parts, in one order.

    `by` is "row" (row number, from 0) or "id" (the site's id column). Sites that split no node need no ids. A record
    with a value not seen in training stays at that node and gets its class. Takes at most depth times sites messages.
    """
    if by not in ("row", "id"):
        raise InputError(f"by={by!r}; name records by row or by id")
    needed = sorted({node.site for node in tree.nodes if node.site is not None})
    missing = [site for site in needed if site not in ids]
    if missing:
        raise InputError(f"no ids for site {missing[0]}; the tree asks: {', '.join(needed)}")
    sizes = {len(column) for column in ids.values()}
    if len(sizes) > 1:
        raise InputError("every site needs one id for each record")
    records = sizes.pop() if sizes else 0
    at = np.zeros(records, dtype=np.int64)
    stays = np.zeros(records, dtype=np.bool_)
    site_of = np.array([-1 if node.site is None else needed.index(node.site) for node in tree.nodes])
    while True:
        owner = np.where(stays, -1, site_of[at])
        if (owner < 0).all():
            break
        for place, site in enumerate(needed):
            here = np.flatnonzero(owner == place)
            if len(here):
                branch = _asked(tree, site, at[here], [ids[site][row] for row in here.tolist()], link, by, timeout)
                stays[here[branch < 0]] = True
                moving = branch >= 0
                below = [tree.nodes[n].children[b] for n, b in zip(at[here[moving]], branch[moving], strict=True)]
                at[here[moving]] = below
    return [tree.nodes[node].label for node in at.tolist()]


def _asked(
    tree: SecureTree, site: str, nodes: np.ndarray, ids: list[str], link: Link, by: str, timeout: float
) -> np.ndarray:
    import pyarrow as pa

    columns = {"node": nodes.astype(np.int32), "id": pa.array(ids, pa.string())}
    answer = link.call(site, Message("route", {"run": tree.run, "by": by}, columns), timeout=timeout)
    if answer.entries != len(ids):
        raise UnreachableError(f"{site} answered for other records than it was asked")
    branch = answer.columns["child"]
    most = np.array([len(tree.nodes[n].children) for n in nodes.tolist()])
    if len(branch) and ((branch < -1).any() or (branch >= most).any()):
        raise UnreachableError(f"{site} named a branch that the tree does not have")
    return branch
