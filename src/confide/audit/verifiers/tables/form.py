"""The form of a released table: roles that fit its columns, and identifiers that are gone or keyed pseudonyms."""

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from confide.audit.verifiers.tables.tallied_rows import CodedRows, PartedRows, are_pseudonyms
from confide.core.artefacts.originals import Population
from confide.core.artefacts.passes import ReleasedTable
from confide.core.checks import Check
from confide.core.datasets.stored_table import StoredTable
from confide.core.passport import Passport
from confide.core.requirements import KMapByWeight, Requirement
from confide.core.requirements.tables import PSEUDONYMS, TableRequirement
from confide.core.tables.schema import NUMBERS, ROLES

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "ASKED",
    "check_asked",
    "check_identifiers",
    "check_numbers",
    "check_roles",
    "check_schema",
    "count_rows",
    "known_values",
    "weights_asked",
]

ASKED = "columns that it speaks of are sensitive"


def check_identifiers(
    whole: "pa.Table | StoredTable | ReleasedTable",
    table: "pa.Table | CodedRows | PartedRows",
    roles: Mapping[str, str],
    pseudonyms: Any,
    passport: Passport,
) -> Iterator[Check]:
    """Whether no column of an identifier is left, but for pseudonyms that the passport names."""
    present = [name for name in whole.column_names if roles[name] == "identifier"]
    named = pseudonyms if isinstance(pseudonyms, list) else []
    bare = [name for name in present if name not in named]
    yield Check(
        name="no identifier is present",
        ok=not bare,
        detail=f"{len(bare)} identifier column{'s' * (len(bare) > 1)} in the table" if bare else "",
    )
    for name in present:
        if name in named:
            ok = are_pseudonyms(whole if isinstance(table, PartedRows) else table, name)
            yield Check(
                name=f"{name!r} holds pseudonyms",
                ok=ok,
                detail="" if ok else "each must be 32 hexadecimal digits, in one row only",
            )
    if named:
        said = PSEUDONYMS in passport.does_not_protect_against
        yield Check(
            name="what pseudonyms leave open is named", ok=said, detail="" if said else f"not said: {PSEUDONYMS}"
        )


def check_numbers(
    table: "pa.Table | CodedRows | PartedRows", roles: Mapping[str, str], numbers: Any
) -> Iterator[Check]:
    """Whether the columns that the passport calls means, medians or midpoints hold nothing but numbers."""
    if numbers is None:
        return
    named = numbers if isinstance(numbers, Mapping) else {}
    wrong = [
        name
        for name, kind in named.items()
        if roles.get(name) != "quasi-identifier" or kind not in NUMBERS or not _holds_numbers(table, name)
    ]
    yield Check(
        name="columns of numbers hold numbers",
        ok=bool(named) and not wrong,
        detail=f"not so: {', '.join(map(repr, wrong[:5]))}" if wrong else f"{len(named)} columns",
    )


def _holds_numbers(table: "pa.Table | CodedRows | PartedRows", name: str) -> bool:
    import pyarrow as pa

    values = known_values(table, name)
    if values is None:
        return False
    if pa.types.is_integer(values.type) or pa.types.is_floating(values.type) or pa.types.is_decimal(values.type):
        return True
    texts = values.unique().to_pylist()
    return all(text in (None, "") or (isinstance(text, str) and _NUMBER.fullmatch(text)) for text in texts)


def known_values(table: "pa.Table | CodedRows | PartedRows", name: str) -> "pa.Array | pa.ChunkedArray | None":
    """The values of a column, each at least once; None if there is no such column."""
    if isinstance(table, PartedRows):
        return next((of_name.known for of_name in table.values if of_name.name == name), None)
    if isinstance(table, CodedRows):
        return table.values.get(name)
    return table.column(name) if name in table.column_names else None


_NUMBER = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,40})?(e[+-]?[0-9]{1,3})?")


def count_rows(table: "pa.Table | StoredTable | ReleasedTable") -> int:
    """How many rows there are, in memory or not."""
    return len(table) if isinstance(table, StoredTable | ReleasedTable) else int(table.num_rows)


def check_roles(names: list[str], rows: int, roles: Any, *, sensitive: bool) -> Iterator[Check]:
    """Whether each column has one role, and there is something to be found by (with `sensitive`, and to be kept)."""
    if not isinstance(roles, Mapping) or not all(role in ROLES for role in roles.values()):
        yield Check(
            name="roles fit the columns",
            ok=False,
            detail=f"the passport's context has no 'roles', a role for each column; roles are: {', '.join(ROLES)}",
        )
        return
    twice = {name for name, times in Counter(names).items() if times > 1}
    without = [name for name in names if name not in roles]
    # A role for an identifier that is not there is no fault: it was left out, as it should be.
    absent = [name for name in roles if name not in names and roles[name] != "identifier"]
    persons = [name for name in roles if roles[name] == "person"]
    faults = [
        f"{text}: {', '.join(map(repr, found[:5]))}{', ...' * (len(found) > 5)}"
        for text, found in (
            ("twice", sorted(twice)),
            ("without a role", without),
            ("not in the table", absent),
            ("more than one for persons", persons[1:]),
        )
        if found
    ]
    yield Check(name="roles fit the columns", ok=not faults, detail="; ".join(faults) or f"{len(names)} columns")
    yield Check(name="there are rows", ok=rows > 0, detail=f"{rows:,} rows")
    present = [roles[name] for name in names if name in roles]
    for role in ("quasi-identifier", "sensitive") if sensitive else ("quasi-identifier",):
        count = present.count(role)
        yield Check(
            name=f"a {role}{' column' * (role == 'sensitive')} is named",
            ok=count > 0,
            detail=f"{count} column{'s' * (count != 1)}",
        )


def check_asked(sensitive: Container[str], passport: Passport) -> Iterator[Check]:
    """Whether the columns that the requirement names are sensitive columns of the table."""
    requirement = Requirement.from_dict(passport.requirement)
    named = [name for name in getattr(requirement, "columns", ()) if name is not None]
    strange = [name for name in named if name not in sensitive]
    if named:
        detail = f"{', '.join(map(repr, strange[:5]))}: not sensitive here" if strange else ""
        yield Check(name=ASKED, ok=not strange, detail=detail)


def weights_asked(passport: Passport) -> tuple[str, ...]:
    """The columns of sampling weights that a requirement goes by."""
    requirement = Requirement.from_dict(passport.requirement)
    parts = requirement.parts_asked if isinstance(requirement, TableRequirement) else ()
    return tuple(dict.fromkeys(part.weight for part in parts if isinstance(part, KMapByWeight)))


def check_schema(passport: Passport, population: Population | None) -> Iterator[Check]:
    """Whether the release calls quasi-identifiers what the schema beside a population does: an attacker who has such a
    register links by all of them."""
    roles = passport.context.get("roles")
    if population is None or not isinstance(roles, Mapping):
        return
    asked = population.schema.named("quasi-identifier")
    hidden = [name for name in asked if roles.get(name) not in (None, "identifier", "quasi-identifier")]
    detail = f"{', '.join(map(repr, hidden[:5]))}: others can know it, by the schema" if hidden else ""
    yield Check(name="it counts by what the schema says others can know", ok=not hidden, detail=detail)
