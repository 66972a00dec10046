"""A table seen through the roles of its columns: which rows look alike, and what they give away.

The passport's context gives each column its role; the rows that agree in all quasi-identifiers form a group. What
counts as agreeing is said in `grouping`. Only columns with the role "sensitive" are asked for diversity and closeness.
Checks tell sizes and numbers of groups and names of columns, never values.

**Persons.** Where a column has the role "person", a group has as many members as it has persons, and a sensitive value
counts once for each person who has it, in however many rows. The column must hold 1, 2, 3, ... in order of first
appearance within its group: that says which rows of a group belong together, and nothing else. Numbers say nothing
across groups, or the rows of one person could be joined and the person found by all of them. A person can have several
values, so the counts f1 >= f2 >= ... of a group of n persons may sum to more than n. Then what asks how values are
spread (distinct, entropy, recursive) is asked of the *filled* counts

    h1 = min(f1, n),    h2 = min(f2, n - h1),    h3 = min(f3, n - h1 - h2),    ...

the values filled with persons, commonest first, until none is left. Pick one value of each person in any way you like:
the first j of the counts so picked never sum to more than the first j of these, so what holds of h holds of every
pick. With a row per person, h is f.

**Pseudonyms.** An identifier may stay only as a keyed pseudonym of 32 hexadecimal digits, in one row each, and if the
passport names it and says what that leaves open.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from confide.audit.verifiers.grids import check_grids
from confide.audit.verifiers.grouping import (
    Groups,
    NumberedColumn,
    Sizes,
    Tally,
    count_members,
    group_rows,
    number_sensitive,
    number_values,
)
from confide.audit.verifiers.tables.form import (
    ASKED,
    check_asked,
    check_identifiers,
    check_numbers,
    check_roles,
    check_schema,
    count_rows,
    weights_asked,
)
from confide.audit.verifiers.tables.tallied_rows import CodedRows, PartedRows, different_rows
from confide.audit.verifiers.tables.telling import contents_check, joint_checks, telling_checks
from confide.core.artefacts import type_of
from confide.core.artefacts.originals import Population
from confide.core.artefacts.passes import ReleasedTable
from confide.core.checks import Check
from confide.core.datasets.stored_table import StoredTable
from confide.core.errors import InputError
from confide.core.passport import Passport
from confide.core.requirements import Requirement
from confide.core.requirements.earlier_releases import values_together
from confide.core.requirements.tables import TableRequirement
from confide.core.tables.frames import to_table

if TYPE_CHECKING:
    import pyarrow as pa

    from confide.audit.verifiers.tables.parted import PartedLook

__all__ = [
    "GroupCheck",
    "TableLook",
    "WholeCounts",
    "all_pass",
    "look_at",
    "look_through",
    "look_with_persons",
    "not_of_trees",
    "verified",
]

R = TypeVar("R", bound=TableRequirement)


@dataclass(frozen=True)
class WholeCounts:
    """All rows of a table, of which a look shows a part: how many `members` (rows, or persons in each of their groups)
    it has, and how many of them have each value of each sensitive column."""

    members: int
    counts: Mapping[str, NDArray[np.int64]]

    def __add__(self, other: "WholeCounts") -> "WholeCounts":
        counts = {name: counts + other.counts[name] for name, counts in self.counts.items()}
        return WholeCounts(self.members + other.members, counts)


@dataclass(frozen=True)
class TableLook:
    """The groups of a table, and its sensitive columns numbered.

    `persons` holds for each row the number of its person within the group, if the table has such a column. `others`
    are the sensitive columns numbered as quasi-identifiers are. `orders` are the declared orders of sensitive values.
    Of a table in parts, `whole` counts all its rows, and its persons. `quasi` are the columns that make the groups,
    `weights` those of sampling weights that are asked about, `population` the people who may be counted.
    """

    groups: Groups
    sensitive: Mapping[str, NumberedColumn]
    persons: NumberedColumn | None = None
    others: Mapping[str, NumberedColumn] = field(default_factory=dict)
    orders: Mapping[str, Any] = field(default_factory=dict)
    whole: "tuple[WholeCounts, WholeCounts] | None" = None
    quasi: Mapping[str, NumberedColumn] = field(default_factory=dict)
    weights: Mapping[str, NumberedColumn] = field(default_factory=dict)
    population: Population | None = None

    @property
    def whole_members(self) -> int:
        """How many rows, or persons in each of their groups, the whole has."""
        return int(self.sizes.sum()) if self.whole is None else self.whole[self.persons is not None].members

    def whole_counts(self, name: str, tally: Tally) -> NDArray[np.int64]:
        """How often each value of a sensitive column stands in the whole; `tally` is that of the look."""
        if self.whole is None:
            return tally.by_value(self.sensitive[name].n)
        return self.whole[self.persons is not None].counts[name]

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many rows, or persons, each group has."""
        return self.groups.sizes if self.persons is None else count_members(self.groups, self.persons)

    def tally(self, name: str) -> Tally:
        """How many rows (or persons) of each group have each value of a sensitive column; f above."""
        return self.groups.tally(self.sensitive[name], members=self.persons)

    def filled(self, name: str) -> Tally:
        """The same counts, filled with persons as said above; h above."""
        tally = self.tally(name)
        if self.persons is None:
            return tally
        running = np.cumsum(tally.counts)
        before = np.where(tally.starts > 0, running[tally.starts - 1], 0)
        upto = np.minimum(running - before[tally.group], self.sizes[tally.group])
        earlier = np.append(0, upto[:-1])
        earlier[tally.starts] = 0
        return replace(tally, counts=upto - earlier)

    @cached_property
    def rows(self) -> Sizes:
        """Sizes of the groups in rows."""
        return Sizes.of(self.groups.sizes)

    @cached_property
    def members(self) -> Sizes:
        """Sizes of the groups in rows, or in persons where these are counted."""
        return Sizes.of(self.sizes)

    @property
    def counts_persons(self) -> bool:
        """Whether persons are counted instead of rows."""
        return self.persons is not None

    def ordered(self, orders: Mapping[str, Any]) -> "TableLook":
        """The same look, with the declared orders of sensitive values."""
        return replace(self, orders=orders)

    def judged(self, judge: "Callable[[TableLook, R], Iterator[Check]]", requirement: R) -> Iterator[Check]:
        """The checks of a requirement."""
        return judge(self, requirement)

    def beside(self, population: Population | None) -> "TableLook":
        """The same look, with a population to count."""
        return replace(self, population=population)

    def of_persons(self, persons: NumberedColumn) -> "TableLook":
        """The same look, with persons counted instead of rows."""
        return replace(self, persons=persons)

    def narrowed(self, requirement: TableRequirement) -> "TableLook":
        """The look at the sensitive column that a requirement speaks of; the same look if it speaks of each of them."""
        name = requirement.column
        return self if name is None else replace(self, sensitive={name: self.sensitive[name]})

    def with_others_known(self, name: str) -> "TableLook":
        """The look of someone who also knows every sensitive column but this one."""
        known = [column for other, column in self.others.items() if other != name]
        whole = NumberedColumn(self.groups.of, len(self.groups.sizes))
        finer = group_rows([whole, *known], len(self.groups.of), self.groups.times)
        return TableLook(finer, self.sensitive, orders=self.orders, whole=self.whole)


