"""What each column of a table is: its role, and how its values are made coarser. Kept as TOML:

[columns.age]
role = "quasi-identifier"
hierarchy = "age.csv"          # ARX's form, beside this file; or a table that builds one:

[columns.postcode]
role = "quasi-identifier"
hierarchy = { build = "masks", steps = 3 }
levels = [1, 3]                # never finer than level 1, never coarser than level 3
weight = 2                     # a loss here counts twice

[columns.income]
role = "quasi-identifier"
range = [0, 200000]            # all values there can be, known without the data: ranges are cut out of these
step = 1000                    # how fine they may be
release = "mean"               # numbers stay numbers: the mean of each group ("median", "midpoint" of its range)
top = 150000                   # larger values count as this one; so with bottom
round = 100                    # released numbers are multiples of this

[columns.admitted]
role = "quasi-identifier"
hierarchy = { build = "dates" }
written = "day-first"          # 31.12.1987; or "month-first", "decimal-comma" (1.234,5), "date" (with a time, midnight)

[columns.discharged]
role = "insensitive"
shift = 180                    # days: dates move by up to so many, as a key says for each person; intervals stay

[columns.diagnosis]
role = "sensitive"
require = { l = 3 }            # what must hold of this column: l, diversity, c, alpha, t, beta, delta
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from confide.core.artefacts.names import check_file_name
from confide.core.errors import InputError
from confide.core.files import read_toml, write_text
from confide.core.requirements.base import exact, is_number
from confide.core.stages import NUMBERS_OF_COLUMNS
from confide.core.tables.hierarchy import Hierarchy

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["NUMBERS", "REQUIRED", "ROLES", "WRITTEN", "Column", "Role", "Schema", "SchemaLike", "schema_of"]

Role = Literal["identifier", "quasi-identifier", "sensitive", "insensitive", "class", "person"]
ROLES: tuple[str, ...] = get_args(Role)

_BUILDERS: dict[str, tuple[str, ...]] = {
    "intervals": ("widths", "origin"),
    "masks": ("mask", "steps"),
    "dates": ("levels",),
    "by_frequency": ("fanout",),
    "flat": (),
}

_LIMITS = {
    "levels": None,
    "range": None,
    "step": 1,
    "grid": None,
    "weight": 1,
    "release": None,
    "top": None,
    "bottom": None,
    "round": None,
}
"""Entries of a quasi-identifier beside its hierarchy, and what they are where nothing is said."""

NUMBERS = ("mean", "median", "midpoint")
"""What a quasi-identifier that stays a number may be released as."""

WRITTEN = ("day-first", "month-first", "decimal-comma", "date")
"""How dates and numbers may be written; "date" is a date with a time of day that is always midnight."""

_MOST_DAYS = 36_525

REQUIRED = NUMBERS_OF_COLUMNS
"""Numbers that may be required of one sensitive column; `diversity` says what l means."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column: its role, and for a quasi-identifier how its values are made coarser.

    `hierarchy` is a file name, a recipe, or the thing itself. `levels` are the lowest and the highest level of it that
    may be released. `range` holds the smallest and the largest value there can be, and `step` how fine ranges between
    them may be; both are known without the data. With a `grid` (a multiple of `step`), a range is one step wide or ends
    at multiples of the grid. A larger `weight` makes a loss in this column count for more.
    With `release` the column stays one of numbers: the "mean" or the "median" of each group of rows that look alike, or
    the "midpoint" of their range. Then values above `top` count as `top`, those below `bottom` as `bottom`, and what is
    released is a multiple of `round`. `require` says what must hold of a sensitive column, in the words of the command.
    `written` says how dates and numbers of a column of any role are written, where that is not 1987-12-31 and 1234.5.
    `shift` is by how many days at most the dates of an insensitive column are moved, person by person.
    """

    role: Role
    hierarchy: str | Mapping[str, Any] | Hierarchy | None = None
    levels: tuple[int, int] | None = None
    range: tuple[float, float] | None = None
    step: float = 1
    grid: float | None = None
    weight: float = 1
    release: str | None = None
    top: float | None = None
    bottom: float | None = None
    round: float | None = None
    require: Mapping[str, Any] | None = None
    written: str | None = None
    shift: int | None = None


@dataclass(frozen=True)
class Schema:
    """Columns by name, in order. `folder` is where hierarchy files are looked for.

    >>> schema = Schema.from_dict({"age": {"role": "quasi-identifier"}, "illness": {"role": "sensitive"}})
    >>> schema.named("quasi-identifier")
    ('age',)
    """

    columns: Mapping[str, Column]
    folder: Path = field(default=Path())

    # -- making ---------------------------------------------------------------------------------------------------

    @classmethod
    def from_dict(
        cls, columns: Mapping[str, Any], *, folder: str | PathLike[str] = ".", source: object = None
    ) -> "Schema":
        """Check a {name: {role, hierarchy}} mapping; every fault found is reported at once."""
        faults = [fault for name, spec in columns.items() for fault in _faults(name, spec)]
        if not columns:
            faults = ["no column is described; write [columns.NAME] with a role for each"]
        if faults:
            raise InputError("; ".join(faults), source=source)
        return cls({str(name): _column(spec) for name, spec in columns.items()}, Path(folder))

    @classmethod
    def read(cls, path: str | PathLike[str]) -> "Schema":
        """Read a TOML file."""
        source = Path(path)
        data = read_toml(source)
        unknown = sorted(set(data) - {"columns"})
        if unknown or not isinstance(data.get("columns"), dict):
            named = f"unknown entry {unknown[0]!r}" if unknown else "no [columns.NAME] entry"
            raise InputError(f"{named}; a schema holds [columns.NAME] tables only", source=source)
        return cls.from_dict(data["columns"], folder=source.parent, source=source)

    def to_toml(self) -> str:
        """The schema as TOML; hierarchies that are objects are named NAME.csv (write them there)."""
        lines = []
        for name, column in self.columns.items():
            lines += [f"[columns.{_key(name)}]", f"role = {_key_value(column.role)}"]
            if column.hierarchy is not None:
                given = f"{name}.csv" if isinstance(column.hierarchy, Hierarchy) else column.hierarchy
                lines.append(f"hierarchy = {_key_value(given)}")
            for key, ordinary in _LIMITS.items():
                if (value := getattr(column, key)) != ordinary:
                    lines.append(f"{key} = {_key_value(value)}")
            if column.written is not None:
                lines.append(f"written = {_key_value(column.written)}")
            if column.shift is not None:
                lines.append(f"shift = {column.shift}")
            if column.require:
                lines.append(f"require = {_key_value(column.require)}")
            lines.append("")
        return "\n".join(lines)

    def write(self, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Write TOML, and each hierarchy that is an object as a CSV file beside it."""
        folder = Path(path).parent
        for name, column in self.columns.items():
            if isinstance(column.hierarchy, Hierarchy):
                column.hierarchy.write(folder / check_file_name(f"{name}.csv"), replace=replace)
        write_text(path, self.to_toml(), replace=replace)

    # -- using ----------------------------------------------------------------------------------------------------

    @property
    def roles(self) -> dict[str, str]:
        """{column: role}, as a passport carries it."""
        return {name: column.role for name, column in self.columns.items()}

    @property
    def shifted(self) -> tuple[str, ...]:
        """The columns whose dates are shifted by person, in order."""
        return tuple(name for name, column in self.columns.items() if column.shift is not None)

    def named(self, *roles: str) -> tuple[str, ...]:
        """The columns with one of these roles, in order."""
        unknown = set(roles) - set(ROLES)
        if unknown:
            raise InputError(f"no role {sorted(unknown)[0]!r}; roles are: {', '.join(ROLES)}")
        return tuple(name for name, column in self.columns.items() if column.role in roles)

    def require(self, names: Iterable[str]) -> None:
        """Raise unless a table with these columns fits: each column described, none missing."""
        present = list(names)
        missing = [name for name in self.columns if name not in present]
        extra = [name for name in present if name not in self.columns]
        if missing:
            raise InputError(f"no column {missing[0]!r}; columns are: {', '.join(present)}")
        if extra:
            raise InputError(f"column {extra[0]!r} has no role; describe it in the schema ({', '.join(ROLES)})")

    @property
    def written(self) -> dict[str, str]:
        """How dates and numbers are written, of the columns that say it."""
        return {name: column.written for name, column in self.columns.items() if column.written is not None}

    def read_texts(self, table: "pa.Table") -> "pa.Table":
        """The table with dates and numbers read as the schema says they are written."""
        if not self.written:
            return table
        from confide.core.tables.formats.written import read_written

        return read_written(table, self.written)

    def hierarchy(self, name: str, values: Iterable[str]) -> Hierarchy:
        """The hierarchy of a column, built or read as the schema says, complete for these values."""
        listed = [str(value) for value in values]
        given = self.columns[name].hierarchy
        try:
            if given is None:
                return Hierarchy.flat(listed)
            if isinstance(given, str):
                found = Hierarchy.read(self.folder / given)
            elif isinstance(given, Hierarchy):
                found = given
            else:
                found = _build(given, listed)
        except InputError as error:
            raise InputError(error.what, source=error.source, line=error.line, column=name) from None
        found.require(listed, column=name)
        return found


