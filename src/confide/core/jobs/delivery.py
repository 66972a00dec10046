"""Where the outcome of a job goes: not part of what is asked, but saved beside it in a request file.

A delivery is described by the same kind of fields as a request; the command line carries it out (`cli/delivery.py`).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from confide.core.jobs.fields import setting
from confide.core.jobs.request import Request

__all__ = ["AnswerFiles", "Delivery"]


class Delivery(Request):
    """Base of all deliveries: fields as in a request."""


@dataclass(frozen=True, kw_only=True)
class AnswerFiles(Delivery):
    """An answer goes to a file, or to standard output in one of three forms."""

    output: Path | None = setting(None, short="-o", metavar="FILE", help="Write here instead of to stdout.")
    replace: bool = setting(False, help="Overwrite files that exist.")
    form: Literal["json", "csv", "table"] = setting(
        "json", flags={"json": "Print JSON lines.", "csv": "Print CSV.", "table": "Print a table for reading."}, help=""
    )
