"""Verify a set of disjoint rules that `share` released, from its file and passport alone.

Each rule is a leaf, and is judged as one. That no record satisfies two rules is worked out anew, by other means than
where the file is read: a record that satisfies two clauses exists exactly if every attribute that both name has a value
in common.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from confide.audit.verifiers.shared_trees import MODES, commonest, context, form, limits, promise
from confide.audit.verifiers.trees import find_in_leaves
from confide.core.checks import Check
from confide.core.passport import Passport
from confide.core.requirements import Requirement
from confide.core.trees.nodes import Attribute, Edge, Node
from confide.core.trees.rules import Clause, RuleSet

__all__ = ["verify_shared_rules"]


@dataclass(frozen=True)
class _Leaves:
    """The outcomes of rules, as what is checked of a tree sees them."""

    classes: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    nodes: tuple[Node, ...]
    declared: bool
    class_places: dict[str, int]
    shares_of: int | None = None
    marginals: tuple[Any, ...] = ()


def verify_shared_rules(artefact: RuleSet, passport: Passport) -> Iterator[Check]:
    """Every rule keeps the requirement, as far as its mode can show; no two speak of the same record."""
    requirement = Requirement.from_dict(passport.requirement)
    mode = passport.context.get("mode")
    yield from context(passport)
    if mode not in MODES:
        return
    yield _disjoint(artefact)
    leaves: Any = _Leaves(
        classes=artefact.classes,
        attributes=artefact.attributes,
        nodes=tuple(rule.then for rule in artefact.rules),
        declared=artefact.declared,
        class_places={label: place for place, label in enumerate(artefact.classes)},
    )
    yield form(leaves, str(mode))
    yield replace(commonest(leaves), findings=find_in_leaves(leaves.nodes, rules=True))
    used = {name for rule in artefact.rules for clause in rule.when for name in clause}
    yield from limits(leaves, passport, requirement, str(mode), used=used)
    yield from promise(leaves, requirement, str(mode))


def _disjoint(rules: RuleSet) -> Check:
    """Pair by pair; clauses are put in order by what they say of the attribute most of them name, so few pairs are
    left to compare where that tells them apart."""
    clauses = [clause for rule in rules.rules for clause in rule.when]
    named: dict[str, int] = {}
    for clause in clauses:
        for name in clause:
            named[name] = named.get(name, 0) + 1
    first = max(named, key=lambda name: named[name], default="")
    alike: dict[Any, list[Clause]] = {}
    for clause in clauses:
        alike.setdefault(clause.get(first), []).append(clause)
    kinds = list(alike)
    for i, one in enumerate(kinds):
        for other in kinds[i:]:
            if one is not None and other is not None and one != other and not _meet(one, other):
                continue
            for k, a in enumerate(alike[one]):
                for b in alike[other][k + 1 :] if one == other else alike[other]:
                    if all(_meet(edge, b[name]) for name, edge in a.items() if name in b):
                        return Check(name="no record satisfies two rules", ok=False, detail="two clauses overlap")
    return Check(name="no record satisfies two rules", ok=True, detail=f"{len(clauses):,} clauses")


def _meet(a: Edge, b: Edge) -> bool:
    """Whether a value goes both ways."""
    if a.missing and b.missing:
        return True
    if set(a.values) & set(b.values):
        return True
    return any(max(p[0], q[0]) < min(p[1], q[1]) for p in a.intervals for q in b.intervals)
