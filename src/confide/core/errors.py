"""Every error a caller may meet.

    ConfideError
    ├── InputError            a file or frame is not what it should be          exit 2
    ├── UsageError            a call or command is put together wrongly         exit 2
    │   ├── RequestError      a setting that a request cannot take              exit 2
    │   └── MissingExtraError an optional package is not installed              exit 2
    ├── RequirementError      parameters that make no sense                     exit 2
    ├── CannotMeetError       sound parameters that this data cannot meet       exit 1
    ├── VerificationError     a release or passport fails its own check         exit 1
    └── UnreachableError      a site or server does not answer                  exit 3

A message is one line: what was wrong, where, what to do. It names fields and parameters, never people's values.
Anything else that escapes (KeyError, AssertionError, ...) is our bug.
"""

from collections.abc import Callable

__all__ = [
    "CannotMeetError",
    "ConfideError",
    "InputError",
    "MissingExtraError",
    "RequestError",
    "RequirementError",
    "UnreachableError",
    "UsageError",
    "VerificationError",
]


class ConfideError(Exception):
    r"""The root: catch this to catch every error that is not a bug of ours.

    Its message is one line, also where a name in it comes from a file and holds line ends or other controls.

    >>> print(ConfideError("no column 'id'; columns are: \nd, item"))
    no column 'id'; columns are: \nd, item
    """

    exit_code = 2

    def __str__(self) -> str:
        text = super().__str__()
        return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class InputError(ConfideError):
    """A file or frame is not what it should be; `where` says the line, column or field.

    >>> str(InputError("item is empty", source="baskets.csv", line=3))
    'baskets.csv, line 3: item is empty'
    """

    def __init__(self, what: str, *, source: object = None, line: int | None = None, column: str | None = None):
        self.what, self.source, self.line, self.column = what, source, line, column
        where = [
            text
            for text, known in (
                (f"{source}", source is not None),
                (f"line {line}", line is not None),
                (f"column {column!r}", column is not None),
            )
            if known
        ]
        super().__init__(f"{', '.join(where)}: {what}" if where else what)


class UsageError(ConfideError):
    """A call or command is put together wrongly."""


class RequestError(UsageError):
    """A setting that a request cannot take: `parameter`, its `value`, and, where there is one, a `cure` that works.

    Each side words it for its own reader: Python says `k=1`, the command line `--k 1`. In `what`, braces stand for the
    parameter with its cure.

    >>> error = RequestError("k", 1, "protects nobody; use {} or more", cure=2)
    >>> print(error)
    k=1 protects nobody; use k=2 or more
    >>> error.worded(lambda parameter, value: f"--{parameter} {value}")
    '--k 1 protects nobody; use --k 2 or more'
    """

    def __init__(self, parameter: str, value: object, what: str, *, cure: object = None):
        self.parameter, self.value, self.what, self.cure = parameter, value, what, cure
        super().__init__(self.worded(lambda name, setting: f"{name}={setting!r}"))

    def worded(self, named: Callable[[str, object], str]) -> str:
        """The message with every setting as `named(parameter, value)` puts it."""
        what = self.what if self.cure is None else self.what.format(named(self.parameter, self.cure))
        return f"{named(self.parameter, self.value)} {what}"


class MissingExtraError(UsageError):
    """An optional package is not installed.

    >>> str(MissingExtraError("polars", "tables"))
    "polars is not installed; install it with: pip install 'confide[tables]'"
    """

    def __init__(self, package: str, extra: str):
        super().__init__(f"{package} is not installed; install it with: pip install 'confide[{extra}]'")


class RequirementError(ConfideError):
    """Parameters of a requirement or scheme that make no sense, whatever the data."""


class CannotMeetError(ConfideError):
    """The requirement is sound but this data cannot meet it; `nearest` names a setting that can, if known."""

    exit_code = 1

    def __init__(self, what: str, *, nearest: str | None = None):
        self.what, self.nearest = what, nearest
        super().__init__(f"{what}; nearest that works: {nearest}" if nearest else what)


class VerificationError(ConfideError):
    """A release or passport fails its own check; nothing is handed out."""

    exit_code = 1


class UnreachableError(ConfideError):
    """A site or server does not answer in time."""

    exit_code = 3
