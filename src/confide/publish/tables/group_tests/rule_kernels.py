"""One group against the rules: its size, and how often each sensitive value stands in it."""

from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.publish.tables.group_tests.rules import Rules

I64 = NDArray[np.int64]

_DOUBT = 1e-12


@kernel
def group_ok(rules: Rules, size: int, hist: I64) -> bool:
    """Whether a group of `size` rows (or persons) with this histogram keeps every rule. An empty group does."""
    if size == 0:
        return True
    for r in range(len(rules.kind)):
        if rules.known[r] >= 0:
            if not _others_known_ok(rules, r, hist):
                return False
        elif rules.kind[r] == 0:
            if size < rules.number[r]:
                return False
        elif not _rule_ok(rules, r, size, hist[rules.first[r] : rules.last[r]]):
            return False
    return True


@kernel
def _others_known_ok(rules: Rules, r: int, hist: I64) -> bool:
    """The rule asked of the rows that agree in the other sensitive columns, one set of them after the other."""
    c = rules.known[r]
    counts = np.zeros(rules.last[r] - rules.first[r], np.int64)
    size = np.int64(0)
    n = rules.segment.shape[1]
    for i in range(n):
        count = hist[rules.entry[c, i]]
        counts[rules.value[c, i]] += count
        size += count
        if i + 1 == n or rules.segment[c, i + 1] != rules.segment[c, i]:
            if size > 0 and not _rule_ok(rules, r, size, counts):
                return False
            counts[:] = 0
            size = np.int64(0)
    return True


@kernel
def _rule_ok(rules: Rules, r: int, size: int, counts: I64) -> bool:
    kind = rules.kind[r]
    at = rules.at[r]
    if kind == 0:
        return bool(size >= rules.number[r])
    if kind == 1:
        return counts.max() <= most_allowed(rules, r, size)
    if kind == 2:
        return _distinct_ok(counts, size, rules.number[r], rules.persons)
    if kind == 3:
        return _entropy_ok(counts, size, rules.real[r], rules.most[at], rules.most[at + 1], rules.persons)
    if kind == 4:
        top, tail = _top_and_tail(counts, size, rules.number[r])
        return top <= most_allowed(rules, r, tail)
    if kind == 5:
        return _equal_distance(rules, r, counts) <= most_allowed(rules, r, _sum(counts))
    if kind == 6:
        return _ordered_distance(rules, r, counts) <= most_allowed(rules, r, _sum(counts))
    if kind == 7:
        return _ratios_ok(rules, r, size, counts)
    if counts[0] < 0:  # nobody counted
        return True
    bound = rules.most[at + min(np.int64(size), rules.number[r])]
    return bool(counts[0] >= bound) if kind == 8 else bool(counts[0] <= bound)


@kernel
def most_allowed(rules: Rules, r: int, n: int) -> Any:
    """What a rule allows in a group of n rows, exactly."""
    if rules.over[r] > 0:
        return (rules.factor[r] * n - rules.less[r]) // rules.over[r]
    return rules.most[rules.at[r] + n]


@kernel
def _sum(counts: I64) -> np.int64:
    total = np.int64(0)
    for v in range(len(counts)):
        total += counts[v]
    return total


@kernel
def _top_and_tail(counts: I64, size: int, l: int) -> tuple[np.int64, np.int64]:  # noqa: E741 - the paper's letter
    """The count of the commonest value, and the rows left beside the l - 1 commonest ones."""
    top = np.int64(0)
    left = np.int64(size)
    # one value after the other, commonest first, ties by place
    count, place = np.int64(1) << 62, -1
    for j in range(l - 1):
        best, where = np.int64(-1), -1
        for v in range(len(counts)):
            later = counts[v] < count or (counts[v] == count and v > place)
            if later and counts[v] > best:
                best, where = counts[v], v
        if best <= 0:
            break
        if j == 0:
            top = best
        left -= best
        count, place = best, where
        if left <= 0:
            return top, np.int64(0)
    return top, left


@kernel
def _distinct_ok(counts: I64, size: int, l: int, persons: bool) -> bool:  # noqa: E741 - the paper's letter
    if persons:  # a person with several values can be told by any of them: the commonest l - 1 must not cover all
        return l <= 1 or _top_and_tail(counts, size, l)[1] > 0
    found = 0
    for v in range(len(counts)):
        if counts[v] > 0:
            found += 1
            if found >= l:
                return True
    return False


