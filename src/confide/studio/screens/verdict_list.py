"""Verify and attack: every release with its checks one by one; adversaries against two files."""

from typing import Any

from confide.studio.visit import Answer, Page, Visit

__all__ = ["show_verify"]

_ATTACKS = (
    ("attack table", "table", "release", "table", "Look up every person of a table"),
    ("attack transactions", "records", "release", "baskets", "Look up people by a few of their items"),
)


def show_verify(visit: Visit) -> Answer:
    """The releases and their verdicts; forms for attacks."""
    studio = visit.studio
    files = studio.files.all()
    passports = [file for file in files if file.kind == "passport"]
    releases = [(file, studio.verdicts.of(file.name)) for file in passports[:60]]
    attacks = [
        (job, first, second, words, [file.name for file in files if file.kind == kind])
        for job, first, second, kind, words in _ATTACKS
    ]
    values: dict[str, Any] = {"releases": releases, "attacks": attacks}
    waiting = any(verdict.state == "waiting" for _, verdict in releases)
    return Page(template="verify.html.j2", title="Verify and attack", values=values, again_after=2 if waiting else None)
