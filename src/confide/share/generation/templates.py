"""The paths of a published tree as templates: what a row of a path may hold in each attribute (Figure 8 of paper 002).

    leaf 3:  A in {a1}, B in {b4, b5}         C and D are absent: any value of their domains
                 |
    lists of A:  0 = the whole domain, 1 = {a1}, ...      list_of[A][leaf 3] = 1

Lists that several leaves have in common are kept once.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.core.trees.nodes import Attribute, Interval, Value, intersect
from confide.core.trees.published import PublishedTree

__all__ = ["Choices", "choices_of", "class_weights", "leaf_parts"]

I32: TypeAlias = NDArray[np.int32]
I64: TypeAlias = NDArray[np.int64]
F64: TypeAlias = NDArray[np.float64]
Condition: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True)
class Choices:
    """One attribute: `list_of[leaf]` is the number of a list, 0 (the whole domain) where the path does not ask for it.

    List c has size[c] entries from first[c] on: codes of a categorical attribute, or intervals (lows, highs] of a
    numeric one.
    """

    attribute: Attribute
    list_of: I32
    first: I64
    size: I64
    codes: I32
    lows: F64
    highs: F64

    @property
    def absent(self) -> NDArray[np.bool_]:
        """For each leaf, whether its path does not ask about this attribute."""
        return np.asarray(self.list_of == 0)


def choices_of(tree: PublishedTree, *, held: Mapping[str, Condition] | None = None) -> list[Choices]:
    """What the rows of each leaf may hold, attribute by attribute; leaves in the order of `tree.paths()`.

    `held` is what somebody has of an attribute: a condition leaves out the rest, unless nothing would be left.
    """
    paths = [path.conditions for path in tree.paths()]
    somebody = held or {}
    return [
        _choices(attribute, [path.get(attribute.name) for path in paths], somebody.get(attribute.name))
        for attribute in tree.attributes
    ]


def _choices(attribute: Attribute, conditions: Sequence[Any], held: Condition | None) -> Choices:
    whole = _domain(attribute)
    lists: dict[tuple[Any, ...], int] = {whole: 0}
    list_of = np.zeros(len(conditions), dtype=np.int32)
    for leaf, condition in enumerate(conditions):
        if condition is not None:
            # A condition that leaves nothing (of a path nobody can take) still needs a list of its own.
            entries = (
                _clipped(attribute, condition if held is None else _narrow_condition(attribute, condition, held))
                or whole
            )
            list_of[leaf] = lists.setdefault((*entries, "asked"), len(lists))
    kept = [tuple(entry for entry in entries if entry != "asked") for entries in lists]
    sizes = np.array([len(entries) for entries in kept], dtype=np.int64)
    flat = [entry for entries in kept for entry in entries]
    numeric = attribute.kind == "numeric"
    code = {value: place for place, value in enumerate(attribute.values)}
    return Choices(
        attribute=attribute,
        list_of=list_of,
        first=np.cumsum(sizes) - sizes,
        size=sizes,
        codes=np.array([] if numeric else [code[value] for value in flat], dtype=np.int32),
        lows=np.array([low for low, _ in flat] if numeric else [], dtype=np.float64),
        highs=np.array([high for _, high in flat] if numeric else [], dtype=np.float64),
    )


def _domain(attribute: Attribute) -> tuple[Value, ...] | tuple[Interval, ...]:
    if attribute.kind == "categorical":
        if not attribute.values:
            raise InputError(f"attribute {attribute.name!r} has an empty domain, so no row can be made")
        return attribute.values
    if len(attribute.bins) < 2 or not all(map(math.isfinite, (attribute.bins[0], attribute.bins[-1]))):
        raise InputError(
            f"attribute {attribute.name!r} is numeric and declares no bounds, so no row can be made; "
            "the owner must declare its bins"
        )
    return ((attribute.bins[0], attribute.bins[-1]),)


def _narrow_condition(attribute: Attribute, condition: Condition, held: Condition) -> Condition:
    """What somebody has of the condition; the condition where that is nothing."""
    if attribute.kind == "categorical":
        return tuple(value for value in condition if value in held) or condition
    return intersect(condition, held) or condition


def _clipped(attribute: Attribute, condition: tuple[Any, ...]) -> tuple[Any, ...]:
    """The condition within the declared domain."""
    if attribute.kind == "categorical":
        return condition
    low, high = attribute.bins[0], attribute.bins[-1]
    within = ((max(low, a), min(high, b)) for a, b in condition)
    return tuple((a, b) for a, b in within if a < b)


def leaf_parts(tree: PublishedTree) -> F64:
    """The part of the declared domain that each leaf stands for, 1 in all; leaves in the order of `tree.paths()`."""
    parts: F64 = np.ones(len(tree.leaves()))
    for choices in choices_of(tree):
        wide = choices.highs - choices.lows if choices.attribute.kind == "numeric" else np.ones(len(choices.codes))
        held = np.array([wide[a : a + n].sum() for a, n in zip(choices.first, choices.size, strict=True)])
        parts *= (held / held[0])[choices.list_of]
    return parts


def class_weights(tree: PublishedTree, rest: Sequence[float] | None = None) -> F64:
    """How many rows of each class each leaf stands for; leaves in the order of `tree.paths()`.

    Where a leaf says only hit and miss, the misses are shared among the other classes: evenly, or in proportion to
    `rest`, the known shares of all classes.
    """
    shares = np.ones(len(tree.classes)) if rest is None else np.asarray(rest, dtype=np.float64)
    if shares.shape != (len(tree.classes),) or not np.isfinite(shares).all() or (shares < 0).any():
        raise InputError(f"rest must give a share of 0 or more for each of the {len(tree.classes)} classes")
    weights = []
    for path in tree.paths():
        node = path.node
        if node.counts is not None:
            weights.append(np.array(node.counts, dtype=np.float64))
            continue
        place = tree.class_places[node.label]
        others = shares.copy()
        others[place] = 0.0
        if others.sum() == 0:  # nothing is known about the other classes: all alike
            others = np.ones(len(shares))
            others[place] = 0.0
        row = node.miss * others / max(others.sum(), 1e-300)
        row[place] = node.hit
        weights.append(row)
    return np.array(weights)
