"""Owners must agree beforehand on classes, attributes, domains and bins; this says where they do not."""

from collections.abc import Sequence

from confide.core.errors import InputError, UsageError
from confide.core.trees.nodes import Attribute
from confide.core.trees.published import PublishedTree

__all__ = ["check_agreement", "differences"]

_SHOWN = 5


def check_agreement(trees: Sequence[PublishedTree]) -> None:
    """Raise InputError unless all trees speak of the same classes and attributes, with the same domains.

    Order matters too: it gives counts their meaning. The error lists how each tree differs from the first.
    """
    if not trees:
        raise UsageError("no tree is given; a global model needs at least one")
    for number, tree in enumerate(trees[1:], start=2):
        found = differences(trees[0], tree)
        if found:
            more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
            raise InputError(
                f"tree {number} does not fit tree 1: {'; '.join(found[:_SHOWN])}{more}. Owners must declare the same "
                "classes and attributes before they learn"
            )


def differences(first: PublishedTree, other: PublishedTree) -> list[str]:
    """What differs between the declarations of two trees, one line each."""
    lines = _listed("class", first.classes, other.classes)
    names, others = ([attribute.name for attribute in tree.attributes] for tree in (first, other))
    lines += _listed("attribute", names, others)
    for name in names:
        if name in others:
            lines += _differences(first.attribute(name), other.attribute(name))
    return lines


def _differences(first: Attribute, other: Attribute) -> list[str]:
    if first.kind != other.kind:
        return [f"{first.name!r} is {other.kind}, not {first.kind}"]
    if first.kind == "numeric":
        if first.whole != other.whole:
            return [f"the numbers of {first.name!r} are declared whole in one of them only"]
        same = first.bins == other.bins
        return [] if same else [f"{first.name!r} has the bins {_bins(other)}, not {_bins(first)}"]
    return _listed(f"value of {first.name!r}:", first.values, other.values)


def _listed(what: str, first: Sequence[object], other: Sequence[object]) -> list[str]:
    lacking = [value for value in first if value not in other]
    extra = [value for value in other if value not in first]
    lines = [f"no {what} {value!r}" for value in lacking] + [f"further {what} {value!r}" for value in extra]
    if not lines and list(first) != list(other):
        lines.append(f"the same {what.rstrip(':')} entries in another order")
    return lines


def _bins(attribute: Attribute) -> str:
    return ", ".join(f"{edge:g}" for edge in attribute.bins) or "(none)"
