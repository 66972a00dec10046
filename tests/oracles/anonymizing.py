"""Slow twin of the pruning of trees: paper 002, Figure 6, read line by line, with fractions and lists.

A tree is a `Twig`; what a node stands for is its `info`, by mode:

    exact       a list of class counts
    estimated   (class, hit, miss)
    sound       (records, bounds of the classes, estimates of the classes)
"""

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import Any


@dataclass
class Twig:
    """`edges` are the numbers of the original edges of the parent that lead here."""

    info: Any
    edges: list[int] = field(default_factory=list)
    children: list["Twig"] = field(default_factory=list)
    passed: bool | None = None


def leaf_info(label: int, hit: int, miss: int, counts: Any, m: int, mode: str) -> Any:
    """What a leaf stands for."""
    if mode == "exact":
        return list(counts)
    if mode == "estimated":
        return (label, hit, miss)
    bounds = [hit if c == label else min(hit, miss) for c in range(m)]
    rest = Fraction(miss, m - 1) if m > 1 else Fraction(0)
    return (hit + miss, bounds, [Fraction(hit) if c == label else rest for c in range(m)])


def merged(infos: list[Any], m: int, mode: str) -> Any:
    """Of several nodes as one: Equations 2 and 3, or sums."""
    if mode == "exact":
        return [sum(column) for column in zip(*infos, strict=True)]
    if mode == "sound":
        total = sum(info[0] for info in infos)
        return (total, *([sum(column) for column in zip(*(info[k] for info in infos), strict=True)] for k in (1, 2)))
    hits = []
    for c in range(m):
        own = sum(hit for label, hit, _ in infos if label == c)
        others = sum(miss for label, _, miss in infos if label != c)
        hits.append(own + (Fraction(others, m - 1) if m > 1 else 0))
    label = hits.index(max(hits))
    total = sum(hit + miss for _, hit, miss in infos)
    return (label, ceil(hits[label]), total - ceil(hits[label]))


def summary(info: Any, mode: str) -> tuple[int, int, int]:
    """(class, hit, records)."""
    if mode == "exact":
        return info.index(max(info)), max(info), sum(info)
    if mode == "estimated":
        return info[0], info[1], info[1] + info[2]
    return info[2].index(max(info[2])), ceil(max(info[2])), info[0]


def passes(info: Any, mode: str, requirement: dict[str, Any]) -> bool:
    """Definitions 2 and 3; Definitions 9, 11 and 13 as printed; or the worst case within the bounds."""
    if requirement["kind"] == "all-of":
        return all(passes(info, mode, part) for part in requirement["parts"])
    _, hit, total = summary(info, mode)
    if total == 0:
        return False
    if requirement["kind"] == "k-anonymity":
        return bool(total >= requirement["k"])
    l = requirement["l"]  # noqa: E741 - the paper's letter
    if mode == "estimated":
        miss = total - hit
        if requirement["kind"] == "simple-diversity":
            return bool(miss >= l - 1 and hit <= Fraction(total, l))
        if miss < l - 1:
            return False
        if hit == 1:
            tail = miss - (l - 2)
        else:
            q = Fraction(miss - (l - 1), hit - 1)
            tail = 1 if q <= l - 2 else miss - (l - 2) * hit
        return bool(hit < Fraction(str(requirement["c"])) * tail)
    f = sorted(info if mode == "exact" else info[1], reverse=True)
    if requirement["kind"] == "simple-diversity":
        return bool(f[0] * l <= total)
    if l > len(f):
        return False
    return bool(f[0] < Fraction(str(requirement["c"])) * (total - sum(f[: l - 1])))


def prune(root: Twig, m: int, mode: str, requirement: dict[str, Any]) -> Twig:
    """ATP: depth first, then level by level from the bottom. The root may fail in the end."""
    levels: list[list[Twig]] = []
    stack = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        if depth == len(levels):
            levels.append([])
        levels[depth].append(node)
        stack += [(child, depth + 1) for child in node.children]
    for level in reversed(levels):
        for node in level:
            if node.children:
                node.info = merged([child.info for child in node.children], m, mode)
            else:
                node.passed = passes(node.info, mode, requirement)
    for level in reversed(levels[:-1]):
        for node in level:
            if node.children:
                _visit(node, m, mode, requirement)
    return root


def _visit(node: Twig, m: int, mode: str, requirement: dict[str, Any]) -> None:
    children = list(enumerate(node.children))
    while len(children) > 1 and not all(child.passed for _, child in children):
        at, failed = max(
            (entry for entry in children if not entry[1].passed), key=lambda e: (_ratio(e[1].info, mode), -e[0])
        )

        def rules(entry: tuple[int, Twig], failed: Twig = failed) -> Any:
            number, sibling = entry
            works = passes(merged([failed.info, sibling.info], m, mode), mode, requirement)
            return (not works, bool(sibling.passed), summary(sibling.info, mode)[2], number)

        chosen = min((entry for entry in children if entry[0] != at), key=rules)
        info = merged([failed.info, chosen[1].info], m, mode)
        leaf = Twig(info, failed.edges + chosen[1].edges, [], passes(info, mode, requirement))
        children = [(at, leaf) if entry[0] == at else entry for entry in children if entry[0] != chosen[0]]
    if all(child.passed for _, child in children):
        node.passed = True
    if len(children) == 1 and (len(node.children) > 1 or not children[0][1].passed):
        node.info, node.children, node.passed = children[0][1].info, [], children[0][1].passed
    else:
        node.children = [child for _, child in children]


def _ratio(info: Any, mode: str) -> Fraction:
    _, hit, total = summary(info, mode)
    return Fraction(hit, total) if total else Fraction(0)
