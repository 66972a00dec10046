"""A set of rules as a tree: ask an attribute that tells the clauses apart, and so on within each heap.

Not every set of disjoint rules is a tree: three rules can circle round a fourth, so that no question fails to cut one
of them in two. Nor is a set that leaves part of the domain out, or a rule with clauses in different corners.
"""

from dataclasses import replace
from typing import Any

from confide.core.errors import InputError
from confide.core.trees.covering import cover
from confide.core.trees.nodes import Edge, Node
from confide.core.trees.published import PublishedTree
from confide.core.trees.rule_soundness import CellSets, heaps
from confide.core.trees.rules import RuleSet

__all__ = ["tree_of_rules"]


def tree_of_rules(rules: RuleSet) -> PublishedTree:
    """A tree with a leaf for each rule; inner nodes have the class counts of their leaves together."""
    for i, rule in enumerate(rules.rules):
        if len(rule.when) > 1:
            raise InputError("has several clauses, and a leaf has one path: no tree says it", source=f"rules[{i}]")
        if rule.then.counts is None:
            raise InputError("has no class counts, from which a tree's inner nodes follow", source=f"rules[{i}]")
    cells = CellSets(rules)
    nodes: list[Any] = [None]
    queue: list[tuple[int, list[int], dict[str, int]]] = [(0, list(range(len(rules.rules))), dict(cells.whole))]
    waiting = 0
    while waiting < len(queue):
        at, clauses, region = queue[waiting]
        waiting += 1
        if len(clauses) == 1:
            own = cells.masks[clauses[0]]
            if any(own.get(name, -1) & whole != whole for name, whole in region.items()):
                raise InputError(_GAP, source="rules")
            nodes[at] = rules.rules[clauses[0]].then
            continue
        found = {name: heaps(cells, clauses, name) for name in cells.names}
        name = max(cells.names, key=lambda each: len(found[each]), default="")
        if not name or len(found[name]) < 2:
            raise InputError("no question tells the rules apart without cutting one in two: no tree says them")
        if sum(part & region[name] for part, _ in found[name]) != region[name]:
            raise InputError(_GAP, source="rules")
        edges = []
        for part, heap in found[name]:
            edges.append(cells.edge(name, part & region[name], to=len(nodes)))
            queue.append((len(nodes), heap, {**region, name: part & region[name]}))
            nodes.append(None)
        nodes[at] = (name, edges)
    tree = PublishedTree(classes=rules.classes, attributes=rules.attributes, nodes=_summed(rules, nodes))
    # An attribute asked again has values that cannot get there; they go with the largest child, as in every tree.
    return replace(cover(tree), declared=rules.declared)


_GAP = "the rules leave part of the domain out, and a tree does not"


def _summed(rules: RuleSet, nodes: list[Any]) -> tuple[Node, ...]:
    """Inner nodes with the counts of their children."""
    made: list[Node] = list(nodes)
    for i in range(len(nodes) - 1, -1, -1):
        if isinstance(nodes[i], Node):
            continue
        name, edges = nodes[i]
        below: list[Edge] = edges
        own = [sum(column) for column in zip(*(made[edge.to].counts or () for edge in below), strict=True)]
        hit = max(own)
        made[i] = Node(
            label=rules.classes[own.index(hit)],
            hit=hit,
            miss=sum(own) - hit,
            counts=tuple(own),
            attribute=name,
            edges=tuple(below),
        )
    return tuple(made)