def _build(recipe: Mapping[str, Any], values: list[str]) -> Hierarchy:
    options = {key: value for key, value in recipe.items() if key != "build"}
    if recipe["build"] == "by_frequency":
        from collections import Counter

        return Hierarchy.by_frequency(Counter(values), **options)
    built: Hierarchy = getattr(Hierarchy, recipe["build"])(values, **options)
    return built


def _column(spec: Mapping[str, Any]) -> Column:
    given: dict[str, Any] = {
        key: tuple(spec[key]) if isinstance(spec[key], list) else spec[key] for key in _LIMITS if key in spec
    }
    given |= {key: spec[key] for key in ("hierarchy", "require", "written", "shift") if key in spec}
    return Column(role=spec["role"], **given)


SchemaLike = Schema | Mapping[str, Any] | str | PathLike[str]
"""What describes the columns of a table: a `Schema`, what `Schema.from_dict` takes, or the path of a TOML file."""


def schema_of(given: SchemaLike) -> Schema:
    """A schema out of whatever describes one."""
    if isinstance(given, Schema):
        return given
    return Schema.from_dict(given) if isinstance(given, Mapping) else Schema.read(given)


def _faults(name: object, spec: object) -> list[str]:
    if not isinstance(spec, Mapping):
        return [f"column {name!r}: must be a table with a role"]
    faults = []
    if isinstance(spec.get("role"), list):
        faults.append(f"column {name!r}: a column has one role, not several; role must be one of {', '.join(ROLES)}")
    elif spec.get("role") not in ROLES:
        faults.append(f"column {name!r}: role must be one of {', '.join(ROLES)}")
    for key in sorted(set(spec) - {"role", "hierarchy", "require", "written", "shift", *_LIMITS}):
        faults.append(f"column {name!r}: unknown entry {key!r}")
    faults += [f"column {name!r}: {fault}" for fault in _limit_faults(spec)]
    if "written" in spec and spec["written"] not in WRITTEN:
        faults.append(f"column {name!r}: written must be one of {', '.join(WRITTEN)}")
    if "shift" in spec:
        days = spec["shift"]
        if spec.get("role") in ROLES and spec["role"] != "insensitive":
            faults.append(
                f"column {name!r}: shift is for dates that are released as they are, so for an insensitive column"
            )
        elif isinstance(days, bool) or not isinstance(days, int) or not 1 <= days <= _MOST_DAYS:
            faults.append(f"column {name!r}: shift must be a whole number of days, 1 to {_MOST_DAYS:,}")
    if "require" in spec:
        faults += [f"column {name!r}: {fault}" for fault in _require_faults(spec)]
    recipe = spec.get("hierarchy")
    if isinstance(recipe, Mapping):
        build = recipe.get("build")
        if build not in _BUILDERS:
            faults.append(f"column {name!r}: build must be one of {', '.join(_BUILDERS)}")
        else:
            for key in sorted(set(recipe) - {"build", *_BUILDERS[build]}):
                faults.append(f"column {name!r}: {build} takes no {key!r}")
    elif recipe is not None and not isinstance(recipe, str | Hierarchy):
        faults.append(f"column {name!r}: hierarchy must be a file name or a table with build = ...")
    return faults


