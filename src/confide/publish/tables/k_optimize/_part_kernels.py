"""Kernels that bound what rows cost and lose at least, however they are divided."""

from typing import Any

import numpy as np

from confide.core.runtime.jit import kernel
from confide.publish.tables.group_tests.rule_kernels import group_ok, most_allowed
from confide.publish.tables.group_tests.rules import Rules
from confide.publish.tables.k_optimize._segment_kernels import I64


@kernel
def most_kept(size: int, hist: I64, rules: Rules) -> Any:
    """No more of these rows can be in groups that pass, however they are divided.

    The rows that are kept pass as one group too, since passing groups do when joined; so they are no more than the
    largest part of the rows that passes. By rule: no value may exceed its share of the part (shrink until none does);
    the commonest value may not exceed what the tail allows (cap every value until it does not).
    """
    kept = np.int64(size)
    for r in range(len(rules.kind)):
        kind = rules.kind[r]
        if kind == 0 or rules.known[r] >= 0:
            continue
        counts = hist[rules.first[r] : rules.last[r]]
        if kind == 1:
            part = np.int64(size)
            while part > 0:
                most = most_allowed(rules, r, part)
                possible = np.int64(0)
                for v in range(len(counts)):
                    possible += min(counts[v], most)
                if possible >= part:
                    break
                part = possible
            kept = min(kept, part)
        elif kind == 2:
            found = 0
            for v in range(len(counts)):
                found += counts[v] > 0
            if found < rules.number[r]:
                return 0
        elif kind == 4:
            falling = np.sort(counts)[::-1]
            cap = falling[0]
            while cap > 0:
                tail = np.int64(0)
                for v in range(rules.number[r] - 1, len(falling)):
                    tail += min(falling[v], cap)
                allowed = most_allowed(rules, r, tail)
                if cap <= allowed:
                    break
                cap = max(allowed, 0)
            part = np.int64(0)
            for v in range(len(falling)):
                part += min(falling[v], cap)
            kept = min(kept, part)
    for r in range(len(rules.kind)):
        if rules.kind[r] == 0 and kept < rules.number[r]:
            return 0
    return kept


@kernel
def most_alike(kept: int, rules: Rules) -> Any:
    """No more of these rows can be of the commonest first sensitive value of their group, if all groups pass.

    What a rule allows in each group adds up to no more than it allows in all of them as one.
    """
    alike = np.int64(kept)
    for r in range(len(rules.kind)):
        if rules.first[r] > 0 or rules.known[r] >= 0:
            continue
        if rules.kind[r] == 1:
            alike = min(alike, most_allowed(rules, r, kept))
        elif rules.kind[r] == 4:
            low, high = np.int64(0), alike  # the largest count that the rest of the rows, as its tail, allows
            while low < high:
                middle = (low + high + 1) // 2
                if middle <= most_allowed(rules, r, kept - middle):
                    low = middle
                else:
                    high = middle - 1
            alike = low
    return alike


@kernel
def part_bound(
    size: int, least: int, hist: I64, rules: Rules, discern: bool, total: int, strict: bool, same: bool
) -> Any:
    """What rows cost at least and how many are lost at least, however they are divided.

    `least` is what their finest parts cost together if none of them is lost. With `strict` nothing may be lost: rows
    that fail together have a part that fails, however they are divided. With `same` the classes are the first
    sensitive values.
    """
    if strict:
        kept = np.int64(size) if group_ok(rules, size, hist) else np.int64(0)
    else:
        kept = np.int64(most_kept(size, hist, rules))
    lost = size - kept
    if discern:
        return max(least, lost * total), lost
    if same:
        return max(least, size - most_alike(kept, rules)), lost
    return max(least, lost), lost


@kernel
def finest_cost(size: int, majority: int, fewest: int, discern: bool) -> int:
    """What rows that stay together cost at least, if they are kept."""
    return size * max(size, fewest) if discern else size - majority