def look_at(
    artefact: Any, passport: Passport, *, sensitive: bool
) -> "tuple[list[Check], TableLook | PartedLook | None]":
    """The checks on form and roles and, unless those stand in the way, the look."""
    whole = artefact if isinstance(artefact, StoredTable | ReleasedTable) else to_table(artefact)
    context = passport.context
    roles = context.get("roles")
    checks = list(check_roles(whole.column_names, count_rows(whole), roles, sensitive=sensitive))
    if not all(check.ok for check in checks):
        return checks, None
    assert isinstance(roles, Mapping)
    try:
        stored = isinstance(whole, StoredTable | ReleasedTable)
        weights = weights_asked(passport)
        table = different_rows(whole, roles, sensitive=sensitive, more=weights) if stored else whole
        checks += check_identifiers(whole, table, roles, context.get("pseudonyms", []), passport)
        checks += check_numbers(table, roles, context.get("numbers"))
        checks += check_grids(table, roles, context.get("grids"))
        look = _look(table, roles, sensitive=sensitive, weights=weights)
    except InputError as error:
        return [*checks, Check(name="values can be compared", ok=False, detail=str(error))], None
    named = [name for name, role in roles.items() if role == "person"]
    persons = look.counts_persons
    checks += [
        Check(
            name="persons are numbered within their group",
            ok=persons,
            detail="" if persons else f"{name!r} must count 1, 2, 3, ... by first appearance",
        )
        for name in named
    ]
    checks += [*check_asked(look.sensitive, passport), *joint_checks(passport)]
    checks += telling_checks(passport, look.rows, look.members, persons=persons)
    checks.append(contents_check(look.rows, look.members, persons=persons))
    orders = context.get("orders", {})
    if not isinstance(orders, Mapping):
        checks.append(Check(name="orders are lists", ok=False, detail="the context's 'orders' gives a list by column"))
        orders = {}
    stop = (named and not persons) or not all(check.ok for check in checks if check.name == ASKED)
    return checks, None if stop else look.ordered(orders)