@kernel
def _entropy_ok(counts: I64, size: int, log_l: float, above: int, below: int, persons: bool) -> bool:
    """n log n - sum f log f >= n log l; where floats cannot tell, only if both sides are the same number."""
    held = counts
    if persons:  # commonest first, each person counted once
        held = np.sort(counts)[::-1].copy()
        left = np.int64(size)
        for v in range(len(held)):
            held[v] = min(held[v], left)
            left -= held[v]
    spare = size * (log(size) - log_l)
    for v in range(len(held)):
        if held[v] > 1:
            spare -= held[v] * log(held[v])
    doubt = _DOUBT * (1 + size * log(size))
    if abs(spare) > doubt:
        return spare > 0
    return below > 0 and _same_powers(held, size, above, below)


@kernel
def _exponent(number: int, prime: int) -> int:
    found = 0
    while number % prime == 0 and number > 0:
        number //= prime
        found += 1
    return found


@kernel
def _balance(counts: I64, size: int, above: int, below: int, prime: int) -> int:
    """The exponent of a prime in (size * below / above)**size / product of f**f."""
    total = size * (_exponent(size, prime) + _exponent(below, prime) - _exponent(above, prime))
    for v in range(len(counts)):
        if counts[v] > 1:
            total -= counts[v] * _exponent(counts[v], prime)
    return total


@kernel
def _same_powers(counts: I64, size: int, above: int, below: int) -> bool:
    """Whether (size * below)**size = above**size * product of f**f: the same exponent of every prime."""
    for which in range(3 + len(counts)):
        number = np.int64(0)
        if which == 0:
            number = np.int64(size)
        elif which == 1:
            number = np.int64(above)
        elif which == 2:
            number = np.int64(below)
        else:
            number = counts[which - 3]
        prime = 2
        while prime * prime <= number:
            if number % prime == 0:
                if _balance(counts, size, above, below, prime) != 0:
                    return False
                while number % prime == 0:
                    number //= prime
            prime += 1
        if number > 1 and _balance(counts, size, above, below, number) != 0:
            return False
    return True


@kernel
def _equal_distance(rules: Rules, r: int, counts: I64) -> np.int64:
    n = _sum(counts)
    start = rules.first[r]
    total = np.int64(0)
    for v in range(len(counts)):
        total += abs(counts[v] * rules.total - n * rules.reference[start + v])
    return total


@kernel
def _ordered_distance(rules: Rules, r: int, counts: I64) -> np.int64:
    n = _sum(counts)
    start = rules.first[r]
    total = np.int64(0)
    moved = np.int64(0)
    for i in range(len(counts)):
        v = rules.order[start + i]
        if rules.reference[start + v] > 0:  # values that are not released are no step on the way
            moved += counts[v] * rules.total - n * rules.reference[start + v]
            total += abs(moved)
    return total


@kernel
def _ratios_ok(rules: Rules, r: int, size: int, counts: I64) -> bool:
    """Each value that occurs is between `low` and `high` times as common as in the reference."""
    start, at = rules.first[r], rules.at[r]
    for v in range(len(counts)):
        if counts[v] == 0:
            continue
        found = float(counts[v]) * rules.total
        even = float(size) * rules.reference[start + v]
        if found > even * rules.high[at + v] * (1 - _DOUBT):
            if rules.below[at + v] == 0 or found > even * rules.high[at + v] * (1 + _DOUBT):
                return False
            # the bound is a ratio of whole numbers: f N b <= n F a, by division first so that nothing overflows
            if not _product_at_most(
                counts[v] * rules.total,
                rules.below[at + v],
                size * rules.reference[start + v],
                rules.above[at + v],
            ):
                return False
        if found < even * rules.low[at + v] * (1 + _DOUBT):
            return False
    return True


@kernel
def _product_at_most(a: int, b: int, c: int, d: int) -> bool:
    """Whether a * b <= c * d, for whole numbers with b and d above 0: a/d against c/b as continued fractions."""
    while True:
        x, y = a // d, c // b
        if x != y:
            return x < y
        a, c = a - x * d, c - y * b
        if a == 0:
            return True
        if c == 0:
            return False
        a, d, c, b = b, c, d, a  # a/d <= c/b, both below 1, is b/c <= d/a
