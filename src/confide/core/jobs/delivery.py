"""Where the outcome of a job goes: not part of what is asked, but saved beside it in a request file.

A delivery is described by the same kind of fields as a request; the command line carries it out
(`cli/derived/delivery.py`).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from confide.core.jobs.fields import setting
from confide.core.jobs.request import Request

__all__ = ["AnswerFiles", "Delivery", "DocumentOnly", "ReleaseFiles", "StudyFiles"]

_FORMS = {"json": "Print JSON lines.", "csv": "Print CSV.", "table": "Print a table for reading."}
_PAGE = "Write a page for everybody here."
_REPLACE = "Overwrite files that exist."


@dataclass(frozen=True, kw_only=True)
class Delivery(Request):
    """Base of all deliveries: fields as in a request."""

    @property
    def targets(self) -> tuple[Path | None, ...]:
        """Every file that will be written."""
        return ()


class DocumentOnly(Delivery):
    """The answer goes to standard output as JSON."""


@dataclass(frozen=True, kw_only=True)
class AnswerFiles(Delivery):
    """An answer goes to a file, or to standard output in one of three forms."""

    output: Path | None = setting(None, short="-o", metavar="FILE", help="Write here instead of to stdout.")
    replace: bool = setting(False, help=_REPLACE)
    form: Literal["json", "csv", "table"] = setting("json", flags=_FORMS, help="How standard output is written.")

    @property
    def targets(self) -> tuple[Path | None, ...]:
        return (self.output,)


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
class ReleaseFiles(Delivery):
    """A release goes to a file with its passport beside it, and to pages."""

    output: Path | None = setting(
        None, short="-o", metavar="FILE", help="Write here, and FILE.passport.json beside it."
    )
    report: Path | None = setting(None, metavar="FILE", help=_PAGE)
    owner_report: Path | None = setting(None, metavar="FILE", help="Write a page for the owner only here.")
    sign: Path | None = setting(None, metavar="FILE", help="Sign the passport with this private key (PEM).")
    replace: bool = setting(False, help=_REPLACE)

    @property
    def targets(self) -> tuple[Path | None, ...]:
        from confide.core.release import passport_path

        beside = None if self.output is None else passport_path(self.output)
        return self.output, beside, self.report, self.owner_report
