"""One set of options for a release, one check before the work, one way to hand it out."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from confide.cli.options import EXISTING, NEW, note

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from confide.core.passport import Passport
    from confide.core.release import Release

__all__ = ["ReleaseFiles", "release_options"]

C = TypeVar("C", bound=Callable[..., Any])

_OUTPUT = click.Path(path_type=Path)  # a data set in parts is a folder


@dataclass(frozen=True, kw_only=True)
class ReleaseFiles:
    """Where a release goes: the artefact with its passport, pages, and the key that signs."""

    output: Path | None = None
    report: Path | None = None
    owner_report: Path | None = None
    key: "Ed25519PrivateKey | None" = None
    replace: bool = False

    @classmethod
    def checked(
        cls,
        output: Path | None,
        *,
        report: Path | None = None,
        owner_report: Path | None = None,
        sign: Path | None = None,
        replace: bool = False,
        inputs: Iterable[Path | None] = (),
        parts: bool = False,
    ) -> "ReleaseFiles":
        """Before the work: every file can be written, none is an input or another's, and the key can be read.

        With `parts` the output may be a folder.
        """
        from confide.core.artefacts.names import check_file_name
        from confide.core.errors import UsageError
        from confide.core.file_groups import check_outputs
        from confide.core.release import passport_path

        if sign is not None and output is None:
            raise UsageError("without -o FILE no passport is written, so there is nothing to --sign")
        if output is not None:
            check_file_name(output.name)
        beside = None if output is None else passport_path(output)
        check_outputs([output, beside, report, owner_report], inputs=[*inputs, sign], replace=replace, folders=parts)
        key = None
        if sign is not None:
            from confide.core.artefacts.keys import read_private_key

            key = read_private_key(sign)
        return cls(output=output, report=report, owner_report=owner_report, key=key, replace=replace)

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


def release_options(*, owner: bool = True) -> Callable[[C], C]:
    """`-o`, `--report`, `--owner-report`, `--sign`, `--replace`; the command passes them to `ReleaseFiles.checked`."""

    def add(command: C) -> C:
        command = click.option("--replace", is_flag=True, help="Overwrite files that exist.")(command)
        command = click.option("--sign", type=EXISTING, help="Sign the passport with this private key (PEM).")(command)
        if owner:
            command = click.option("--owner-report", type=NEW, help="Write a page for the owner only here.")(command)
        command = click.option("--report", type=NEW, help="Write a page for everybody here.")(command)
        return click.option("-o", "--output", type=_OUTPUT, help="Write here, and OUT.passport.json beside it.")(
            command
        )

    return add
