"""A taxonomy to begin with: merged from the records, or by the digits that codes begin with."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from confide.core.datasets.intake import as_records
from confide.core.datasets.loading import is_loaded
from confide.core.errors import CannotMeetError, UsageError
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.runtime.threads import answers_ctrl_c
from confide.core.tables.taxonomy import Taxonomy
from confide.publish.jobs.loss_names import NameCost
from confide.publish.jobs.transactions import PublishTaxonomy
from confide.publish.transactions.declaration import Declared
from confide.publish.transactions.generalisation.group_names import Names
from confide.publish.transactions.generalisation.merging import merge_items
from confide.publish.transactions.generalisation.tree import Tree

__all__ = ["propose_taxonomy", "run"]

_TOP = "*"
_CHECK = "names say which items were merged, not what they are: give them names of your own"
_FROM_RECORDS = "the groups follow from the records, and a release by them shows which items went together"


@answers_ctrl_c
def propose_taxonomy(
    tx: Any, *, private: Iterable[str] = (), k: int = 2, cost: NameCost = "ncp", prefixes: Sequence[int] = ()
) -> Taxonomy:
    """Propose names above the public items of these transactions, for `generalise`.

    With `prefixes` (1, 3, 5) an item "C09AA" is below "C09*", and that below "C*": for codes whose first characters say
    what they are. Otherwise items are merged that keep each other from being published in `k` records or more, two
    groups at a time; each group is named by its two commonest items. A release then prefers what lies together here, so
    take names apart that do not belong together. A larger `k` puts larger groups near the items; `cost` as in
    `generalise`.

    Groups follow from the records: a release by them shows which items went together.

    >>> propose_taxonomy([["A01", "A02"], ["A01", "B01"]], prefixes=[1]).path("A01")
    ('A01', 'A*', '*')
    """
    records: Any = as_records(tx)
    if not is_loaded(records):
        raise UsageError("a taxonomy is made of records in memory; give a part of them")
    declared = Declared.of(records, private)
    codes = np.flatnonzero(~declared.is_private & (declared.supports > 0)).tolist()
    labels = declared.transactions.labels
    if not codes:
        raise CannotMeetError("no public item occurs, so there is nothing to put in order")
    if prefixes:
        return _by_prefixes([labels[code] for code in codes], prefixes)
    return _as_taxonomy(merge_items(codes, declared, k=k, cost=cost), declared)


def run(request: PublishTaxonomy, host: Host = QUIET) -> Outcome:
    """The job `publish taxonomy`: a proposal, and its rows."""
    from confide.publish.transactions.publication import list_private_items

    tx = request.read_records(host.say)
    private = list_private_items(request, tx)
    asked = request.prefixes or ()
    prefixes = asked if isinstance(asked, tuple) else (asked,)
    found = propose_taxonomy(tx, private=private, k=request.k, cost=request.cost, prefixes=prefixes)

    def save(path: Path, replace: bool) -> str:
        found.write(path, replace=replace)
        return f"{len(found.items):,} items under {len(set(found.above.values())):,} names written to {path}"

    return Outcome(
        answer=found,
        save=save,
        rows=lambda: ({"item": item, "above": list(found.path(item)[1:])} for item in found.items),
        reading=lambda: ({"item": item, "above": " < ".join(found.path(item)[1:])} for item in found.items),
        title="Names above each item",
        notes=() if request.prefixes else (_CHECK, _FROM_RECORDS),
    )


def _by_prefixes(items: Sequence[str], lengths: Sequence[int]) -> Taxonomy:
    """Items below what they begin with; an item no longer than a prefix has no name of that length."""
    for length in lengths:
        if length < 1:
            raise UsageError(f"prefixes={length} is no number of characters; use 1 or more", parameter="prefixes")
    longest_first = sorted(set(lengths), reverse=True)
    return Taxonomy.from_rows(
        (item, *(f"{item[:length]}{_TOP}" for length in longest_first if length < len(item)), _TOP) for item in items
    )


def _as_taxonomy(tree: Tree, declared: Declared) -> Taxonomy:
    """The rows of a tree, each node by the name of its commonest items."""
    labels, supports = declared.transactions.labels, declared.supports
    calls = Names([*labels, _TOP])
    name = [""] * tree.size
    for leaf, v in enumerate(tree.node.tolist()):
        name[v] = labels[tree.code[leaf]]
    for v in range(tree.size):  # from the top down
        if not name[v]:
            items = tree.code[tree.first[v] : tree.last[v]]
            commonest = items[np.argsort(-supports[items], kind="stable")]
            name[v] = calls.unique(calls.of_items([labels[code] for code in commonest])) if v else _TOP
    rows = []
    for v in tree.node.tolist():
        row = [name[v]]
        while v:
            v = int(tree.parent[v])
            row.append(name[v])
        rows.append(row if len(row) > 1 else [*row, _TOP])
    return Taxonomy.from_rows(rows)
