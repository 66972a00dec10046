"""One way to hand out a release: its artefact, its passport and its pages, all of them or none."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.cli.options import note

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from confide.core.passport import Passport
    from confide.core.release import Release

__all__ = ["ReleaseDestination"]


@dataclass(frozen=True, kw_only=True)
class ReleaseDestination:
    """Where a release goes: the artefact with its passport, pages, and the key that signs."""

    output: Path | None = None
    report: Path | None = None
    owner_report: Path | None = None
    key: "Ed25519PrivateKey | None" = None
    replace: bool = False

    def hand_out(self, release: "Release[Any]") -> "Passport | None":
        """Write the release with its passport, and the pages that were asked for: all of them, or none."""
        from confide.core.file_groups import file_group
        from confide.core.files import write_text

        passport = None
        with file_group(replace=self.replace) as group:
            if self.output is not None:
                passport = release.write_into(group, self.output, key=self.key)
            if self.report is not None:
                from confide.report import render

                write_text(group.place(self.report), render(release, passport=passport))
            if self.owner_report is not None:
                from confide.report import render_owner

                write_text(group.place(self.owner_report), render_owner(release), private=True)
        self._say()
        return passport

    def _say(self) -> None:
        from confide.core.release import passport_path

        if self.output is not None:
            note(f"written to {self.output} and {passport_path(self.output)}")
        for page in (self.report, self.owner_report):
            if page is not None:
                note(f"page written to {page}")
