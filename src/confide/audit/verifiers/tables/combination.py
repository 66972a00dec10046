"""Verify several requirements at once, and one for someone who knows a person's other sensitive values.

The table is looked at once; each part is judged on that look. With the other values known, the rows that also agree
in those form the groups, for each sensitive column in turn.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from confide.audit.verifiers.tables.look import TableLook, not_of_trees, verified
from confide.core.artefacts import type_of
from confide.core.artefacts.originals import Population
from confide.core.checks import Check
from confide.core.passport import Passport
from confide.core.requirements import AllOf, OthersKnown, Requirement
from confide.core.requirements.tables import TableRequirement
from confide.core.stages import TABLE_KINDS, named

__all__ = ["judge", "verify_all_of", "verify_others_known"]


def judge(look: TableLook, requirement: Requirement) -> Iterator[Check]:
    """Any requirement of a table, on a look that is there already."""
    if isinstance(requirement, AllOf):
        for part in requirement.parts:
            yield from judge(look, part)
    elif isinstance(requirement, OthersKnown):
        yield from _judge_others_known(look, requirement)
    else:
        assert isinstance(requirement, TableRequirement)
        yield from named(TABLE_KINDS[requirement.kind].judge)(look.narrowed(requirement), requirement)


def verify_all_of(artefact: Any, passport: Passport, people: Population | None = None) -> Iterator[Check]:
    """Each part holds of the same artefact."""
    requirement = Requirement.from_dict(passport.requirement)
    assert isinstance(requirement, AllOf)
    if type_of(artefact) == "tree":
        return _all_of_tree(artefact, passport, requirement)
    return verified(artefact, passport, AllOf, judge, people)


def verify_others_known(artefact: Any, passport: Passport) -> Iterator[Check]:
    """For each sensitive column in turn, the requirement holds with the others as quasi-identifiers."""
    return verified(artefact, passport, OthersKnown, judge)


def _judge_others_known(look: TableLook, requirement: OthersKnown) -> Iterator[Check]:
    several = len(look.sensitive) > 1
    yield Check(
        name="there are other sensitive columns",
        ok=several,
        detail="" if several else "with one sensitive column there is nothing else to know",
    )
    if look.persons is not None:
        yield Check(
            name="other values known", ok=False, detail="is asked of tables with a row per person, not of persons"
        )
        return
    for name in look.sensitive if requirement.of.column is None else [requirement.of.column]:
        finer = look.with_others_known(name)
        for check in judge(replace(finer, sensitive={name: look.sensitive[name]}), requirement.of):
            yield replace(check, name=f"{check.name}, other sensitive values known")


def _all_of_tree(artefact: Any, passport: Passport, requirement: AllOf) -> Iterator[Check]:
    """Parts that ask the same questions of the tree's form ask them once."""
    asked: set[Check] = set()
    for part in requirement.parts:
        kind = TABLE_KINDS[part.kind]
        if not kind.of_trees:
            yield not_of_trees(part)
            continue
        for check in named(kind.verifier)(artefact, passport.model_copy(update={"requirement": part.to_dict()})):
            if check not in asked:
                asked.add(check)
                yield check
