"""Verify k-anonymity and diversity of a published decision tree, leaf by leaf.

A leaf stands for the records that end there, as a group does in a table; its classes are the sensitive values. What
can be proved depends on what the leaf says:

    counts of all classes      Definition 3, exactly
    (class, hit, miss) only    the worst case that fits: hit < c (miss - (l - 2) hit), paper 002 erratum 2
    the same, and the passport's context says "estimated": true
                               Definition 11 as printed, which assumes that l classes occur; named "estimated",
                               and the passport must say that it rests on an estimate

Source: paper 002, Definitions 9, 11 and 13, with errata 1 and 2.
"""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from confide.core.checks import Check, Findings
from confide.core.figures import Figure, Figures
from confide.core.requirements import KAnonymity, RecursiveDiversity, SimpleDiversity

if TYPE_CHECKING:
    from confide.core.trees.published import Node, PublishedTree

__all__ = ["diversity_of_tree", "find_in_leaves", "k_anonymity_of_tree"]


def find_in_leaves(leaves: "Sequence[Node]", *, shares: bool = False, rules: bool = False) -> Findings:
    """What the leaves of a tree (or the outcomes of rules) say together: how many, how large, how often right."""
    one, several = ("rule", "rules") if rules else ("leaf", "leaves")
    many, total, smallest = len(leaves), sum(leaf.total for leaf in leaves), min(leaf.total for leaf in leaves)
    right = sum(leaf.hit for leaf in leaves) / total if total else 0.0
    what = f"{many:,} {one if many == 1 else several}"
    figures = [
        Figure(several, many, "count", one if many == 1 else several),
        Figure("share_right", right, "share", f"of the records have the class of their {one}"),
    ]
    if not shares:  # shares say nothing about how many records there are
        figures.insert(1, Figure("smallest_leaf", smallest, "count", f"records of the smallest {one}"))
        what += f", the smallest of {smallest:,} records" if many > 1 else f" of {smallest:,} records"
    percent = math.floor(100 * right + 1e-9)
    sentence = f"{'' if rules else 'A tree of '}{what}; the class of a {one} is right for at least {percent}% of them."
    if shares:
        sentence = sentence.replace("of them", "of the records")
    return Findings(sentence=sentence, figures=Figures(*figures))


def k_anonymity_of_tree(tree: "PublishedTree", requirement: KAnonymity) -> Iterator[Check]:
    """Each leaf, and the records that stop at an inner node, are at least k (Definition 9)."""
    yield from _sound(tree)
    yield _all_pass("k-anonymity", tree, [node.total >= requirement.k for node in _leaves(tree)], f"k={requirement.k}")
    stranded = [left for left in _left_behind(tree) if 0 < left < requirement.k]
    yield Check(
        name="k-anonymity of what no leaf holds",
        ok=not stranded,
        detail=f"{len(stranded)} inner nodes have up to {max(stranded)} records more than their children"
        if stranded
        else "",
    )


def diversity_of_tree(
    tree: "PublishedTree", requirement: SimpleDiversity | RecursiveDiversity, *, estimated: bool = False
) -> Iterator[Check]:
    """The classes at each leaf are diverse; see above for what that means without counts."""
    yield from _sound(tree)
    m = len(tree.classes)
    yield Check(
        name="as many classes as the promise needs",
        ok=requirement.l <= m,
        detail=f"l={requirement.l}, and the tree has {m} class{'es' * (m != 1)}",
    )
    leaves = _leaves(tree)
    if isinstance(requirement, SimpleDiversity):
        name, parameters = "simple diversity of the class", f"l={requirement.l}"
        ok = [_simple(node, requirement) for node in leaves]
    else:
        name, parameters = "recursive diversity of the class", f"c={requirement.c:g}, l={requirement.l}"
        ok = [_recursive(node, requirement, estimated=estimated) for node in leaves]
    if any(node.counts is None for node in leaves):
        name += ", estimated" if estimated else ", from hit and miss"
    yield _all_pass(name, tree, ok, parameters)


def _simple(node: "Node", requirement: SimpleDiversity) -> bool:
    """Definition 3 on counts, Definition 13 without; a leaf that holds nobody passes neither."""
    top = max(node.counts) if node.counts else node.hit
    return node.miss >= requirement.l - 1 and top * requirement.l <= node.total


def _recursive(node: "Node", requirement: RecursiveDiversity, *, estimated: bool) -> bool:
    if node.counts is not None:
        f = sorted(node.counts, reverse=True)
        return requirement.most_frequent_allowed(top=f[0], tail=sum(f[requirement.l - 1 :]))
    tail = node.miss - (requirement.l - 2) * node.hit
    if estimated:
        tail = max(1, tail)
    enough = node.hit > 0 and node.miss >= requirement.l - 1
    return enough and requirement.most_frequent_allowed(top=node.hit, tail=tail)


def _sound(tree: "PublishedTree") -> Iterator[Check]:
    """The numbers can be those of real records; a tree that contradicts itself proves nothing."""
    m = len(tree.classes)
    leaves = _leaves(tree)
    wrong = [node for node in leaves if node.hit * m < node.total or max(node.counts or (0,)) > node.hit]
    yield Check(
        name="the class of each leaf is its commonest",
        ok=not wrong,
        detail=f"{len(wrong)} leaves have too small a hit" if wrong else f"{len(leaves):,} leaves",
        findings=find_in_leaves(leaves, shares=tree.shares_of is not None),
    )
    over = sum(left < 0 for left in _left_behind(tree))
    yield Check(
        name="records add up",
        ok=over == 0,
        detail=f"{over} inner nodes have fewer records than their children" if over else "",
    )


def _left_behind(tree: "PublishedTree") -> list[int]:
    """For each inner node that gives its records, how many of them no child has."""
    return [
        node.total - sum(tree.nodes[edge.to].total for edge in node.edges)
        for node in tree.nodes
        if not node.is_leaf and node.total
    ]


def _leaves(tree: "PublishedTree") -> "list[Node]":
    return [node for node in tree.nodes if node.is_leaf]


def _all_pass(name: str, tree: "PublishedTree", ok: Sequence[bool], parameters: str) -> Check:
    smallest = min(node.total for node in _leaves(tree))
    shape = f"{len(ok):,} lea{'ves' if len(ok) != 1 else 'f'}, the smallest of {smallest:,} records"
    failing = f"{len(ok) - sum(ok):,} of {shape}, fail" if not all(ok) else shape
    return Check(name=name, ok=all(ok), detail=f"{parameters}: {failing}")
