"""Whether a group of rows keeps a requirement: one row at a time, in fractions."""

import math
from collections import Counter
from fractions import Fraction

from confide.core.requirements import tables as req


def group_passes(requirement, group, release, *, orders=None, names=()) -> bool:
    """`group` and `release` are lists of rows (person or None, sensitive values...); `names` are the columns' names."""
    if isinstance(requirement, req.AllOf):
        return all(group_passes(part, group, release, orders=orders, names=names) for part in requirement.parts)
    persons = group[0][0] is not None
    size = len({row[0] for row in group}) if persons else len(group)
    if isinstance(requirement, req.KAnonymity):
        return size >= requirement.k
    columns = range(1, len(group[0]))
    if isinstance(requirement, req.OthersKnown):
        for column in columns if requirement.of.column is None else [1 + names.index(requirement.of.column)]:
            others = {row[1:column] + row[column + 1 :] for row in group}
            for known in others:
                part = [(row[0], row[column]) for row in group if row[1:column] + row[column + 1 :] == known]
                whole = [(row[0], row[column]) for row in release]
                own = names[column - 1 : column]
                if not group_passes(requirement.of, part, whole, orders=orders and [orders[column - 1]], names=own):
                    return False
        return True
    return all(
        _column_passes(
            requirement,
            size,
            _counts([(row[0], row[column]) for row in group]),
            Counter(row[column] for row in release),
            len(release),
            orders and orders[column - 1],
        )
        for column in (columns if requirement.column is None else [1 + names.index(requirement.column)])
    )


def _counts(pairs):
    return Counter(value for _, value in (set(pairs) if pairs[0][0] is not None else pairs))


def _column_passes(requirement, size, counts, whole, rows, order) -> bool:
    filled, left = [], size
    for count in sorted(counts.values(), reverse=True):
        filled.append(min(count, left))
        left -= filled[-1]
    filled = [count for count in filled if count]
    top = max(counts.values())
    if isinstance(requirement, req.SimpleDiversity):
        return top * requirement.l <= size
    if isinstance(requirement, req.AlphaK):
        return size >= requirement.k and top <= Fraction(repr(requirement.alpha)) * size
    if isinstance(requirement, req.DistinctDiversity):
        return len(filled) >= requirement.l
    if isinstance(requirement, req.EntropyDiversity):
        product = math.prod(count**count for count in filled)
        return size**size >= Fraction(repr(requirement.l)) ** size * product
    if isinstance(requirement, req.RecursiveDiversity):
        return filled[0] < Fraction(repr(requirement.c)) * sum(filled[requirement.l - 1 :])
    total = sum(counts.values())
    here = {value: Fraction(counts[value], total) for value in whole}
    there = {value: Fraction(whole[value], rows) for value in whole}
    if isinstance(requirement, req.TCloseness):
        bound = Fraction(repr(requirement.t))
        if not requirement.ordered:
            return sum(abs(here[v] - there[v]) for v in whole) / 2 <= bound
        row = [value for value in order if value in whole]
        gaps = [abs(sum(here[v] - there[v] for v in row[: i + 1])) for i in range(len(row))]
        return sum(gaps) <= bound * (len(row) - 1)
    if isinstance(requirement, req.BetaLikeness):
        return all(
            here[v] <= there[v]
            or (
                here[v] / there[v] - 1 <= Fraction(repr(requirement.beta))
                and (not requirement.enhanced or float(here[v] / there[v]) - 1 <= -math.log(there[v]))
            )
            for v in whole
        )
    assert isinstance(requirement, req.DeltaDisclosure)
    return all(here[v] == 0 or abs(math.log(here[v] / there[v])) < requirement.delta for v in whole)
