"""Slow twin of growing a tree under a requirement: paper 002, section 6.2, with lists and plain loops.

A grown tree is a list of class counts (a leaf), or (counts, column, [(answer, subtree), ...]); an answer is the set of
categories, or (lowest, highest) of the numbers that went there.
"""

import math
from itertools import pairwise
from typing import Any

from tests.oracles.anonymizing import Twig, passes, prune


def mass(counts: list[int], scale: float) -> int:
    """Entropy in bits times records, in units of 1 / scale, each term rounded."""

    def term(n: int) -> int:
        return math.floor(n * math.log2(n) * scale + 0.5) if n > 1 else 0

    return term(sum(counts)) - sum(term(n) for n in counts)


def counted(rows: list[int], y: list[int], m: int) -> list[int]:
    """How many of each class."""
    return [sum(y[r] == c for r in rows) for c in range(m)]


def grow(
    columns: list[tuple[bool, list[Any]]], y: list[int], m: int, requirement: dict[str, Any], merge: bool, scale: float
) -> Any:
    """The tree of all records; columns are (numeric, values)."""

    def splits(rows: list[int], numeric: bool, values: list[Any]) -> Any:
        """Ways to split these records by one column: [(answer, records), ...] each."""
        present = sorted({values[r] for r in rows})
        if numeric:
            for low, high in pairwise(present):
                yield [
                    ((present[0], low), [r for r in rows if values[r] <= low]),
                    ((high, present[-1]), [r for r in rows if values[r] >= high]),
                ]
            return
        parts = [({v}, [r for r in rows if values[r] == v]) for v in present]
        if merge and len(parts) > 1:
            twigs = [Twig(counted(part, y, m), [i]) for i, (_, part) in enumerate(parts)]
            root = prune(Twig(None, [], twigs), m, "exact", requirement)
            if not root.children:
                return
            parts = [
                (set().union(*(parts[i][0] for i in t.edges)), sorted(r for i in t.edges for r in parts[i][1]))
                for t in root.children
            ]
        yield parts

    def visit(rows: list[int]) -> Any:
        counts = counted(rows, y, m)
        best, how = 0, None
        for j, (numeric, values) in enumerate(columns):
            for parts in splits(rows, numeric, values):
                tables = [counted(part, y, m) for _, part in parts]
                if len(parts) < 2 or not all(passes(table, "exact", requirement) for table in tables):
                    continue
                gain = (mass(counts, scale) - sum(mass(table, scale) for table in tables) + 2048) >> 12
                if gain > best:
                    best, how = gain, (j, parts)
        if how is None:
            return counts
        return (counts, how[0], [(answer, visit(part)) for answer, part in how[1]])

    return visit(list(range(len(y))))
