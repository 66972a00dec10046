"""What is asked of which sensitive column: numbers by column become one requirement.

A number is asked of a column if it is given for that column; else if the schema requires it of the column; else if it
is given for all. What goes together (l, diversity and c; alpha; t; beta; delta) is decided together. Where no column
has a number of its own, the requirement names none.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from confide.core.errors import UsageError
from confide.core.jobs.kinds import PerColumn
from confide.core.stages import NUMBERS_OF_COLUMNS, TABLE_KINDS, named

if TYPE_CHECKING:
    from confide.core.requirements.tables import TableRequirement
    from confide.core.tables.schema import Schema

__all__ = ["Asked"]

_TOGETHER = tuple(
    ("l", "diversity", "c") if number == "l" else (number,) for number in NUMBERS_OF_COLUMNS if number != "c"
)


@dataclass(frozen=True)
class Asked:
    """One value for each (name, column), the column "*" for those without their own; and the schema, where known."""

    values: Mapping[tuple[str, str], Any]
    schema: "Schema | None"

    def bare(self, name: str) -> Any:
        """The value for all columns; None if there is none."""
        return self.values.get((name, PerColumn.ALL))

    def requirement(self) -> "TableRequirement | None":
        """All that is asked for, joined by `&`; `l` without a `diversity` means the simple one."""
        from confide.core.requirements import tables

        self._check_columns()
        sensitive = [part for names in _TOGETHER for part in self._parts(names)]
        k = self.bare("k")
        for name, kind in TABLE_KINDS.items():
            for switch in kind.switches:
                if self.bare(switch) and all(part.kind != name for part in sensitive):
                    message = f"{switch} goes with {kind.numbers[0]}=; give both"
                    raise UsageError(message, parameter=switch, value=True)
        others_known = self.bare("others_known")
        if others_known and not sensitive:
            raise UsageError(
                "with other values known, something must be asked of sensitive values: give l= or t=",
                parameter="others_known",
                value=True,
            )
        has_k = any(isinstance(part, tables.AlphaK) for part in sensitive)
        parts: list[TableRequirement] = [tables.KAnonymity(k=k)] if k is not None and not has_k else []
        parts += [tables.OthersKnown(of=part) for part in sensitive] if others_known else sensitive
        return tables.all_of(*parts) if parts else None

    def _required(self, column: str) -> Mapping[str, Any]:
        """What the schema requires of a column."""
        return {} if self.schema is None else self.schema.columns[column].require or {}

    def _check_columns(self) -> None:
        if self.schema is None:
            return
        sensitive = self.schema.named("sensitive")
        for name, column in self.values:
            if column != PerColumn.ALL and column not in sensitive:
                known = f"sensitive columns are: {', '.join(sensitive)}" if sensitive else "there is none"
                raise UsageError(f"{name}= names {column!r}, which is not a sensitive column; {known}", parameter=name)

    def _parts(self, names: tuple[str, ...]) -> "Iterator[TableRequirement]":
        """The requirements that numbers which go together make: one for each column, or one for all."""
        own = [column for name, column in self.values if name in names and column != PerColumn.ALL]
        for column in self.schema.named("sensitive") if self.schema is not None else ():
            own += [column] * any(name in names for name in self._required(column))
        everywhere = {name: value for name in names if (value := self.bare(name)) is not None}
        if not own:
            yield from self._part(names, everywhere, None)
            return
        every = dict.fromkeys(own) if self.schema is None else self.schema.named("sensitive")
        for column in every:
            given = {name: value for (name, of), value in self.values.items() if of == column and name in names}
            required = {name: value for name, value in self._required(column).items() if name in names}
            if "diversity" in given:
                required.pop("c", None)
            mine = required | given
            if "diversity" in mine and mine["diversity"] != "recursive":
                mine = {"c": None} | mine  # the c of others has nothing to say here
            values = {name: value for name, value in (everywhere | mine).items() if value is not None}
            if mine or names[0] in values:
                yield from self._part(names, values, column)

    def _part(
        self, names: tuple[str, ...], given: Mapping[str, Any], column: str | None
    ) -> "Iterator[TableRequirement]":
        from confide.core.requirements import tables

        if not given:
            return
        first = names[0]
        if first == "l":
            if "l" in given or column is None or self.schema is not None:  # else the schema may have an l for it
                yield _diversity(given, column)
            return
        value = given[first]
        if first == "alpha":
            k = self.bare("k")
            if k is None:
                raise UsageError(f"alpha={value:g} goes with k=; give both", parameter="alpha", value=value)
            yield tables.AlphaK(alpha=value, k=k, column=column)
        else:
            kind = next(kind for kind in TABLE_KINDS.values() if kind.numbers == (first,))
            switches = {switch: bool(self.bare(switch)) for switch in kind.switches}
            yield named(kind.at)(**{first: value}, **switches, column=column)


def _diversity(given: Mapping[str, Any], column: str | None) -> "TableRequirement":
    from confide.core.requirements import tables

    l, c, kind = given.get("l"), given.get("c"), given.get("diversity")  # noqa: E741 - the paper's letter
    if l is None:
        raise UsageError(f"diversity={kind or 'recursive'} needs l=, the number of sensitive values", parameter="l")
    if (c is not None) != (kind == "recursive"):
        raise UsageError("c= goes with diversity=recursive, and that with c=", parameter="c", value=c)
    if kind == "entropy":
        return tables.EntropyDiversity(l=l, column=column)
    whole: Any = int(l) if l == int(l) else l  # the requirement says what is wrong with 2.5
    if kind == "recursive":
        assert c is not None
        return tables.RecursiveDiversity(c=c, l=whole, column=column)
    kinds = {None: tables.SimpleDiversity, "simple": tables.SimpleDiversity, "distinct": tables.DistinctDiversity}
    if kind not in kinds:
        raise UsageError(f"diversity={kind} is none of: simple, distinct, entropy, recursive", parameter="diversity")
    return kinds[kind](l=whole, column=column)
