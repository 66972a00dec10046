"""Where the outcome of a job goes: not part of what is asked, but saved beside it in a request file.

A delivery is described by the same kind of fields as a request; the command line carries it out
(`cli/derived/delivery.py`).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from confide.core.jobs.fields import setting
from confide.core.jobs.request import Request

__all__ = [
    "AnswerAndPage",
    "AnswerFiles",
    "Delivery",
    "DocumentFile",
    "DocumentOnly",
    "DocumentOrTables",
    "FileOnly",
    "PublicFiles",
    "ReleaseFiles",
    "RowsOnly",
    "StudyFiles",
    "TableFiles",
    "TrialFiles",
    "VerdictDelivery",
    "WordsOnly",
]

_FORMS = {"json": "Print JSON lines.", "csv": "Print CSV.", "table": "Print a table for reading."}
_PAGE = "Write a page for everybody here."
_REPLACE = "Overwrite files that exist."


@dataclass(frozen=True, kw_only=True)
class Delivery(Request):
    """Base of all deliveries: fields as in a request. `HANDS_OUT`: a release goes to `output` with its passport."""

    HANDS_OUT: ClassVar[bool] = False

    @property
    def targets(self) -> tuple[Path | None, ...]:
        """Every file that will be written."""
        return ()


class DocumentOnly(Delivery):
    """The answer goes to standard output as JSON; a job that serves until it is stopped has nothing to write at all."""


@dataclass(frozen=True, kw_only=True)
class DocumentFile(Delivery):
    """One answer, as JSON on standard output, and a file for what does not belong there."""

    output: Path | None = setting(None, short="-o", metavar="FILE", help="Write here instead of to stdout.")
    replace: bool = setting(False, help=_REPLACE)

    @property
    def targets(self) -> tuple[Path | None, ...]:
        return (self.output,)


class WordsOnly(Delivery):
    """The answer goes to standard output in words."""


@dataclass(frozen=True, kw_only=True)
class VerdictDelivery(Delivery):
    """The answer is told in words, or goes to standard output as JSON."""

    as_json: bool = setting(False, option="json", help="Print the answer as JSON on stdout.")


@dataclass(frozen=True, kw_only=True)
class FileOnly(Delivery):
    """The answer goes to a file, which must be named."""

    output: Path = setting(short="-o", metavar="FILE", help="Where to write.")
    replace: bool = setting(False, help=_REPLACE)

    @property
    def targets(self) -> tuple[Path | None, ...]:
        return (self.output,)


@dataclass(frozen=True, kw_only=True)
class RowsOnly(Delivery):
    """The answer goes to standard output in one of three forms; where it goes to a file instead, only if
    `SHOWN_ANYWAY`."""

    SHOWN_ANYWAY: ClassVar[bool] = False
    form: Literal["json", "csv", "table"] = setting("json", flags=_FORMS, help="How standard output is written.")


@dataclass(frozen=True, kw_only=True)
class AnswerFiles(RowsOnly):
    """An answer goes to a file, or to standard output in one of three forms."""

    output: Path | None = setting(None, short="-o", metavar="FILE", help="Write here instead of to stdout.")
    replace: bool = setting(False, help=_REPLACE)

    @property
    def targets(self) -> tuple[Path | None, ...]:
        return (self.output,)


@dataclass(frozen=True, kw_only=True)
class AnswerAndPage(AnswerFiles):
    """The same, and a page about it."""

    report: Path | None = setting(None, metavar="FILE", help="Write a page about it here.")

    @property
    def targets(self) -> tuple[Path | None, ...]:
        return self.output, self.report


@dataclass(frozen=True, kw_only=True)
class TableFiles(AnswerFiles):
    """A table goes to a file, or to standard output: as CSV, unless another form is asked for."""

    form: Literal["json", "csv", "table"] = setting("csv", flags=_FORMS, help="How standard output is written.")


@dataclass(frozen=True, kw_only=True)
class DocumentOrTables(Delivery):
    """The answer goes to standard output: as JSON, or as tables for reading."""

    form: Literal["json", "table"] = setting(
        "json", flags={"json": "Print JSON.", "table": "Print tables for reading."}, help="How it is written."
    )


@dataclass(frozen=True, kw_only=True)
class StudyFiles(Delivery):
    """What was planned goes to a file, and a page about it to another; the plan itself to standard output."""

    output: Path | None = setting(None, short="-o", metavar="FILE", help="Write what was planned here.")
    report: Path | None = setting(None, metavar="FILE", help="Write a page about it here.")
    replace: bool = setting(False, help=_REPLACE)

    @property
    def targets(self) -> tuple[Path | None, ...]:
        return self.output, self.report


@dataclass(frozen=True, kw_only=True)
class PublicFiles(Delivery):
    """A release goes to a file with its passport beside it, and to a page for everybody.

    `OUTPUT_NEEDED` is False in a subclass whose job also shows what would be released, without a file.
    """

    HANDS_OUT: ClassVar[bool] = True
    OUTPUT_NEEDED: ClassVar[bool] = True
    output: Path | None = setting(
        None, short="-o", metavar="FILE", help="Write here, and FILE.passport.json beside it."
    )
    report: Path | None = setting(None, metavar="FILE", help=_PAGE)
    sign: Path | None = setting(None, metavar="FILE", help="Sign the passport with this private key (PEM).")
    replace: bool = setting(False, help=_REPLACE)

    @property
    def release_file(self) -> Path | None:
        """Where the release is written; None where it is only looked at."""
        return self.output

    @property
    def targets(self) -> tuple[Path | None, ...]:
        from confide.core.release import passport_path

        file = self.release_file
        return file, None if file is None else passport_path(file), self.report


@dataclass(frozen=True, kw_only=True)
class ReleaseFiles(PublicFiles):
    """The same, and a page for the owner alone."""

    owner_report: Path | None = setting(None, metavar="FILE", help="Write a page for the owner only here.")

    @property
    def targets(self) -> tuple[Path | None, ...]:
        return *super().targets, self.owner_report


@dataclass(frozen=True, kw_only=True)
class TrialFiles(ReleaseFiles, RowsOnly):
    """The same, of a job that also tries what a release would cost; figures go to standard output in a form."""

    OUTPUT_NEEDED: ClassVar[bool] = False
    SHOWN_ANYWAY: ClassVar[bool] = True
    dry_run: bool = setting(False, help="Say what would be lost, and write nothing but reports.")

    @property
    def release_file(self) -> Path | None:
        return None if self.dry_run else self.output
