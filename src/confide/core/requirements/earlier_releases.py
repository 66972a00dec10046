"""What the passport of a release says that is built on earlier ones: the joint promise, and what is still open.

Its context names them: {"after": {"releases": [sha256, ...], "values": how many sensitive values stay possible}}; of
baskets {"after": {"releases": [sha256, ...], "items": "of the first"}}.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal

from confide.core.requirements.base import PassportWords

__all__ = [
    "ITEMS_OF_THE_FIRST",
    "JOINT_PROOF",
    "earlier_releases",
    "fault_of_after",
    "values_together",
    "with_joint_items",
    "with_joint_promise",
]

ITEMS_OF_THE_FIRST = "of the first"
"""What is said of baskets: the release shows only items that the first of the earlier releases shows."""

_OTHERS = "someone who compares it with releases about the same people that it does not name"
_CHOICE = "what the choice of newcomers tells, who took the places of people who left: nearer ones had other values"
_CHANCE = "guessing a {value} better, where one that several earlier groups have in common is common there"
_COMPARING = (
    "being certain of a {value} by comparing it with the releases that it names, even for someone who knows "
    "everybody's groups in all of them, who came and who left"
)
_JOINING = "someone who joins its records with those of the releases that it names"
JOINT_PROOF = "what it promises together with the releases it names; the owner's ledger can: confide ledger check"
_HASH = re.compile(r"[0-9a-f]{64}")


def earlier_releases(context: Mapping[str, Any]) -> tuple[str, ...]:
    """The hashes of the releases that a passport's context says it is built on, in order; none where it is faulty."""
    if fault_of_after(context) and fault_of_after(context, says="items"):
        return ()
    return tuple(context.get("after", {}).get("releases", ()))


def values_together(context: Mapping[str, Any]) -> int:
    """How many sensitive values a passport says stay possible together with the releases it names; 1 where it promises
    nothing of values together."""
    return int(context["after"]["values"]) if earlier_releases(context) and not fault_of_after(context) else 1


def fault_of_after(context: Mapping[str, Any], *, says: Literal["values", "items"] = "values") -> str:
    """What is wrong with what a context says of earlier releases; empty where nothing is, or where it says nothing.

    Of tables and trees it `says` how many values stay possible, of baskets whose items are shown.
    """
    if "after" not in context:
        return ""
    after = context["after"]
    if not isinstance(after, Mapping) or set(after) != {"releases", says}:
        return "it says neither which nor what together"
    releases, said = after["releases"], after[says]
    if (
        not isinstance(releases, list)
        or not releases
        or not all(isinstance(r, str) and _HASH.fullmatch(r) for r in releases)
    ):
        return "a release is named by its sha256"
    if len(set(releases)) < len(releases):
        return "it names a release twice"
    if says == "items":
        return "" if said == ITEMS_OF_THE_FIRST else "items are those of the first"
    if isinstance(said, bool) or not isinstance(said, int) or said < 1:
        return "a number of values is 1 or more"
    return ""


def with_joint_items(words: PassportWords, context: Mapping[str, Any], *, several: str) -> PassportWords:
    """The words of a release of baskets that is built on earlier ones; the same words where it is not.

    `several` is the limit that the joint promise takes the place of.
    """
    names = earlier_releases(context)
    if not names or fault_of_after(context, says="items"):
        return words
    promise = (
        f"{words.promise} Together with {_earlier(names)}, it tells no more than the first of them: it shows only "
        "items that this one shows."
    )
    open_still = tuple(_OTHERS if text == several else text for text in words.does_not_stop)
    return PassportWords(promise, (*words.stops, _JOINING), open_still)


def with_joint_promise(
    words: PassportWords, context: Mapping[str, Any], *, value: str, values: str, several: str
) -> PassportWords:
    """The words of a release that is built on earlier ones; the same words where it is not.

    `several` is the limit that the joint promise takes the place of; `value` and `values` name what is sensitive.
    """
    names = earlier_releases(context)
    if not names or fault_of_after(context):
        return words
    left = context["after"]["values"]
    open_still = [_OTHERS if text == several else text for text in words.does_not_stop]
    if left < 2:
        return words._replace(does_not_stop=(*open_still, several))
    together = f"at least {left} {values} stay possible for everybody in them."
    promise = f"{words.promise} Together with {_earlier(names)}, {together}"
    return PassportWords(
        promise, (*words.stops, _COMPARING.format(value=value)), (*open_still, _CHOICE, _CHANCE.format(value=value))
    )


def _earlier(names: tuple[str, ...]) -> str:
    return (
        "the earlier release that it names" if len(names) == 1 else f"the {len(names)} earlier releases that it names"
    )
