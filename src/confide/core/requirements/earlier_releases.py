"""What the passport of a release says that is built on earlier ones: the joint promise, and what is still open.

Its context names them: {"after": {"releases": [sha256, ...], "values": how many sensitive values stay possible}}.
"""

import re
from collections.abc import Mapping
from typing import Any

from confide.core.requirements.base import PassportWords

__all__ = ["JOINT_PROOF", "earlier_releases", "fault_of_after", "values_together", "with_joint_promise"]

_OTHERS = "someone who compares it with releases about the same people that it does not name"
_CHOICE = "what the choice of newcomers tells, who took the places of people who left: nearer ones had other values"
_CHANCE = "guessing a {value} better, where one that several earlier groups have in common is common there"
_COMPARING = (
    "being certain of a {value} by comparing it with the releases that it names, even for someone who knows "
    "everybody's groups in all of them, who came and who left"
)
JOINT_PROOF = "what it promises together with the releases it names; the owner's ledger can: confide ledger check"
_HASH = re.compile(r"[0-9a-f]{64}")


def earlier_releases(context: Mapping[str, Any]) -> tuple[str, ...]:
    """The hashes of the releases that a passport's context says it is built on, in order; none where it is faulty."""
    return () if fault_of_after(context) else tuple(context.get("after", {}).get("releases", ()))


def values_together(context: Mapping[str, Any]) -> int:
    """How many sensitive values a passport says stay possible together with the releases it names; 1 where it promises
    nothing together."""
    return int(context["after"]["values"]) if earlier_releases(context) else 1


def fault_of_after(context: Mapping[str, Any]) -> str:
    """What is wrong with what a context says of earlier releases; empty where nothing is, or where it says nothing."""
    if "after" not in context:
        return ""
    after = context["after"]
    if not isinstance(after, Mapping) or set(after) != {"releases", "values"}:
        return "it says neither which nor what together"
    releases, values = after["releases"], after["values"]
    if (
        not isinstance(releases, list)
        or not releases
        or not all(isinstance(r, str) and _HASH.fullmatch(r) for r in releases)
    ):
        return "a release is named by its sha256"
    if len(set(releases)) < len(releases):
        return "it names a release twice"
    if isinstance(values, bool) or not isinstance(values, int) or values < 1:
        return "a number of values is 1 or more"
    return ""


def with_joint_promise(
    words: PassportWords, context: Mapping[str, Any], *, value: str, values: str, several: str
) -> PassportWords:
    """The words of a release that is built on earlier ones; the same words where it is not.

    `several` is the limit that the joint promise takes the place of; `value` and `values` name what is sensitive.
    """
    names = earlier_releases(context)
    if not names:
        return words
    left = context["after"]["values"]
    open_still = [_OTHERS if text == several else text for text in words.does_not_stop]
    if left < 2:
        return words._replace(does_not_stop=(*open_still, several))
    which = (
        "the earlier release that it names" if len(names) == 1 else f"the {len(names)} earlier releases that it names"
    )
    promise = f"{words.promise} Together with {which}, at least {left} {values} stay possible for everybody in them."
    return PassportWords(
        promise, (*words.stops, _COMPARING.format(value=value)), (*open_still, _CHOICE, _CHANCE.format(value=value))
    )
