"""Names of files that a passport, a manifest or a column gives: one plain name, the same file on every system.

What stands in somebody's file decides which file is opened, so a name must not lead elsewhere: to another folder
(`/`, `\\`, `.`, `..`), to a drive or a hidden stream (`c:x`, `x:y`) or a device (`NUL`, `COM1.csv`) of Windows. Nor may
it look like another name: controls, line ends and marks that turn the direction of writing are refused, and blanks
around it or a dot at its end, which Windows drops.
"""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, WithJsonSchema

from confide.core.errors import UsageError

__all__ = ["LONGEST", "FileName", "KindName", "check_file_name", "is_file_name"]

LONGEST = 255
KindName = Literal["table", "transactions", "itemsets", "tree", "rules", "json", "stream"]
"""What a passport calls each kind of artefact; `kinds.KINDS` has an entry for each."""

_DEVICES = "[Cc][Oo][Nn]|[Pp][Rr][Nn]|[Aa][Uu][Xx]|[Nn][Uu][Ll]|[Cc][Oo][Mm][0-9¹²³]|[Ll][Pp][Tt][0-9¹²³]"
_HIDDEN = r"\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
_BLANK = r"\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_PATTERN = (
    rf"^(?!(?:{_DEVICES})[{_BLANK}]*(?:\.|$))"
    rf"(?![{_BLANK}])(?!.*[{_BLANK}.]$)"
    rf"[^/\\:{_HIDDEN}]+$"
)
_NAME = re.compile(_PATTERN.removesuffix("$") + r"\Z")
_ADVICE = "is not a plain file name; leave out folders, colons, controls, devices, blanks around it, a last dot"


def is_file_name(name: object) -> bool:
    r"""Whether a text is the plain name of a file.

    >>> [is_file_name(name) for name in ("people.csv", "..", "a/b", "a\0b", "c:x", "nul.csv", " a", "a.")]
    [True, False, False, False, False, False, False, False]
    """
    return isinstance(name, str) and len(name.encode(errors="replace")) <= LONGEST and _NAME.match(name) is not None


def check_file_name(name: str) -> str:
    """The name, or a UsageError where it is none."""
    if not is_file_name(name):
        raise UsageError(f"{name[:60]!r} {_ADVICE}")
    return name


def _valid(name: str) -> str:
    if not is_file_name(name):
        raise ValueError(_ADVICE)
    return name


FileName = Annotated[
    str,
    AfterValidator(_valid),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": LONGEST, "pattern": _PATTERN}),
]
"""A field that holds the plain name of a file; the JSON Schema says it as a pattern."""
