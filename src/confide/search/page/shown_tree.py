"""The profile as the page draws it: the heaviest interests, each under an id that says its place ("0.2.1")."""

from typing import Any

from confide.search.entropy import self_information
from confide.search.profile.interests import Interest

__all__ = ["MOST_SHOWN", "ShownTree"]

MOST_SHOWN = 600
"""Interests that are drawn: a page with thousands would help nobody."""


class ShownTree:
    """Ids for the interests of a tree, and the drawn part as plain data."""

    def __init__(self, root: Interest):
        self.root = root
        self._id: dict[int, str] = {}
        self._names: dict[str, str] = {}
        self._number(root, "", "")
        weights = sorted((interest.units for interest in root.walk()), reverse=True)
        self._least = weights[MOST_SHOWN] if len(weights) > MOST_SHOWN else 0

    def _number(self, interest: Interest, place: str, path: str) -> None:
        for number, child in enumerate(interest.children):
            here = f"{place}.{number}" if place else str(number)
            name = "/".join(child.words)
            self._id[id(child)] = here
            self._names[here] = f"{path} > {name}" if path else name
            self._number(child, here, self._names[here])

    def id_of(self, interest: Interest) -> str:
        """Its place."""
        return self._id[id(interest)]

    def branch(self, place: object) -> str | None:
        """The path of an interest by words, from its id; None for an id that there is not."""
        return self._names.get(place) if isinstance(place, str) else None

    def plain(self) -> list[dict[str, Any]]:
        """The drawn interests, nested; parents outweigh children, so what is drawn hangs together."""

        def one(interest: Interest) -> dict[str, Any]:
            drawn = [child for child in interest.children if child.units > self._least or not self._least]
            return {
                "id": self._id[id(interest)],
                "label": interest.label,
                "share": interest.units / self.root.units,
                "surprise": round(self_information(interest.units, self.root.units), 3),
                "documents": interest.documents,
                "hidden": interest.hidden,
                "more": len(interest.children) - len(drawn),
                "children": [one(child) for child in drawn],
            }

        return [one(child) for child in self.root.children if child.units > self._least or not self._least]
