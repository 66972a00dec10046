"""A tree or rules that may not be published become some that may."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from confide.core.release import Release
from confide.core.requirements import Requirement
from confide.core.tables.schema import SchemaLike
from confide.core.trees.published import PublishedTree
from confide.share.anonymization.anonymize import anonymize_tree
from confide.share.anonymization.leaf_tests import Mode

if TYPE_CHECKING:
    from confide.core.trees.rules import RuleSet

__all__ = ["Anonymized", "AnonymizingRequest", "anonymize"]


@dataclass(frozen=True, kw_only=True)
class AnonymizingRequest:
    """What to promise, and how leaves are judged; see `anonymize_tree`, whose arguments these are."""

    requirement: Requirement
    mode: Mode = "exact"
    schema: SchemaLike | None = None
    allow_sensitive: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Anonymized:
    """A verified release of a tree or of rules, and notes for their owner."""

    release: "Release[PublishedTree] | Release[RuleSet]"
    notes: tuple[str, ...]


def anonymize(tree: "PublishedTree | RuleSet", request: AnonymizingRequest) -> Anonymized:
    """Prune a tree, or merge rules, until every leaf keeps the requirement.

    Marginals that come with the tree are left out, and a note says so: they keep another promise, or none, and no
    pruning makes them keep this one.
    """
    notes: list[str] = []
    if isinstance(tree, PublishedTree) and tree.marginals:
        tree = replace(tree, marginals=())
        notes.append(
            "the tree's marginals are left out: they keep another promise, or none; confide share train makes new ones"
        )
    release = anonymize_tree(
        tree, request.requirement, mode=request.mode, schema=request.schema, allow_sensitive=request.allow_sensitive
    )
    notes += [release.passport.promise, release.passport.headline]
    return Anonymized(release=release, notes=tuple(notes))
