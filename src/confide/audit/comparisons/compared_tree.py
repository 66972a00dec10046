"""Class counts of a released tree, recounted: from its records, or from the tree whose leaves were merged.

Where the owner gave the records, the auditor sends each of them down the released tree by its own walk and counts the
classes at every node, those of marginals too. Where only a tree (or rules) was given, every leaf of it must have gone,
as a whole, into one released leaf, whose counts are the sum. A released tree that tells hit and miss only is held to
the number of records, and, where a leaf is one of before, to all of it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.artefacts.originals import OriginalRecords, OriginalTree
from confide.core.checks import Check
from confide.core.trees.nodes import Edge, Node
from confide.core.trees.published import PublishedTree
from confide.core.trees.rules import RuleSet

if TYPE_CHECKING:
    from confide.core.passport import Passport

__all__ = ["compare_tree"]

Columns = Mapping[str, "NDArray[np.float64] | tuple[NDArray[np.int32], tuple[str | None, ...]]"]


def compare_tree(
    data: PublishedTree | RuleSet, passport: "Passport", original: OriginalRecords | OriginalTree
) -> Iterator[Check]:
    """The checks of a tree, or rules, that `share` releases."""
    if isinstance(original, OriginalRecords):
        assert isinstance(data, PublishedTree)
        yield _counts_check("its class counts are those of its records", *_recount(data, original))
        if data.marginals:
            found = [_recount(stump, original) for stump in data.marginals]
            yield _counts_check("so are those of its marginals", sum(w for w, _ in found), sum(n for _, n in found))
    elif isinstance(data, RuleSet):
        assert isinstance(original.tree, RuleSet)
        yield _counts_check("its class counts are those of the rules before", *_merged_rules(data, original.tree))
    else:
        assert isinstance(original.tree, PublishedTree)
        yield _counts_check("its class counts are those of the tree before", *_merged_leaves(data, original.tree))


def _counts_check(name: str, wrong: int, nodes: int) -> Check:
    of = f"{nodes:,} node{'s' * (nodes != 1)} or rules"
    return Check(name=name, ok=not wrong, detail=f"{wrong:,} of {of} have others" if wrong else of)


# -- from records -----------------------------------------------------------------------------------------------------


def _recount(tree: PublishedTree, original: OriginalRecords) -> tuple[int, int]:
    """How many nodes have counts that are not those of the records that reach them; and how many nodes there are."""
    place = {label: at for at, label in enumerate(tree.classes)}
    codes = np.array([place.get(label, -1) for label in original.classes], dtype=np.int64)[original.of]
    if (codes < 0).any():
        return len(tree.nodes), len(tree.nodes)
    counts = _counts_of(tree, original.columns, codes)
    if counts is None:
        return len(tree.nodes), len(tree.nodes)
    if tree.shares_of is None:
        ok = [_tells(node, own, tree.classes) for node, own in zip(tree.nodes, counts.tolist(), strict=True)]
    else:
        part = Fraction(tree.shares_of, max(1, len(codes)))
        ok = [
            node.counts is not None
            and all(abs(n - part * m) < original.roundings for n, m in zip(node.counts, own, strict=True))
            for node, own in zip(tree.nodes, counts.tolist(), strict=True)
        ]
    return ok.count(False), len(ok)


def _tells(node: Node, own: Sequence[int], classes: Sequence[str]) -> bool:
    """Whether a node tells these counts: their number, and all of them unless it gives hit and miss only."""
    if node.counts is None or node.total != sum(own):
        return node.total == sum(own)
    return list(node.counts) == list(own) and node.hit == max(own) == own[classes.index(node.label)]


def _counts_of(tree: PublishedTree, columns: Columns, codes: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """For each node the classes of the records that reach it; None where one stops before a leaf."""
    from confide.audit.comparisons._walk_kernels import leave_node

    at = np.zeros(len(codes), dtype=np.int32)
    rows = np.arange(len(codes), dtype=np.int64)
    begin, end = np.zeros(len(tree.nodes), dtype=np.int64), np.zeros(len(tree.nodes), dtype=np.int64)
    end[0], spare = len(codes), np.empty_like(rows)
    for i, node in enumerate(tree.nodes):  # children come after their parent, and stand within its stretch of rows
        if node.attribute is None or begin[i] == end[i]:
            continue
        numbers: Any
        column, to = columns[node.attribute], np.array([edge.to for edge in node.edges], dtype=np.int32)
        if isinstance(column, tuple):
            numbers, values = column
            edge_of = {value: number for number, edge in enumerate(node.edges) for value in edge.values}
            way = np.array([edge_of.get(value, -1) for value in values], dtype=np.int32)
            lows = highs = np.zeros(0)
        else:
            numbers = column
            pieces = sorted((*piece, number) for number, edge in enumerate(node.edges) for piece in edge.intervals)
            lost = [number for number, edge in enumerate(node.edges) if edge.missing]
            way = np.array([*(number for _, _, number in pieces), *(lost or [-1])], dtype=np.int32)  # missing last
            lows, highs = np.array([low for low, _, _ in pieces]), np.array([high for _, high, _ in pieces])
        parts = np.zeros(len(to) + 1, dtype=np.int64)
        here = (rows[begin[i] : end[i]], spare[begin[i] : end[i]])
        if not leave_node(*here, numbers, lows, highs, way, parts, isinstance(column, tuple)):
            return None
        begin[to], end[to] = begin[i] + parts[:-1], begin[i] + parts[1:]
    counts = np.zeros((len(tree.nodes), len(tree.classes)), dtype=np.int64)
    for i in tree.leaves():
        at[rows[begin[i] : end[i]]] = i
    np.add.at(counts, (at, codes), 1)
    for i in range(len(tree.nodes) - 1, 0, -1):
        counts[tree.parents[i]] += counts[i]
    return counts


# -- from a tree before -----------------------------------------------------------------------------------------------


def _merged_leaves(after: PublishedTree, before: PublishedTree) -> tuple[int, int]:
    """How many released nodes do not tell the sum of the leaves of before that lie in them; and how many there are."""
    nothing = (0,) * len(before.classes)
    sums: list[Sequence[int]] = [nothing] * len(before.nodes)
    totals, leaves = [0] * len(before.nodes), [0] * len(before.nodes)
    for i in range(len(before.nodes) - 1, -1, -1):
        node = before.nodes[i]
        if node.attribute is None:
            totals[i], leaves[i] = node.total, 1
            sums[i] = node.counts if node.counts is not None else nothing
            continue
        below = [edge.to for edge in node.edges]
        totals[i], leaves[i] = sum(totals[j] for j in below), sum(leaves[j] for j in below)
        sums[i] = _add(sums[j] for j in below)
    inside: dict[int, list[int]] = {0: [0]}  # released node: nodes of before that are in it
    wrong = 0
    part = None if after.shares_of is None else Fraction(after.shares_of, max(1, totals[0]))
    for i, node in enumerate(after.nodes):
        own = inside.pop(i, [])
        lost = node.attribute is not None and not _divide(node, own, before, inside)
        if lost or not _tells_sum(node, own, before, sums, totals, leaves, part, after.classes):
            wrong += 1
    return wrong, len(after.nodes)


def _divide(node: Node, own: list[int], before: PublishedTree, inside: dict[int, list[int]]) -> bool:
    """Hand the children of what is in an inner node on to its edges; False where one fits none of them."""
    if len(own) != 1 or before.nodes[own[0]].attribute != node.attribute:
        return False
    for edge in node.edges:
        inside[edge.to] = []
    home_of = {value: home for home in reversed(node.edges) for value in home.values}
    for edge in before.nodes[own[0]].edges:
        # an edge with values fits no edge but the one that has the first of them
        possible = node.edges if not edge.values else [home_of[v] for v in edge.values[:1] if v in home_of]
        home = next((home for home in possible if _holds(home, edge)), None)
        if home is None:
            return False
        inside[home.to].append(edge.to)
    return True


def _add(counts: Iterable[Sequence[int]]) -> list[int]:
    """The sum of counts, class by class."""
    return [sum(of_class) for of_class in zip(*counts, strict=True)]


def _holds(outer: Edge, inner: Edge) -> bool:
    """Whether whatever goes the inner way goes the outer one."""
    if inner.missing and not outer.missing:
        return False
    if inner.values and not set(inner.values) <= set(outer.values):
        return False
    return all(any(a <= low and high <= b for a, b in outer.intervals) for low, high in inner.intervals)


def _tells_sum(
    node: Node,
    own: list[int],
    before: PublishedTree,
    sums: Sequence[Sequence[int]],
    totals: list[int],
    leaves: list[int],
    part: Fraction | None,
    classes: Sequence[str],
) -> bool:
    counts = _add(sums[i] for i in own) if own else [0] * len(classes)
    if part is not None:
        many = sum(leaves[i] for i in own)
        given = node.counts or ()
        return len(given) == len(counts) and all(
            abs(n - part * m) < max(1, many) for n, m in zip(given, counts, strict=True)
        )
    if node.counts is not None:
        return _tells(node, counts, classes)
    same = node.total == sum(totals[i] for i in own)
    if len(own) == 1 and before.nodes[own[0]].attribute is None:
        leaf = before.nodes[own[0]]
        return same and (node.label, node.hit) == (leaf.label, leaf.hit)
    return same


def _merged_rules(after: RuleSet, before: RuleSet) -> tuple[int, int]:
    """As `_merged_leaves`, of rules: all clauses of a rule of before lie in those of one released rule."""
    inside: list[list[Node]] = [[] for _ in after.rules]
    lost = 0
    for rule in before.rules:
        homes = [
            at
            for at, other in enumerate(after.rules)
            if all(any(_clause_holds(outer, clause) for outer in other.when) for clause in rule.when)
        ]
        if homes:
            inside[homes[0]].append(rule.then)
        else:
            lost += 1
    wrong = 0
    for rule, own in zip(after.rules, inside, strict=True):
        if rule.then.counts is not None and all(node.counts is not None for node in own):
            counts = [sum(n) for n in zip(*(node.counts or () for node in own), strict=True)] or [0] * len(
                after.classes
            )
            wrong += not _tells(rule.then, counts, after.classes)
        else:
            one = len(own) != 1 or (own[0].label, own[0].hit) == (rule.then.label, rule.then.hit)
            wrong += not (one and rule.then.total == sum(node.total for node in own))
    return wrong + lost, len(after.rules)


def _clause_holds(outer: Mapping[str, Edge], inner: Mapping[str, Edge]) -> bool:
    return all(name in inner and _holds(edge, inner[name]) for name, edge in outer.items())
