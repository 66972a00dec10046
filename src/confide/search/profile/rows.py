"""The owner's view of a profile: a row for each interest, and whether it would be exposed."""

from typing import TYPE_CHECKING

from confide.search.entropy import self_information

if TYPE_CHECKING:
    from confide.search.profile.exposing import Exposed
    from confide.search.profile.interests import Interest
    from confide.search.profile.profile import Profile

__all__ = ["interest_rows"]


def interest_rows(profile: "Profile", *, depth: int, exposed: "Exposed | None" = None) -> list[dict[str, object]]:
    """The interests down to `depth`, parents before children, indented by dots. For the owner only.

    "state" is "hidden", or with `exposed`, which `Profile.expose` gives, "exposed" or "kept"; else empty.
    """
    inside = None if exposed is None else {id(interest) for interest in exposed.interests}
    whole = profile.root.units
    rows: list[dict[str, object]] = []

    def add(interest: "Interest", level: int) -> None:
        for child in interest.children:
            state = "hidden" if child.hidden else "" if inside is None else "exposed" if id(child) in inside else "kept"
            rows.append(
                {
                    "interest": ". " * level + child.label,
                    "support": round(child.support, 3),
                    "share": round(child.units / whole, 4),
                    "self_information": round(self_information(child.units, whole), 3),
                    "state": state,
                }
            )
            if level + 1 < depth:
                add(child, level + 1)

    add(profile.root, 0)
    return rows