def _limit_faults(spec: Mapping[str, Any]) -> list[str]:
    """What is wrong with the limits, weights and ranges of a column."""
    faults = []
    named = [key for key in _LIMITS if key in spec]
    if named and spec.get("role") in ROLES and spec["role"] != "quasi-identifier":
        faults.append(f"{named[0]} is for a quasi-identifier")
    levels = spec.get("levels", (0, 0))
    if not _pair(levels) or not all(isinstance(level, int) for level in levels) or not 0 <= levels[0] <= levels[1]:
        faults.append("levels must be the lowest and the highest level allowed, for example [0, 2]")
    bounds = spec.get("range", (0, 1))
    if not _pair(bounds) or bounds[0] >= bounds[1]:
        faults.append("range must be the smallest and the largest value there can be, for example [0, 120]")
    for key in ("step", "weight"):
        if not is_number(spec.get(key, 1)) or spec.get(key, 1) <= 0:
            faults.append(f"{key} must be a number above 0")
    if "step" in spec and "range" not in spec:
        faults.append("step says how fine a range may be, but there is no range")
    return [*faults, *_grid_faults(spec), *_number_faults(spec)]


def _grid_faults(spec: Mapping[str, Any]) -> list[str]:
    """What is wrong with the lines at which ranges end."""
    if "grid" not in spec:
        return []
    grid, step = spec["grid"], spec.get("step", 1)
    if not is_number(grid) or grid <= 0:
        return ["grid must be a number above 0"]
    if "range" not in spec:
        return ["grid says where ranges end, but there is no range"]
    if spec.get("release") is not None:
        return ["grid says where ranges end, and release gives numbers instead; give one"]
    beside = [key for key in ("hierarchy", "levels") if key in spec]
    if beside:
        return [f"grid and {beside[0]} both say which ranges there are; give one"]
    if is_number(step) and step > 0 and exact(grid) % exact(step):
        return [f"grid must be a multiple of step ({step:g}), so that its lines fall between steps"]
    return []


