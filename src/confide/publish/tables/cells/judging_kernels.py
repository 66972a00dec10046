"""Kernels that put the groups of cells to a test, one histogram after the other."""

import numpy as np

from confide.core.runtime.jit import kernel
from confide.publish.tables.cells.grouping_kernels import I32, I64, Flags
from confide.publish.tables.cells.tokens import Tokens
from confide.publish.tables.group_tests.rule_kernels import group_ok
from confide.publish.tables.group_tests.rules import Rules


@kernel
def histogram(
    mark: int,
    cells: I32,
    low: int,
    high: int,
    tokens: Tokens,
    seen: I64,
    hist: I64,
) -> int:
    """Fill `hist` with what is in the cells from place `low` to `high`; returns their persons (0 unless `distinct`).

    Each token counts in its slot of the histogram; the slot past the end counts persons. Where a token counts once,
    `seen` remembers the `mark` of the last call that met it, different for each.
    """
    hist[:] = 0
    width = len(hist)
    persons = 0
    for c in range(low, high):
        cell = cells[c]
        for e in range(tokens.ptr[cell], tokens.ptr[cell + 1]):
            token = tokens.tokens[e]
            amount = tokens.counts[e]
            if tokens.distinct:
                if seen[token] == mark:
                    continue
                seen[token] = mark
                amount = np.int64(1)
            if tokens.slot[token] < width:
                hist[tokens.slot[token]] += amount
            else:
                persons += 1
    return persons


@kernel
def judge(start: I64, order: I32, sizes: I64, tokens: Tokens, rules: Rules) -> Flags:
    """Which groups pass a test; where tokens count once their sizes are persons, else rows."""
    ok = np.empty(len(sizes), np.bool_)
    hist = np.empty(tokens.width, np.int64)
    seen = np.full(len(tokens.slot) if tokens.distinct else 0, -1, np.int64)
    fewest = np.int64(0)
    for r in range(len(rules.kind)):
        if rules.kind[r] == 0:
            fewest = max(fewest, rules.number[r])
    for g in range(len(sizes)):
        if sizes[g] < fewest:  # rows; persons are no more
            ok[g] = False
            continue
        persons = histogram(g, order, start[g], start[g + 1], tokens, seen, hist)
        ok[g] = group_ok(rules, persons if tokens.distinct else sizes[g], hist)
    return ok