def _look(
    table: "pa.Table | CodedRows | PartedRows", roles: Mapping[str, str], *, sensitive: bool, weights: tuple[str, ...]
) -> "TableLook | PartedLook":
    if not isinstance(table, PartedRows):
        return look_with_persons(table, roles, sensitive=sensitive, weights=weights)
    from confide.audit.verifiers.tables.parted import PartedLook

    return PartedLook.of(table, roles, sensitive=sensitive, weights=weights)


def look_with_persons(
    table: "pa.Table | CodedRows", roles: Mapping[str, str], *, sensitive: bool, weights: Collection[str] = ()
) -> TableLook:
    """The look of a table whose roles fit; persons count if they are numbered within their groups."""
    look = look_through(table, roles, sensitive=sensitive, weights=weights)
    for name in [name for name, role in roles.items() if role == "person"]:
        persons = _persons_of(table, name, look.groups)
        look = look if persons is None else look.of_persons(persons)
    return look


def look_through(
    table: "pa.Table | CodedRows", roles: Mapping[str, str], *, sensitive: bool, weights: Collection[str] = ()
) -> TableLook:
    """The look of a table whose roles fit, with nothing asked of persons and identifiers."""

    def values(name: str) -> NumberedColumn:
        if isinstance(table, CodedRows):
            return table.number_values(name)
        return number_values(table.column(name), name=name)

    def meanings(name: str) -> NumberedColumn:
        if isinstance(table, CodedRows):
            return table.number_sensitive(name)
        return number_sensitive(table.column(name), name=name)

    def named(role: str) -> list[str]:
        return [name for name, given in roles.items() if given == role]

    times = table.times if isinstance(table, CodedRows) else None
    quasi = {name: values(name) for name in named("quasi-identifier")}
    groups = group_rows(quasi.values(), table.num_rows, times)
    weighed = {name: values(name) for name in weights if name in roles}
    look = TableLook(groups, {}, quasi=quasi, weights=weighed)
    if not sensitive:
        return look
    return replace(
        look,
        sensitive={name: meanings(name) for name in named("sensitive")},
        others={name: values(name) for name in named("sensitive")},
    )


def verified(
    artefact: Any,
    passport: Passport,
    cls: type[R],
    judge: Callable[[TableLook, R], Iterator[Check]],
    population: Population | None = None,
) -> Iterator[Check]:
    """The checks of a requirement: on form and roles and, if these hold, what `judge` says of the look, with the people
    of a population where they are given."""
    requirement = Requirement.from_dict(passport.requirement)
    assert isinstance(requirement, cls)
    if type_of(artefact) == "tree":
        yield not_of_trees(requirement)
        return
    together = values_together(passport.context)
    checks, look = look_at(artefact, passport, sensitive=requirement.of_sensitive or together > 1)
    yield from (*checks, *check_schema(passport, population))

    def judged(part: TableLook, asked: R) -> Iterator[Check]:
        yield from judge(part.narrowed(asked), asked)
        if together > 1:  # who is in a cell is in a group with all values of the cell
            few = [part.tally(name).different < together for name in part.sensitive]
            yield all_pass(
                "no group has fewer values than that", part, ~reduce(np.logical_or, few), f"{together} values"
            )

    if look is not None:
        yield from look.beside(population).judged(judged, requirement)


