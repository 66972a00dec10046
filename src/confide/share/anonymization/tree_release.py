"""From an anonymised tree to its release: roles, caveats, what it cost, what the owner alone may see."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from confide.core.artefacts.originals import OriginalRecords, OriginalTree
from confide.core.errors import UsageError
from confide.core.figures import Figure, Figures
from confide.core.release import OwnerPart, Release
from confide.core.requirements import Requirement
from confide.core.requirements.tables import ESTIMATED
from confide.core.tables.schema import Schema
from confide.core.trees.caveats import NO_ROLES, PEOPLE, SHARES, UNDECLARED, split_on
from confide.core.trees.nodes import Node
from confide.core.trees.published import PublishedTree
from confide.core.trees.rules import RuleSet
from confide.share.pruning.leaf_tests import Mode

__all__ = ["asked_about", "check_splits", "release_rules", "release_tree", "share_right"]


def check_splits(used: Iterable[str], schema: Schema | None, allowed: Iterable[str]) -> None:
    """Refuse a tree (or rules) that splits on these, if one is an identifier, or sensitive and not allowed by name."""
    if isinstance(allowed, str):
        raise UsageError("allow_sensitive= is a list of attributes", parameter="allow_sensitive")
    if schema is None:
        if list(allowed):
            raise UsageError(
                "allow_sensitive= names attributes of a schema; give schema= too", parameter="allow_sensitive"
            )
        return
    roles = schema.roles
    for name in sorted(set(used)):
        if name not in roles:
            raise UsageError(f"the tree splits on {name!r}, which has no role in the schema")
        if roles[name] in ("identifier", "class"):
            raise UsageError(f"the tree splits on {name!r}, whose role is {roles[name]!r}; learn it without")
        if roles[name] == "sensitive" and name not in allowed:
            raise UsageError(
                f"the tree splits on {name!r}, which is sensitive, and so gives it away; learn it without, or allow it "
                f"by name: allow_sensitive=[{name!r}]",
                parameter="allow_sensitive",
            )


def release_tree(
    tree: PublishedTree,
    requirement: Requirement,
    *,
    algorithm: str,
    mode: Mode,
    before: PublishedTree | None,
    parameters: Mapping[str, Any],
    original: OriginalRecords | OriginalTree,
    schema: Schema | None = None,
    owner: OwnerPart | None = None,
    verify: bool = True,
) -> Release[PublishedTree]:
    """Issue the release; `before` is the tree that was anonymised, for what it cost; `original` what was read."""
    context, caveats = _limits(tree, asked_about(tree), requirement, mode, schema)
    if tree.shares_of is not None:
        caveats.append(SHARES)
    loss = _loss(tree, before)
    return Release.issue(
        tree,
        requirement,
        stage="share",
        algorithm=algorithm,
        parameters={"mode": mode, **parameters},
        context=context,
        loss=loss,
        headline=_headline(tree, loss),
        key_figures=tuple(name for name in ("leaves", "share_right", "points_lost") if name in loss),
        caveats=tuple(caveats),
        owner=owner,
        original=original,
        verify=verify,
    )


def release_rules(
    rules: RuleSet,
    requirement: Requirement,
    *,
    mode: Mode,
    before: RuleSet,
    schema: Schema | None,
    owner: OwnerPart,
    verify: bool,
) -> Release[RuleSet]:
    """Issue the release of a set of rules."""
    context, caveats = _limits(rules, rules.used, requirement, mode, schema)
    right, was = _right([rule.then for rule in rules.rules]), _right([rule.then for rule in before.rules])
    lost = max(0, math.ceil(round(100 * (was - right), 9)))
    many = len(rules.rules)
    said = (
        f"{many:,} rule{'s' * (many != 1)}, right for {math.floor(100 * right)}% of the records they were learned from"
    )
    return Release.issue(
        rules,
        requirement,
        stage="share",
        algorithm="ATP on rules",
        parameters={"mode": mode},
        context=context,
        loss=Figures(
            Figure("rules", many, "count", "rules"),
            Figure("share_right", right, "share", "of the records have the class of their rule"),
            Figure("points_lost", lost, "points", "fewer records right than before, at most"),
        ),
        headline=said + (f", at most {lost} point{'s' * (lost != 1)} fewer than before." if lost else ", as before."),
        key_figures=("rules", "share_right", "points_lost"),
        caveats=tuple(caveats),
        owner=owner,
        original=OriginalTree(tree=before),
        verify=verify,
    )


def asked_about(tree: PublishedTree) -> set[str]:
    """The attributes that a tree splits on."""
    return {str(node.attribute) for node in tree.nodes if not node.is_leaf}


def _limits(
    artefact: PublishedTree | RuleSet, used: Iterable[str], requirement: Requirement, mode: Mode, schema: Schema | None
) -> tuple[dict[str, Any], list[str]]:
    """What the passport's context says, and its caveats."""
    context: dict[str, Any] = {"mode": mode}
    caveats = [PEOPLE]
    if schema is None:
        caveats.append(NO_ROLES)
    else:
        names = [attribute.name for attribute in artefact.attributes]
        context["roles"] = {name: schema.roles[name] for name in names if name in schema.roles}
        given_away = [name for name in used if schema.roles[name] == "sensitive"]
        if given_away:
            caveats.append(split_on(given_away))
    if mode == "estimated" and requirement.kind != "k-anonymity":
        context["estimated"] = True
        caveats.append(ESTIMATED)
    if not artefact.declared:
        caveats.append(UNDECLARED)
    return context, caveats


def share_right(tree: PublishedTree) -> float:
    """The share of the training records whose class their leaf predicts."""
    return _right([tree.nodes[i] for i in tree.leaves()])


def _right(leaves: list[Node]) -> float:
    total = sum(leaf.total for leaf in leaves)
    return sum(leaf.hit for leaf in leaves) / total if total else 0.0


def _loss(tree: PublishedTree, before: PublishedTree | None) -> Figures:
    """What everybody may see: of the tree before, whole points only, so that no single record shows."""
    right = share_right(tree)
    figures = Figures(
        Figure("leaves", len(tree.leaves()), "count", "leaves"),
        Figure("share_right", right, "share", "of the records have the class of their leaf"),
    )
    if before is not None:
        lost = math.ceil(round(100 * (share_right(before) - right), 9))
        figures |= Figures(Figure("points_lost", max(0, lost), "points", "fewer records right than before, at most"))
    return figures


def _headline(tree: PublishedTree, loss: Figures) -> str:
    leaves = loss["leaves"]
    said = f"A tree of {leaves:,} lea{'ves' if leaves != 1 else 'f'}"
    said += f", right for at least {math.floor(100 * loss['share_right'])}% of the records it was learned from"
    if "points_lost" in loss:
        lost = loss["points_lost"]
        said += f", at most {lost} point{'s' * (lost != 1)} fewer than before" if lost else ", as before"
    return said + "."
