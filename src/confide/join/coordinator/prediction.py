"""Classifying records whose parts lie at several sites (thesis 3.2.2), many at a time.

A record is known by one id per site. From the root down, the split site of a node is sent the ids of its own records
that stand at nodes it splits, and answers a branch for each; it never sees other sites' ids. The ledger shows
`prediction-ids` and `prediction-path` messages, and nothing else.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UnreachableError
from confide.join.coordinator.secure_tree import SecureTree
from confide.join.network.links import Link
from confide.join.protocol.messages import Message

__all__ = ["Ends", "find_leaves", "predict"]

_UNKNOWN = (" of a record at ", "is outside the table of")
"""How a site refuses ids that it does not know; see `join.site.routing`."""


def predict(
    tree: SecureTree, ids: Mapping[str, Sequence[str]], *, link: Link, by: str = "auto", timeout: float = 60.0
) -> list[str]:
    """The class of each record. `ids` holds for each site the ids of the records' parts, in one order.

    `by` is "row" (row number, from 0), "id" (the site's id column), or "auto": ids at sites that have such a column,
    row numbers at the others. Sites that split no node need no ids. A record with a value not seen in training stays
    at that node and gets its class. Takes at most depth times sites messages.
    An id that a site does not know is refused; see `find_leaves`.
    """
    ends = find_leaves(tree, ids, link=link, by=by, timeout=timeout).nodes
    return [tree.nodes[node].label for node in ends.tolist()]


class Ends(NamedTuple):
    """The node each record ends at, and what each site that was asked took ids for: "id" or "row"."""

    nodes: NDArray[np.int64]
    by: dict[str, str]


def find_leaves(
    tree: SecureTree,
    ids: Mapping[str, Sequence[str]],
    *,
    link: Link,
    by: str = "auto",
    timeout: float = 60.0,
    skip_unknown: bool = False,
) -> Ends:
    """The node of `tree` each record ends at: its class is the node's label, and its counts say how sure that is.

    With `skip_unknown` a record that a site on its way does not know ends at -1, and the others are classified all the
    same. A site refuses a question as a whole, so unknown ids are found by halving: about log2(records) more questions
    for each. Other parameters as in `predict`.
    """
    if by not in ("auto", "id", "row"):
        raise InputError(f"by={by!r}; name records by row, by id, or auto: by id where a site has such a column")
    needed = sorted({node.site for node in tree.nodes if node.site is not None})
    missing = [site for site in needed if site not in ids]
    if missing:
        raise InputError(
            f"no ids for {' and '.join(missing)}: name a column of ids after each site that splits a node "
            f"({', '.join(needed)}); columns are: {', '.join(ids) or 'none'}"
        )
    sizes = {len(column) for column in ids.values()}
    if len(sizes) > 1:
        raise InputError(f"every site needs one id for each record; they give {', '.join(map(str, sorted(sizes)))}")
    records = sizes.pop() if sizes else 0
    at = np.zeros(records, dtype=np.int64)
    stays = np.zeros(records, dtype=np.bool_)
    named: dict[str, str] = {}
    site_of = np.array([-1 if node.site is None else needed.index(node.site) for node in tree.nodes])
    while True:
        owner = np.where(stays, -1, site_of[at])
        if (owner < 0).all():
            break
        for place, site in enumerate(needed):
            here = np.flatnonzero(owner == place)
            if len(here):
                asked = [ids[site][row] for row in here.tolist()]
                branch, named[site] = _ask_site(tree, site, at[here], asked, link, by, timeout, skip_unknown)
                at[here[branch == _NOBODY]] = -1
                stays[here[branch < 0]] = True
                moving = branch >= 0
                below = [tree.nodes[n].children[b] for n, b in zip(at[here[moving]], branch[moving], strict=True)]
                at[here[moving]] = below
    return Ends(at, dict(sorted(named.items())))


_NOBODY = -2
"""In place of a branch: the site has no such record."""


def _ask_site(
    tree: SecureTree, site: str, nodes: np.ndarray, ids: list[str], link: Link, by: str, timeout: float, skip: bool
) -> tuple[np.ndarray, str]:
    """The branch of each record, and what the site took the ids for."""
    import pyarrow as pa

    columns = {"node": nodes.astype(np.int32), "id": pa.array(ids, pa.string())}
    try:
        answer = link.call(site, Message("route", {"run": tree.run, "by": by}, columns), timeout=timeout)
    except InputError as error:
        if not skip or not any(words in str(error) for words in _UNKNOWN):
            raise
        if len(ids) == 1:
            return np.array([_NOBODY], dtype=np.int32), "row" if _UNKNOWN[1] in str(error) else "id"
        half = len(ids) // 2
        parts = ((nodes[:half], ids[:half]), (nodes[half:], ids[half:]))
        answers = [_ask_site(tree, site, n, some, link, by, timeout, skip) for n, some in parts]
        return np.concatenate([branch for branch, _ in answers]), answers[0][1]
    if answer.entries != len(ids):
        raise UnreachableError(f"{site} answered for other records than it was asked")
    branch = answer.columns["child"]
    most = np.array([len(tree.nodes[n].children) for n in nodes.tolist()])
    if len(branch) and ((branch < -1).any() or (branch >= most).any()):
        raise UnreachableError(f"{site} named a branch that the tree does not have")
    return branch, answer.header["by"]
