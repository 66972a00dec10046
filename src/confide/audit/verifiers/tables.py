"""Verify k-anonymity and diversity of tables (and, through `trees`, of published decision trees).

The passport's context gives each column its role; the rows that agree in all quasi-identifiers form a group. What
counts as agreeing is said in `grouping`. Only columns with the role "sensitive" are asked for diversity. Checks tell
sizes and numbers of groups and names of columns, never values.

Source: paper 002, Definitions 2 and 3.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.audit.verifiers.grouping import Groups, Numbered, look_alike
from confide.core.artefacts import type_of
from confide.core.checks import Check
from confide.core.errors import InputError
from confide.core.passport import Passport
from confide.core.requirements import KAnonymity, RecursiveDiversity, Requirement, SimpleDiversity
from confide.core.requirements.tables import ESTIMATED
from confide.core.tables.frames import to_table
from confide.core.tables.schema import ROLES

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["verify_k_anonymity", "verify_recursive_diversity", "verify_simple_diversity"]


def verify_k_anonymity(artefact: Any, passport: Passport) -> Iterator[Check]:
    """Each combination of quasi-identifier values is shared by at least k rows; each leaf of a tree by k."""
    requirement = Requirement.from_dict(passport.requirement)
    assert isinstance(requirement, KAnonymity)
    if type_of(artefact) == "tree":
        from confide.audit.verifiers.trees import k_anonymity_of_tree

        yield from k_anonymity_of_tree(artefact, requirement)
        return
    look = _Look.at(artefact, passport.context.get("roles"))
    yield from look.checks
    if look.groups is not None:
        sizes = look.groups.sizes
        yield _all_pass("k-anonymity", sizes, sizes >= requirement.k, f"k={requirement.k}")


def verify_simple_diversity(artefact: Any, passport: Passport) -> Iterator[Check]:
    """In each group, no value of a sensitive column holds more than 1/l of the rows."""
    requirement = Requirement.from_dict(passport.requirement)
    assert isinstance(requirement, SimpleDiversity)
    if type_of(artefact) == "tree":
        from confide.audit.verifiers.trees import diversity_of_tree

        estimated = passport.context.get("estimated") is True
        if estimated:
            yield _estimate_check(passport)
        yield from diversity_of_tree(artefact, requirement, estimated=estimated)
        return
    look = _Look.at(artefact, passport.context.get("roles"), diverse=True)
    yield from look.checks
    if look.groups is not None:
        sizes = look.groups.sizes
        for name, column in look.sensitive.items():
            ok = look.groups.tally(column).tops * requirement.l <= sizes
            yield _all_pass(f"simple diversity of {name!r}", sizes, ok, f"l={requirement.l}")


def verify_recursive_diversity(artefact: Any, passport: Passport) -> Iterator[Check]:
    """In each group, with counts f1 >= f2 >= ... of a sensitive column's values, f1 < c (fl + fl+1 + ...)."""
    requirement = Requirement.from_dict(passport.requirement)
    assert isinstance(requirement, RecursiveDiversity)
    if type_of(artefact) == "tree":
        from confide.audit.verifiers.trees import diversity_of_tree

        estimated = passport.context.get("estimated") is True
        if estimated:
            yield _estimate_check(passport)
        yield from diversity_of_tree(artefact, requirement, estimated=estimated)
        return
    look = _Look.at(artefact, passport.context.get("roles"), diverse=True)
    yield from look.checks
    if look.groups is not None:
        for name, column in look.sensitive.items():
            tally = look.groups.tally(column)
            # Few pairs are different, so each can be judged with fractions of any length.
            pairs, place = np.unique(np.stack([tally.tops, tally.tails(requirement.l)]), axis=1, return_inverse=True)
            judged = [requirement.most_frequent_allowed(tail=int(t), top=int(f)) for f, t in pairs.T]
            ok = np.array(judged, dtype=np.bool_)[place.reshape(-1)]
            label = f"c={requirement.c:g}, l={requirement.l}"
            yield _all_pass(f"recursive diversity of {name!r}", look.groups.sizes, ok, label)


def _estimate_check(passport: Passport) -> Check:
    """A promise that rests on an estimate says so where it says what it does not protect against."""
    ok = ESTIMATED in passport.does_not_protect_against
    said = "the passport says that the promise rests on an estimate" if ok else f"its limits do not say: {ESTIMATED}"
    return Check(name="the estimate is named", ok=ok, detail=said)


def _all_pass(name: str, sizes: NDArray[np.int64], ok: NDArray[np.bool_], parameters: str) -> Check:
    smallest = f", the smallest of {sizes.min():,} rows" if len(sizes) else ""
    shape = f"{len(sizes):,} group{'s' * (len(sizes) != 1)}{smallest}"
    if ok.all():
        return Check(name=name, ok=True, detail=f"{parameters}: {shape}")
    return Check(
        name=name,
        ok=False,
        detail=f"{parameters}: {(~ok).sum():,} of {shape}, fail; {sizes[~ok].sum():,} rows are in them",
    )


@dataclass(frozen=True)
class _Look:
    """A table seen through the roles of its columns: the checks made so far and, if they held, its groups."""

    checks: list[Check]
    groups: Groups | None
    sensitive: dict[str, Numbered]

    @classmethod
    def at(cls, artefact: Any, roles: Any, *, diverse: bool = False) -> "_Look":
        table = to_table(artefact)
        checks = list(_role_checks(table, roles, diverse=diverse))
        if not all(check.ok for check in checks):
            return cls(checks, None, {})
        try:
            wanted = {name: role for name, role in roles.items() if diverse or role != "sensitive"}
            groups, columns = look_alike(table, wanted)
        except InputError as error:
            return cls([*checks, Check(name="values can be compared", ok=False, detail=str(error))], None, {})
        return cls(checks, groups, columns)


def _role_checks(table: "pa.Table", roles: Any, *, diverse: bool) -> Iterator[Check]:
    if not isinstance(roles, Mapping) or not all(role in ROLES for role in roles.values()):
        yield Check(
            name="roles fit the columns",
            ok=False,
            detail=f"the passport's context has no 'roles', a role for each column; roles are: {', '.join(ROLES)}",
        )
        return
    names = table.column_names
    twice = {name for name, times in Counter(names).items() if times > 1}
    without = [name for name in names if name not in roles]
    # A role for an identifier that is not there is no fault: it was left out, as it should be.
    absent = [name for name in roles if name not in names and roles[name] != "identifier"]
    faults = [
        f"{text}: {', '.join(map(repr, found[:5]))}{', ...' * (len(found) > 5)}"
        for text, found in (("twice", sorted(twice)), ("without a role", without), ("not in the table", absent))
        if found
    ]
    yield Check(name="roles fit the columns", ok=not faults, detail="; ".join(faults) or f"{len(names)} columns")
    present = [roles[name] for name in names if name in roles]
    identifiers = present.count("identifier")
    yield Check(
        name="no identifier is present",
        ok=identifiers == 0,
        detail=f"{identifiers} identifier column{'s' * (identifiers > 1)} in the table" if identifiers else "",
    )
    for role in ("quasi-identifier", "sensitive") if diverse else ("quasi-identifier",):
        count = present.count(role)
        yield Check(name=f"a {role} is named", ok=count > 0, detail=f"{count} column{'s' * (count != 1)}")
