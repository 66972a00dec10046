"""People of a population beside a table, one person at a time."""

from collections import Counter
from fractions import Fraction
from math import floor

from confide.core.requirements import tables as req

__all__ = ["chance", "judge_levels", "keeps"]


def chance(rows: int, weight: Fraction, terms: int = 4000) -> float:
    """The mean of 1/F, F trials bringing the first `rows` successes, each with chance rows/weight: term by term."""
    p = float(Fraction(rows) / weight)
    if p >= 1:
        return 1 / rows
    term, total = p**rows, 0.0
    for tried in range(rows, rows + terms):
        total += term / tried
        term *= (1 - p) * tried / (tried - rows + 1)
    return total


def keeps(part, members, people: int, weight: Fraction | None = None) -> bool:
    """Whether a group of these members (sensitive values), fitted by so many people, keeps a requirement."""
    if isinstance(part, req.KAnonymity):
        return len(members) >= part.k
    if isinstance(part, req.DistinctDiversity):
        return len(set(members)) >= part.l
    if isinstance(part, req.KMap):
        return people >= part.k
    if isinstance(part, req.DeltaPresence):
        share = Fraction(len(members), people) if people else Fraction(2)
        return Fraction(repr(part.low)) <= share <= Fraction(repr(part.high))
    if isinstance(part, req.KMapByWeight):
        return len(members) >= part.k or chance(len(members), weight) <= 1 / part.k
    raise AssertionError(part)


def judge_levels(rows, people, chains, levels, parts, suppress) -> tuple[bool, int]:
    """Whether the table recoded to these levels may be released, and how many rows are left out.

    `rows` are (quasi-identifiers, sensitive value, weight), `people` quasi-identifiers; `chains[j][value]` is what a
    value of column j becomes at each level.
    """

    def label(values):
        return tuple(chains[j][value][levels[j]] for j, value in enumerate(values))

    groups: dict = {}
    for values, sensitive, weight in rows:
        groups.setdefault(label(values), []).append((sensitive, weight))
    fit = Counter(map(label, people))
    failing = {
        name: len(group)
        for name, group in groups.items()
        if not all(keeps(part, [s for s, _ in group], fit[name], sum(w for _, w in group)) for part in parts)
    }
    least = max((part.low for part in parts if isinstance(part, req.DeltaPresence)), default=0)
    out = len(rows) if least and (failing or set(fit) - set(groups)) else sum(failing.values())
    return out <= floor(Fraction(repr(suppress)) * len(rows)) and out < len(rows), out