def _number_faults(spec: Mapping[str, Any]) -> list[str]:
    """What is wrong with how the numbers of a column are released."""
    release, bounds = spec.get("release"), spec.get("range")
    extra = [key for key in ("top", "bottom", "round") if key in spec]
    if release is None:
        give = f"is for numbers that stay numbers; give release, one of {', '.join(NUMBERS)}"
        return [f"{key} {give}" for key in extra[:1]]
    if release not in NUMBERS:
        return [f"release must be one of {', '.join(NUMBERS)}"]
    faults = [f"{key} must be a number" for key in extra if not is_number(spec[key])]
    if bounds is None or not _pair(bounds):
        faults.append(f'release = "{release}" needs a range, the smallest and the largest value there can be')
    elif not faults and not bounds[0] <= spec.get("bottom", bounds[0]) < spec.get("top", bounds[1]) <= bounds[1]:
        faults.append("bottom must be below top, and both in the range")
    if not faults and "round" in spec and spec["round"] <= 0:
        faults.append("round must be a number above 0")
    return faults


def _require_faults(spec: Mapping[str, Any]) -> list[str]:
    """What is wrong with what must hold of a column."""
    required = spec["require"]
    if spec.get("role") in ROLES and spec["role"] != "sensitive":
        return ["require is for a sensitive column"]
    if not isinstance(required, Mapping) or not required:
        return ["require must be a table, for example { l = 3 }"]
    unknown = sorted(map(str, set(required) - {*REQUIRED, "diversity"}))
    if unknown:
        return [f"require takes no {unknown[0]!r}; it takes: diversity, {', '.join(REQUIRED)}"]
    return [f"{key} must be a number" for key in REQUIRED if key in required and not is_number(required[key])]


def _pair(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and all(map(is_number, value))


def _key(name: str) -> str:
    """A TOML key; JSON's quoting is TOML's."""
    return name if name and all(c.isascii() and (c.isalnum() or c in "_-") for c in name) else _key_value(name)


def _key_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_key_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_key_value(v) for v in value) + "]"
    # TOML wants DEL escaped where JSON does not
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