@dataclass(frozen=True, kw_only=True)
class GroupCheck(Check):
    """A check of every group; its detail is made of numbers that add up with those of further groups."""

    parameters: str = field(repr=False, compare=False)
    unit: str = field(repr=False, compare=False)
    sizes: Sizes | None = field(repr=False, compare=False)
    failing: Sizes | None = field(repr=False, compare=False)

    @classmethod
    def of(cls, name: str, parameters: str, unit: str, sizes: Sizes | None, failing: Sizes | None) -> "GroupCheck":
        """The check and its detail; None where there are no groups, or none fail."""
        groups = 0 if sizes is None else sizes.groups
        detail = f"{parameters}: "
        if failing is not None:
            detail += f"{failing.groups:,} of "
        detail += f"{groups:,} group{'s' * (groups != 1)}"
        if sizes is not None:
            detail += f", the smallest of {sizes.least:,} {unit}"
        if failing is not None:
            detail += f", fail; {failing.total:,} {unit} are in them"
        ok = failing is None
        return cls(name=name, ok=ok, detail=detail, parameters=parameters, unit=unit, sizes=sizes, failing=failing)

    def with_more(self, other: "GroupCheck") -> "GroupCheck":
        """The same check of these groups and others."""
        sizes = [one for one in (self.sizes, other.sizes) if one is not None]
        failing = [one for one in (self.failing, other.failing) if one is not None]
        return GroupCheck.of(self.name, self.parameters, self.unit, _sum(sizes), _sum(failing))


def _sum(sizes: list[Sizes]) -> Sizes | None:
    return reduce(Sizes.__add__, sizes) if sizes else None


def all_pass(name: str, look: TableLook, ok: NDArray[np.bool_], parameters: str) -> Check:
    """One check over all groups, told in numbers."""
    sizes = look.sizes
    failing = None if ok.all() else Sizes.of(sizes[~ok])
    unit = "persons" if look.counts_persons else "rows"
    return GroupCheck.of(name, parameters, unit, look.members if len(sizes) else None, failing)


def not_of_trees(requirement: Requirement) -> Check:
    """The failed check of a tree that stands where only a table can be asked."""
    return Check(name=requirement.kind, ok=False, detail="is asked of tables; nobody verifies it of a tree")


def _persons_of(table: "pa.Table | CodedRows", name: str, groups: Groups) -> NumberedColumn | None:
    """The numbers of persons, if they count up by first appearance within each group; otherwise None."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = pa.chunked_array([table.values[name]]) if isinstance(table, CodedRows) else table.column(name)
    if column.null_count:
        return None
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        if not pc.all(pc.match_substring_regex(column, "^[1-9][0-9]{0,17}$"), min_count=0).as_py():
            return None
        column = column.cast(pa.int64())
    if not pa.types.is_signed_integer(column.type):
        return None
    numbers = column.cast(pa.int64()).to_numpy()
    if isinstance(table, CodedRows):
        numbers = numbers[table.codes[name]]
    n = len(numbers)
    if n == 0:
        return NumberedColumn(numbers, 1)
    if numbers.min() < 1 or numbers.max() > n:
        return None
    order = np.argsort(groups.of, kind="stable")
    group, number = groups.of[order], numbers[order]
    # the largest number so far within the group: groups are set far enough apart not to reach into each other
    largest = np.maximum.accumulate(group * (n + 1) + number) - group * (n + 1)
    before = np.append(0, largest[:-1])
    before[np.append(True, group[1:] != group[:-1])] = 0
    return NumberedColumn(numbers, n + 1) if (number <= before + 1).all() else None
