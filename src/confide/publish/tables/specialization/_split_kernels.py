"""Kernels of top-down specialisation: what every possible division does to the groups, and one division made."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.publish.tables.cells.judging_kernels import histogram
from confide.publish.tables.cells.tokens import Tokens
from confide.publish.tables.group_tests.rule_kernels import group_ok
from confide.publish.tables.group_tests.rules import Rules

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Flags = NDArray[np.bool_]


class LeafSplits(NamedTuple):
    """Divisions to be judged: `split[base[j] + leaf]` is the one of a leaf of column j, or -1; `child` the part that
    the leaf would go to. There are `number` of them, none with more parts than `most_children`."""

    base: I64
    split: I32
    child: I32
    number: int
    most_children: int


@kernel
def judge_splits(
    codes: I32, rows: I64, start: I64, order: I32, ok: Flags, splits: LeafSplits, tokens: Tokens, rules: Rules
) -> tuple[I64, I64]:
    """For each split: the smallest group it makes that passes (a large number if none), and rows that it loses more.

    `codes` and `rows` are the cells; group g is the cells `order[start[g] : start[g + 1]]`, and `ok[g]` says whether it
    passes undivided. All cells of a group have the same value in a column, so a split divides all of it or nothing.
    """
    base, child = splits.base, splits.child
    smallest = np.full(splits.number, np.int64(1) << 62, np.int64)
    lost = np.zeros(splits.number, np.int64)
    seen = np.full(len(tokens.slot) if tokens.distinct else 0, -1, np.int64)
    hist = np.empty(tokens.width, np.int64)
    largest = np.int64(0)
    for g in range(len(start) - 1):
        largest = max(largest, start[g + 1] - start[g])
    part = np.empty(largest, np.int32)
    size = np.empty(splits.most_children, np.int64)
    visit = 0
    for g in range(len(start) - 1):
        for j in range(codes.shape[1]):
            s = splits.split[base[j] + codes[order[start[g]], j]]
            if s < 0:
                continue
            size[:] = 0
            whole = np.int64(0)
            for x in range(start[g], start[g + 1]):
                cell = order[x]
                size[child[base[j] + codes[cell, j]]] += rows[cell]
                whole += rows[cell]
            before = np.int64(0) if ok[g] else whole
            after = np.int64(0)
            for c in range(splits.most_children):
                if size[c] == 0:
                    continue
                n = np.int64(size[c])
                if size[c] == whole:
                    passes = ok[g]
                elif tokens.distinct or tokens.width:
                    held = 0
                    for x in range(start[g], start[g + 1]):
                        if child[base[j] + codes[order[x], j]] == c:
                            part[held] = order[x]
                            held += 1
                    persons = histogram(visit, part, 0, held, tokens, seen, hist)
                    visit += 1
                    passes = group_ok(rules, persons if tokens.distinct else n, hist)
                else:
                    passes = group_ok(rules, n, hist)
                if passes:
                    smallest[s] = min(smallest[s], n)
                else:
                    after += n
            lost[s] += after - before
    return smallest, lost
