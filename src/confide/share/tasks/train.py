"""A tree that its owner may publish, from the owner's records and the domains all owners agreed on."""

from dataclasses import dataclass
from typing import Any, get_args

from confide.core.errors import UsageError
from confide.core.release import Release
from confide.core.requirements import Requirement
from confide.core.tables.schema import Column, Schema
from confide.core.trees.caveats import TOGETHER
from confide.core.trees.published import PublishedTree
from confide.share.anonymization.anonymize import anonymize_tree
from confide.share.anonymization.diverse_tree import DiverseTree
from confide.share.domains import Domains
from confide.share.learners import Method, learner_of
from confide.share.marginals import with_marginals
from confide.share.records import read_records

__all__ = ["Method", "Trained", "TrainingRequest", "train"]


@dataclass(frozen=True, kw_only=True)
class TrainingRequest:
    """What to learn and to promise.

    `method`: "merging" (ours) grows a tree whose every leaf keeps the requirement and merges children that fail,
    then prunes; "ldm" gives a split up instead; "atp" learns a plain tree first and prunes it (both as the paper).
    `marginals` publishes the classes by each attribute alone, too, under the same requirement: a second publication
    that makes pseudo-data better. `max_depth` bounds the tree.
    """

    requirement: Requirement
    method: Method = "merging"
    marginals: bool = True
    max_depth: int | None = None

    def __post_init__(self) -> None:
        if self.method not in get_args(Method):
            raise UsageError(f"method={self.method!r}; choose among: {', '.join(get_args(Method))}")


@dataclass(frozen=True, kw_only=True)
class Trained:
    """A verified release of a tree, and notes for its owner."""

    release: Release[PublishedTree]
    notes: tuple[str, ...]


def train(frame: Any, domains: Domains, request: TrainingRequest) -> Trained:
    """Learn a tree from a table, over declared domains, and release it.

    Columns that are not declared, or declared sensitive, are left out. Raises CannotMeetError, naming the largest k or
    l that works, where even all records together do not keep the requirement.
    """
    X, y, left_out = domains.columns(frame)
    schema = _schema(domains)
    learner = learner_of(request.method, request.requirement, max_depth=request.max_depth)
    learner.fit(X, y, attributes=domains.usable, classes=domains.classes)
    if isinstance(learner, DiverseTree):
        release = learner.release(schema=schema)
    else:
        release = anonymize_tree(learner, request.requirement, data=(X, y), schema=schema)
    if request.marginals:
        release = _with_marginals(release, X, y, request.requirement)
    notes = [release.passport.promise, release.passport.headline]
    if left_out:
        notes.insert(0, f"left out, since no domain is declared for them or they are sensitive: {', '.join(left_out)}")
    if len(release.data.nodes) == 1:
        notes.append(
            "warning: nothing is left of the tree but one leaf: the promise allows no question, or none helps with "
            "records that the tree has not seen; a smaller k or l, or more records, may leave more"
        )
    return Trained(release=release, notes=tuple(notes))


def _with_marginals(
    release: Release[PublishedTree], X: Any, y: Any, requirement: Requirement
) -> Release[PublishedTree]:
    """The same release with marginals in its tree; verified again, since it says more."""

    def protect(stump: PublishedTree) -> PublishedTree:
        return anonymize_tree(stump, requirement, verify=False).data

    tree = with_marginals(release.data, X, y, protect=protect)
    if not tree.marginals:
        return release
    passport = release.passport
    return Release.issue(
        tree,
        requirement,
        stage="share",
        algorithm=passport.algorithm,
        parameters={**passport.parameters, "marginals": len(tree.marginals)},
        context=passport.context,
        loss=release.loss,
        headline=passport.headline,
        key_figures=release.key_figures,
        caveats=(*_caveats(release, requirement), TOGETHER),
        owner=release.owner,
        original=read_records(tree, X, y),
    )


def _caveats(release: Release[PublishedTree], requirement: Requirement) -> tuple[str, ...]:
    """What the passport says beyond its requirement's own limits."""
    own = set(release.passport.words_of(requirement).does_not_stop)
    return tuple(line for line in release.passport.does_not_protect_against if line not in own)


def _schema(domains: Domains) -> Schema:
    columns = {attribute.name: Column(role="quasi-identifier") for attribute in domains.usable}
    return Schema({**columns, domains.target: Column(role="class")})
