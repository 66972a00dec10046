"""The owner's side: a draft of what owners agree on, a tree to publish, and a tree that exists made fit for it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.errors import InputError, RequestError
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.release import Release
from confide.core.tables.schema import Column, Schema
from confide.core.trees.caveats import TOGETHER
from confide.core.trees.published import PublishedTree
from confide.share.anonymization.anonymize import anonymize_tree
from confide.share.anonymization.diverse_tree import DiverseTree
from confide.share.domains import Domains
from confide.share.jobs.requests import ShareAnonymize, ShareDomains, ShareTrain
from confide.share.learners import learner_of
from confide.share.marginals import with_marginals
from confide.share.original_records import read_records
from confide.share.tree_files import read_tree_or_rules

if TYPE_CHECKING:
    from confide.core.requirements import Requirement
    from confide.core.trees.rules import RuleSet

__all__ = ["Trained", "anonymize", "draft_domains", "train"]


@dataclass(frozen=True, kw_only=True)
class Trained(Outcome):
    """A verified release of a tree, and notes for its owner."""

    release: Release[PublishedTree]


def draft_domains(request: ShareDomains, host: Host = QUIET) -> Outcome:
    """Propose classes, categories and bins from a table, and say what is left out and what the draft gives away."""
    from confide.core.tables.frames import to_table
    from confide.core.tables.sources import load_table

    table = request.table
    if _is_file(table):
        table = load_table(file=table, text=[request.target], reading=request.reading())
    table = to_table(table)
    for name in request.leave_out:
        if name not in table.column_names:
            several = "; name one at a time" if "," in name else ""
            raise InputError(f"no column {name!r} to leave out{several}; columns are: {', '.join(table.column_names)}")
    domains = Domains.propose(table.drop_columns(list(request.leave_out)), target=request.target)
    notes = [f"{len(domains.attributes)} attributes and {len(domains.classes)} classes"]
    known = {*(attribute.name for attribute in domains.attributes), *request.leave_out, request.target}
    names = [name for name in table.column_names if name not in known]
    if names:
        notes.append(f"left out, since they hold too many different values: {', '.join(names)}")
    notes.append("warning: the draft shows values and rounded extremes of your table; edit it before you show it")

    def save(path: Path, overwrite: bool) -> str:
        domains.write(path, replace=overwrite)
        return f"written to {path}"

    return Outcome(answer=domains, notes=tuple(notes), save=save)


def train(request: ShareTrain, host: Host = QUIET) -> Trained:
    """Learn a tree from a table, over declared domains, and release it.

    Columns that are not declared, or declared sensitive, are left out. Raises CannotMeetError, naming the largest k or
    l that works, where even all records together do not keep the requirement.

    >>> import pyarrow as pa
    >>> from confide.share.jobs.requests import ShareTrain
    >>> domains = {"class": "ill", "classes": ["no", "yes"], "attributes": {"sex": {"values": ["f", "m"]}}}
    >>> frame = pa.table({"sex": ["f", "m"] * 4, "ill": ["no", "yes"] * 4})
    >>> train(ShareTrain(table=frame, domains=domains, k=4)).release.data.nodes[0].total
    8
    """
    from confide.core.tables.frames import read_table

    requirement = request.requirement_asked()
    domains = _domains(request.domains)
    reading = request.reading()
    frame = read_table(request.table, **reading.options) if _is_file(request.table) else request.table
    X, y, left_out = domains.columns(frame)
    schema = _schema(domains)
    learner = learner_of(request.method, requirement, max_depth=request.max_depth)
    learner.fit(X, y, attributes=domains.usable, classes=domains.classes)
    if isinstance(learner, DiverseTree):
        release = learner.release(schema=schema)
    else:
        release = anonymize_tree(learner, requirement, data=(X, y), schema=schema)
    if request.marginals and request.used_ledger is None:
        release = _with_marginals(release, X, y, requirement)
    notes = [release.passport.promise, release.passport.headline]
    if request.used_ledger is not None:
        release, told = _recorded(release, X, y, frame, request, host)
        notes += told
    if left_out:
        notes.insert(0, f"left out, since no domain is declared for them or they are sensitive: {', '.join(left_out)}")
    if len(release.data.nodes) == 1:
        notes.append(
            "warning: nothing is left of the tree but one leaf: the promise allows no question, or none helps with "
            "records that the tree has not seen; a smaller k or l, or more records, may leave more"
        )
    return Trained(release=release, **_document_of(release, notes, host))


def _recorded(
    release: Release[PublishedTree], X: Any, y: Any, frame: Any, request: ShareTrain, host: Host
) -> tuple[Release[PublishedTree], list[str]]:
    """The release with its ledger, and what it tells together with earlier ones."""
    from confide.share.tree_members import members_of_tree

    target = _domains(request.domains).target
    members = members_of_tree(release.data, X, y, frame, target=target, person=request.person)
    opened = request.build_on(lambda: members, host)
    if opened is not None and opened.earlier is not None:
        raise RequestError(
            "after",
            request.after,
            f"holds {opened.earlier.name}, and a tree that keeps its groups whole is one leaf unless it asks the same "
            "questions: publish the tree first and build a table on it, or record what it tells with ledger=",
        )
    release, told = request.record(release, lambda: members, host, opened)
    off = ["no counts of single attributes are published: they are groups of their own"] if request.marginals else []
    return release, [*off, *told]


def anonymize(request: ShareAnonymize, host: Host = QUIET) -> Outcome:
    """Prune a tree, or merge rules, until every leaf keeps the requirement.

    Marginals that come with the tree are left out, and a note says so: they keep another promise, or none, and no
    pruning makes them keep this one.
    """
    tree: PublishedTree | RuleSet = request.tree
    if _is_file(request.tree):
        tree = read_tree_or_rules(request.tree)
    notes: list[str] = []
    if isinstance(tree, PublishedTree) and tree.marginals:
        tree = replace(tree, marginals=())
        notes.append(
            "the tree's marginals are left out: they keep another promise, or none; confide share train makes new ones"
        )
    release = anonymize_tree(
        tree,
        request.requirement_asked(),
        mode=request.mode,
        schema=Schema.read(request.schema) if _is_file(request.schema) else request.schema,
        allow_sensitive=request.allow_sensitive,
    )
    notes += [release.passport.promise, release.passport.headline]
    return Outcome(release=release, **_document_of(release, notes, host))


def _is_file(value: Any) -> bool:
    """Whether a field names a file, and does not hold an object in memory."""
    return isinstance(value, str | Path)


def _domains(value: Any) -> Domains:
    """Domains that a field holds: as an object, as plain data, or in a file."""
    if isinstance(value, Domains):
        return value
    return Domains.from_dict(value) if isinstance(value, Mapping) else Domains.read(value)


def _document_of(release: Release[Any], notes: list[str], host: Host) -> dict[str, Any]:
    """What an outcome says of a released tree, beside the release."""
    loss = dict(release.loss)
    return {
        "notes": tuple(notes),
        "document": {"requirement": release.requirement.to_dict(), "loss": loss, "written": not host.trial},
        "rows": lambda: [{"loss": name, "value": value} for name, value in loss.items()],
    }


def _with_marginals(
    release: Release[PublishedTree], X: Any, y: Any, requirement: "Requirement"
) -> Release[PublishedTree]:
    """The same release with marginals in its tree; verified again, since it says more."""

    def protect(stump: PublishedTree) -> PublishedTree:
        return anonymize_tree(stump, requirement, verify=False).data

    tree = with_marginals(release.data, X, y, protect=protect)
    if not tree.marginals:
        return release
    passport = release.passport
    own = set(passport.words_of(requirement).does_not_stop)
    caveats = [line for line in passport.does_not_protect_against if line not in own]
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
        caveats=(*caveats, TOGETHER),
        owner=release.owner,
        original=read_records(tree, X, y),
    )


def _schema(domains: Domains) -> Schema:
    columns = {attribute.name: Column(role="quasi-identifier") for attribute in domains.usable}
    return Schema({**columns, domains.target: Column(role="class")})
