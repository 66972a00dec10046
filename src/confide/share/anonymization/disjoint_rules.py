"""Disjoint rules that may be published, from rules that may not.

Rules are the children of one question, "which rule?", so pruning is that of a tree with one level: a rule that fails
is merged with the one that the paper's rules name. What two rules say together is an alternative: if one or if the
other. Clauses that differ in one attribute only become one again.
"""

from collections.abc import Iterable
from itertools import combinations

import numpy as np

from confide.core.figures import Figure, Figures
from confide.core.release import OwnerPart, Release
from confide.core.requirements import Requirement
from confide.core.tables.schema import SchemaLike, schema_of
from confide.core.trees.nodes import Attribute, Edge, Node, joined
from confide.core.trees.published import PublishedTree
from confide.core.trees.rules import Clause, LeafRule, RuleSet
from confide.share.anonymization.tree_release import check_splits, release_rules
from confide.share.pruning.flat_tree import FlatTree
from confide.share.pruning.leaf_tests import LeafTest, Mode, refuse_whole

__all__ = ["anonymize_rules"]

_MOST_TIDIED = 200
"""Clauses of a rule above which they stay as they are: tidying compares all pairs."""


def anonymize_rules(
    rules: RuleSet,
    requirement: Requirement,
    *,
    mode: Mode,
    schema: SchemaLike | None = None,
    allow_sensitive: Iterable[str] = (),
    verify: bool = True,
) -> Release[RuleSet]:
    """Merge rules until each keeps the requirement, and release them; `anonymize_tree` says what the options mean."""
    schema = None if schema is None else schema_of(schema)
    check_splits(rules.used, schema, allow_sensitive)
    test = LeafTest.of(requirement, mode)
    flat = FlatTree.of(_one_question(rules), mode)
    failing = sum(not test.passes(int(flat.total[i]), flat.x[i]) for i in range(1, len(flat.total)))
    flat.prune(test)
    if flat.fails[0]:
        raise refuse_whole(requirement, mode, int(flat.total[0]), flat.x[0], what="all records under one rule")
    after = RuleSet(
        classes=rules.classes, attributes=rules.attributes, rules=_merged(rules, flat), declared=rules.declared
    )
    owner = OwnerPart(
        facts=Figures(
            Figure("rules_before", len(rules.rules), "count", "rules before"),
            Figure("rules_after", len(after.rules), "count", "rules after"),
            Figure("rules_failing", failing, "count", "rules that failed"),
        )
    )
    return release_rules(after, requirement, mode=mode, before=rules, schema=schema, owner=owner, verify=verify)


def _one_question(rules: RuleSet) -> PublishedTree:
    """A tree whose root asks which rule holds; its leaves are the rules' classes and counts."""
    names = tuple(str(i) for i in range(len(rules.rules)))
    leaves = [rule.then for rule in rules.rules]
    if len(leaves) == 1:
        return PublishedTree(classes=rules.classes, attributes=(), nodes=(leaves[0],))
    root = Node(
        label=leaves[0].label,
        hit=leaves[0].hit,
        miss=sum(leaf.total for leaf in leaves) - leaves[0].hit,
        attribute="rule",
        edges=tuple(Edge(to=i + 1, values=(name,)) for i, name in enumerate(names)),
    )  # pruning works out what it holds
    attribute = Attribute(name="rule", kind="categorical", values=names)
    return PublishedTree(classes=rules.classes, attributes=(attribute,), nodes=(root, *leaves))


def _merged(rules: RuleSet, flat: FlatTree) -> tuple[LeafRule, ...]:
    """The rules that are left, in the order of the first of each."""
    if len(rules.rules) == 1:
        home = np.zeros(1, dtype=np.int64)
        rows = [0]
    else:
        root = flat.into
        while not np.array_equal(root, root[root]):
            root = root[root]
        rows = list(range(1, len(root)))
        home = root[1:] if not flat.leaf[0] else np.zeros(len(rows), dtype=np.int64)
    families: dict[int, list[int]] = {}
    for number, at in enumerate(home.tolist()):
        families.setdefault(at, []).append(number)
    made = []
    for at, members in families.items():
        own = rules.rules[members[0]]
        changed = len(members) > 1 or (own.then.counts is not None) != (flat.mode == "exact")
        clauses = [clause for member in members for clause in rules.rules[member].when]
        made.append(
            LeafRule(when=_tidied(clauses), then=_outcome(rules, flat, at, len(members) > 1) if changed else own.then)
        )
    return tuple(made)


def _outcome(rules: RuleSet, flat: FlatTree, at: int, merged: bool) -> Node:
    n, hit, own = int(flat.total[at]), int(flat.hit[at]), tuple(flat.x[at].tolist())
    return Node(
        label=rules.classes[int(flat.label[at])],
        hit=hit,
        miss=n - hit,
        counts=own if flat.mode == "exact" else None,
        at_most=own if merged and flat.mode == "sound" else None,
    )


def _tidied(clauses: list[Clause]) -> tuple[Clause, ...]:
    """The same alternatives in fewer clauses: two that differ in one attribute become one."""
    kept = list(clauses)
    changed = 1 < len(kept) <= _MOST_TIDIED
    while changed:
        changed = False
        for i, j in combinations(range(len(kept)), 2):
            one = _together(kept[i], kept[j])
            if one is not None:
                kept[i] = one
                del kept[j]
                changed = True
                break
    return tuple(kept)


def _together(a: Clause, b: Clause) -> Clause | None:
    if set(a) != set(b):
        return None
    different = [name for name in a if a[name] != b[name]]
    if len(different) != 1:
        return None
    one, other = a[different[0]], b[different[0]]
    if one.intervals or one.missing or other.intervals or other.missing:
        edge = Edge(to=0, intervals=joined(one.intervals, other.intervals), missing=one.missing or other.missing)
    else:
        edge = Edge(to=0, values=(*one.values, *other.values))
    return {**a, different[0]: edge}
