"""Fields of a request: each says its meaning, unit, range, default and choices once.

    k: int = setting(ge=2, because="protects nobody", help="Fewest records that must match, or none.")
    records: Any = source(help="Baskets: .csv, .parquet, .jsonl, .dat.", metavar="IN")

Command line, request files, forms, reference page and errors are derived from what stands here.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from dataclasses import field as dataclass_field
from typing import Any, get_type_hints

from confide.core.errors import RequestError
from confide.core.jobs.kinds import Flag, Kind, kind_of

__all__ = ["PROMISE", "READING", "RequestField", "fields_of", "setting", "source"]

READING = "Reading"
"""The heading of fields that say how files are read."""
PROMISE = "What must hold"
"""The heading of fields that say what a release must keep."""
_KEY = "confide"


@dataclass(frozen=True, kw_only=True)
class _Notes:
    """What `setting` and `source` say beside type and default."""

    help: str
    ge: float | None = None
    le: float | None = None
    above: float | None = None
    because: str = ""
    unit: str = ""
    group: str = ""
    when: Mapping[str, Any] | None = None
    metavar: str = ""
    short: str = ""
    option: str = ""
    repeat: bool = False
    flags: Mapping[str, str] | None = None
    position: bool = False
    secret: bool = False
    in_python: bool = False


@dataclass(frozen=True, kw_only=True)
class RequestField(_Notes):
    """One field of a request with all that is derived from it. `optional`: may be None."""

    name: str
    kind: Kind
    optional: bool
    required: bool
    default: Any = None

    def check(self, value: Any) -> Any:
        """The value as the request keeps it; RequestError if it is of another kind or out of range.

        None stands for the default: a form or a command line has no other way to leave a field out.
        """
        if value is None and (self.optional or not self.required):
            return self.default
        try:
            taken = self.kind.check(value)
        except ValueError as error:
            raise RequestError(self.name, value, str(error)) from None
        for part in taken if isinstance(taken, tuple) else (taken,):
            self._check_range(part)
        return taken

    def _check_range(self, value: Any) -> None:
        too_small = f"{self.because or 'is too small'}; use {{}} or more"
        if self.ge is not None and value < self.ge:
            raise RequestError(self.name, value, too_small, cure=self.ge)
        if self.above is not None and value <= self.above:
            raise RequestError(self.name, value, f"{self.because or 'is too small'}; use a number above {self.above:g}")
        if self.le is not None and value > self.le:
            raise RequestError(self.name, value, "is too large; use {} or less", cure=self.le)

    @property
    def switched_off(self) -> bool:
        """Whether the option of a flag says no: what is true by default is switched off by `--no-NAME`."""
        return isinstance(self.kind, Flag) and self.default is True

    @property
    def option_name(self) -> str:
        """The option on the command line: `--nugget-support`, or `--no-put-back` for what is true by default."""
        name = (self.option or self.name).replace("_", "-")
        return f"--no-{name}" if self.switched_off else f"--{name}"


def setting(default: Any = MISSING, **notes: Any) -> Any:
    """A field that is an option on the command line.

    `help` says what it means, in a sentence with a full stop. `ge`, `le` and `above` bound it, and `because` says what
    a smaller value would do. `group` is the heading it stands under, `when` (field -> value) when it matters, `unit`
    what a number counts. `option` and `short` name it on the command line where its own name would not do; `repeat`
    lets the option be given several times; `flags` (choice -> help) gives each choice a flag of its own; a `secret` is
    never saved. What is `in_python` alone, an object, has no option and no place in a form.
    """
    metadata = {_KEY: _Notes(**notes)}
    return dataclass_field(metadata=metadata, **({} if default is MISSING else {"default": default}))


def source(default: Any = MISSING, *, help: str, metavar: str = "IN") -> Any:
    """A field that is an argument on the command line, and a file to choose in a form: what the job reads.

    A tuple takes all arguments that are left. With a default it may be left out.
    """
    return setting(default, help=help, metavar=metavar, position=True)


_FIELDS: dict[type, tuple[RequestField, ...]] = {}


def fields_of(request: type) -> tuple[RequestField, ...]:
    """The fields of a request (or of a delivery) with all that is known of them: arguments, then fields without a
    heading, then the others, how files are read last; each in the order in which they are written."""
    if request not in _FIELDS:
        _FIELDS[request] = _described(request)
    return _FIELDS[request]


def _described(request: type) -> tuple[RequestField, ...]:
    hints = get_type_hints(request, include_extras=True)
    described = []
    for entry in fields(request):
        kind, optional = kind_of(hints[entry.name])
        required = entry.default is MISSING
        default = None if required else entry.default
        notes = vars(entry.metadata[_KEY])
        described.append(
            RequestField(name=entry.name, kind=kind, optional=optional, required=required, default=default, **notes)
        )
    return tuple(sorted(described, key=lambda known: (not known.position, known.group != "", known.group == READING)))
