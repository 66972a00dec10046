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

What a message says of parameters is there as data, too: `parameter` and `value` are what was refused, `cures` are
settings that were tried and work. A program can ask again with one of them, and each side words them in its own way:
`k=5` in Python, `--k 5` on the command line.
"""

from collections.abc import Callable, Mapping, Sequence

__all__ = [
    "CannotMeetError",
    "ConfideError",
    "Cure",
    "InputError",
    "MissingExtraError",
    "RequestError",
    "RequirementError",
    "UnreachableError",
    "UsageError",
    "VerificationError",
    "show_cures",
]

_NEAREST = "nearest that works"

Cure = Mapping[str, object]
"""Parameters and the values that, put in place of those asked for, work together."""


def show_cures(cures: Sequence[Cure]) -> str:
    """The cures as text.

    >>> show_cures([{"l": 2, "c": 3.5}, {"suppress": 0.05}])
    'l=2 with c=3.5, or suppress=0.05'
    """
    return ", or ".join(" with ".join(f"{name}={_value_text(value)}" for name, value in cure.items()) for cure in cures)


def _value_text(value: object) -> str:
    return f"{value:.10g}" if isinstance(value, float) else f"{value!r}"


class ConfideError(Exception):
    r"""The root: catch this to catch every error that is not a bug of ours.

    Its message is one line, also where a name in it comes from a file and holds line ends or other controls.

    >>> print(ConfideError("no column 'id'; columns are: \nd, item"))
    no column 'id'; columns are: \nd, item
    """

    exit_code = 2

    def __init__(
        self, *args: object, parameter: str | None = None, value: object = None, cures: Sequence[Cure] = ()
    ) -> None:
        self.parameter, self.value, self.cures = parameter, value, tuple(dict(cure) for cure in cures)
        super().__init__(*args)

    def __str__(self) -> str:
        text = super().__str__()
        return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class InputError(ConfideError):
    """A file or frame is not what it should be; `where` says the line, column or field.

    >>> str(InputError("item is empty", source="baskets.csv", line=3))
    'baskets.csv, line 3: item is empty'
    """

    def __init__(
        self,
        what: str,
        *,
        source: object = None,
        line: int | None = None,
        column: str | None = None,
        cures: Sequence[Cure] = (),
    ):
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
        super().__init__(f"{', '.join(where)}: {what}" if where else what, cures=cures)


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
        text = self.worded(lambda name, setting: f"{name}={setting!r}")
        cures = () if cure is None else ({parameter: cure},)
        super().__init__(text, parameter=parameter, value=value, cures=cures)

    def worded(self, named: Callable[[str, object], str]) -> str:
        """The message with every setting as `named(parameter, value)` puts it."""
        parameter = str(self.parameter)
        what = self.what if self.cure is None else self.what.format(named(parameter, self.cure))
        return f"{named(parameter, self.value)} {what}"


class MissingExtraError(UsageError):
    """An optional package is not installed.

    >>> str(MissingExtraError("polars", "tables"))
    "polars is not installed; install it with: pip install 'confide[tables]'"
    """

    def __init__(self, package: str, extra: str):
        super().__init__(f"{package} is not installed; install it with: pip install 'confide[{extra}]'")


class RequirementError(ConfideError):
    """Parameters of a requirement or scheme that make no sense, whatever the data; `cures` as in `CannotMeetError`.

    `cure` is a value of the parameter that works and that the text names already.

    >>> str(RequirementError("epsilon=0.01 is too small", cures=[{"epsilon": 0.016}]))
    'epsilon=0.01 is too small; nearest that works: epsilon=0.016'
    >>> RequirementError("k=1 protects nobody; use 2 or more", parameter="k", value=1, cure=2).cures
    ({'k': 2},)
    """

    def __init__(
        self,
        what: str,
        *,
        parameter: str | None = None,
        value: object = None,
        cure: object = None,
        cures: Sequence[Cure] = (),
    ) -> None:
        self.what = what
        named: tuple[Cure, ...] = () if parameter is None or cure is None else ({parameter: cure},)
        super().__init__(_with_cures(what, cures), parameter=parameter, value=value, cures=(*named, *cures))


class CannotMeetError(ConfideError):
    """The requirement is sound but this data cannot meet it. `cures` are settings that were tried and work.

    `known` says what is known of them where they may not be the nearest settings that work; `advice` what else to do
    where that is no setting, or cannot be tried here.

    >>> str(CannotMeetError("l=4 cannot be met", cures=[{"l": 2}], advice="or join rare values"))
    'l=4 cannot be met; nearest that works: l=2; or join rare values'
    """

    exit_code = 1

    def __init__(
        self,
        what: str,
        *,
        parameter: str | None = None,
        value: object = None,
        cures: Sequence[Cure] = (),
        known: str = _NEAREST,
        advice: str | None = None,
    ) -> None:
        self.what, self.known, self.advice = what, known, advice
        text = _with_cures(what, cures, known)
        super().__init__(f"{text}; {advice}" if advice else text, parameter=parameter, value=value, cures=cures)


def _with_cures(what: str, cures: Sequence[Cure], known: str = _NEAREST) -> str:
    return f"{what}; {known}: {show_cures(cures)}" if cures else what


class VerificationError(ConfideError):
    """A release or passport fails its own check; nothing is handed out."""

    exit_code = 1


class UnreachableError(ConfideError):
    """A site or server does not answer in time."""

    exit_code = 3
