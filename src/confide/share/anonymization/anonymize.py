"""anonymize_tree: a tree that may not be published becomes one that may (paper 002, section 4: ATP)."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from confide.core.artefacts.originals import OriginalTree
from confide.core.errors import CannotMeetError, InputError, UsageError
from confide.core.figures import Figure, Figures
from confide.core.release import OwnerPart, Release
from confide.core.requirements import KAnonymity, Requirement
from confide.core.tables.schema import SchemaLike, schema_of
from confide.core.trees.covering import cover
from confide.core.trees.published import PublishedTree
from confide.core.trees.rules import RuleSet
from confide.mining.trees.learner import DecisionTree
from confide.mining.trees.sklearn import published_from_sklearn
from confide.mining.trees.table import read_labels
from confide.share.anonymization.tree_release import asked_about, check_splits, release_tree, share_right
from confide.share.original_records import read_records
from confide.share.pruning.flat_tree import FlatTree
from confide.share.pruning.leaf_tests import LeafTest, Mode, mode_code, parts_asked, refuse_whole, requirement_text
from confide.share.pruning.rebuilding import rebuilt, recounted
from confide.share.pruning.shares import in_shares
from confide.share.pruning.truth import leaves_failing_in_truth

__all__ = ["anonymize_tree", "recount", "tree_of"]


def anonymize_tree(
    tree: Any,
    requirement: Requirement,
    *,
    mode: Mode = "exact",
    data: tuple[Any, Any] | None = None,
    regrow: bool = False,
    shares_of: int | None = None,
    schema: SchemaLike | None = None,
    allow_sensitive: Iterable[str] = (),
    verify: bool = True,
) -> Release[Any]:
    """Prune a decision tree until every leaf keeps the requirement, and release it.

    A leaf that fails is merged with the sibling that mends it at the least cost, again and again, from the bottom of
    the tree up; what is left of the tree stays as it was.

    Parameters
        tree             a `PublishedTree`, a fitted `DecisionTree`, or scikit-learn's DecisionTreeClassifier; or a
                         `RuleSet` of disjoint rules, which are merged as the children of one node are (of the options
                         below it takes `mode`, `schema` and `allow_sensitive`). The release holds what was given.
        requirement      `KAnonymity`, `SimpleDiversity` or `RecursiveDiversity` of the class at every leaf; or
                         k-anonymity and a diversity, joined with `&`.
        mode             "exact": decided on the count of each class, which is published, so that the file proves it.
                         "estimated": for trees that give hit and miss only, as the paper has it; merged leaves rest on
                         an estimate, and the passport says so. "sound": likewise, but by bounds that hold whatever the
                         counts were; it merges much more.
        data             (X, y), the owner's records, one for each person: classes are counted at each leaf, also where
                         the tree has no counts, or counts weights or copies of records.
        regrow           given `data`, grow leaves that swallowed a subtree again, under the requirement.
        shares_of        publish shares of all records instead of counts, in parts of so many (1,000,000, say): the tree
                         then does not say how many records there are. Not under k-anonymity, which nobody could check.
        schema           roles of the attributes: a tree that splits on a sensitive one is refused, however diverse its
                         leaves, unless `allow_sensitive` names it; then the passport says so.

    Counts are taken as the tree has them, unless `data` is given: nothing in a tree shows that two records are one
    person's. Refused without `data` are trees whose counts are known to be of something else: of scikit-learn with
    `class_weight`, `sample_weight` or from a forest's bootstrap, and of a join where a record stands several times.

    Marginals of the tree are left out: they keep another promise, or none. Values that no record had at a node go with
    its largest child. The tree's own domains are kept: learn it with
    declared ones (`DecisionTree.fit(..., attributes=, classes=)`), or the passport says that cuts and values were read
    off the records. Takes time linear in the nodes.

    Raises CannotMeetError, naming the largest k or l that works, if all records in one leaf would still fail.

    >>> from confide import KAnonymity
    >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0]], ["a", "a", "b", "a", "b"]
    >>> learned = DecisionTree(min_branch=1, confidence=None).fit(X, y)
    >>> print(anonymize_tree(learned, KAnonymity(k=2)).data.to_text())
    x0 <= 2.5: a (2 of 2 records)
    x0 > 2.5 or missing: b (2 of 3 records)

    Source: paper 002, section 4, with its errata.
    """
    mode_code(mode)
    if isinstance(tree, RuleSet):
        if data is not None or regrow or shares_of is not None:
            raise UsageError(
                "data=, regrow= and shares_of= are for trees; rules have their counts, and keep them", parameter="data"
            )
        from confide.share.anonymization.disjoint_rules import anonymize_rules

        return anonymize_rules(
            tree, requirement, mode=mode, schema=schema, allow_sensitive=allow_sensitive, verify=verify
        )
    if regrow and (data is None or mode != "exact"):
        raise UsageError(
            "regrow=True grows leaves again from the records; give data=(X, y) and mode='exact'",
            parameter="regrow",
            value=True,
        )
    if shares_of is not None and (
        mode != "exact" or any(isinstance(part, KAnonymity) for part in parts_asked(requirement))
    ):
        raise UsageError(
            "shares_of= is for diversity in mode='exact': shares cannot show k-anonymity, nor be estimated",
            parameter="shares_of",
            value=shares_of,
        )
    # marginals keep another promise, or none; `with_marginals` makes new ones
    before = replace(tree_of(tree, data=data), marginals=())
    if not before.partial:
        before = cover(before)
    if data is not None:
        before = recount(before, *data)
    schema = None if schema is None else schema_of(schema)
    check_splits(asked_about(before), schema, allow_sensitive)
    test = LeafTest.of(requirement, mode)
    flat = FlatTree.of(before, mode)
    failing = _failing_leaves(flat, test)
    flat.prune(test)
    if flat.fails[0]:
        raise refuse_whole(requirement, mode, int(flat.total[0]), flat.x[0], what="all records in one leaf")
    after, merged = rebuilt(flat)
    if regrow:
        from confide.share.anonymization.regrowing import regrown

        assert data is not None
        after = regrown(after, merged, requirement, *data, schema=schema, allowed=tuple(allow_sensitive))
    roundings = len(after.leaves())
    if shares_of is not None:
        rounded = FlatTree.of(in_shares(after, shares_of), mode)
        rounded.prune(test)  # what rounding made fail; leaves that passed stay within what passes
        if rounded.fails[0]:
            raise CannotMeetError(
                f"shares in parts of {shares_of:,} are too coarse for {requirement_text(requirement)}",
                parameter="shares_of",
                value=shares_of,
                cures=_finer_shares(after, shares_of, test, mode),
            )
        after, _ = rebuilt(rounded)
    return release_tree(
        after,
        requirement,
        algorithm="ATP" if not regrow else "ATP, regrown",
        mode=mode,
        before=before,
        parameters={"regrow": regrow, "shares_of": shares_of},
        original=OriginalTree(tree=before) if data is None else read_records(before, *data, roundings=roundings),
        schema=schema,
        owner=_owner(before, after, failing, _doubtful(flat, requirement)),
        verify=verify,
    )


def _finer_shares(tree: PublishedTree, shares_of: int, test: LeafTest, mode: Mode) -> list[dict[str, int]]:
    """Twice as many parts, four times and so on, until the whole tree as one leaf passes."""
    for doubled in range(1, 21):
        flat = FlatTree.of(in_shares(tree, shares_of << doubled), mode)
        flat.prune(test)
        if not flat.fails[0]:
            return [{"shares_of": shares_of << doubled}]
    return []


def tree_of(source: Any, *, data: tuple[Any, Any] | None = None) -> PublishedTree:
    """The published tree that `source` is, holds, or can be turned into.

    One whose counts are not of records is refused, unless there are `data` to count them again.
    """
    if getattr(source, "repeats_records_", False) and data is None:
        raise UsageError(
            "the tree counts joined records, in which a person may stand several times; give data=(X, y), one record "
            "per person, to count them again"
        )
    for holder in (source, getattr(source, "tree_", None), getattr(source, "data", None)):
        if isinstance(holder, PublishedTree):
            return holder
    if hasattr(source, "tree_") and hasattr(source, "n_features_in_"):
        names = None if data is None else _spelled(getattr(source, "classes_", ()), data[1])
        return published_from_sklearn(source, class_names=names, uncounted=data is not None)
    steps = getattr(source, "steps", None)
    if steps is not None:
        before = [name for name, step in steps[:-1] if step not in (None, "passthrough")]
        if not before:
            return tree_of(steps[-1][1], data=data)
        raise UsageError(
            f"the tree of this {type(source).__name__} asks about what {' and '.join(before)} made of the columns; fit "
            "it on the columns themselves, or give its last step to publish it as it is"
        )
    if hasattr(source, "fit") and hasattr(source, "apply"):  # a tree of scikit-learn has `tree_` once it is fitted
        raise UsageError(f"this {type(source).__name__} has learned nothing yet; call its fit(X, y) first")
    raise UsageError(f"a decision tree is needed here, not {type(source).__name__}; PublishedTree.from_json reads one")


def _spelled(classes: Any, y: Any) -> list[str]:
    """Classes as `y` spells them: a tree of a forest knows the class 1 as 1.0."""
    known = np.unique(read_labels(y)).tolist()
    return [next((str(label) for label in known if label == own), str(own)) for own in np.asarray(classes).tolist()]


def recount(tree: PublishedTree, X: Any, y: Any) -> PublishedTree:
    """The same tree, which covers its domains, with the class counts of these records at every node."""
    ends = DecisionTree.from_published(tree).apply(X)
    labels = read_labels(y).astype(str)
    if len(labels) != len(ends):
        raise InputError(f"{len(ends)} records but {len(labels)} classes")
    known, codes = np.unique(labels, return_inverse=True)
    if any(label not in tree.class_places for label in known.tolist()):
        raise InputError(f"a record is of a class that the tree does not know; it knows: {', '.join(tree.classes)}")
    if any(not tree.nodes[i].is_leaf for i in np.unique(ends).tolist()):
        raise InputError("a record has a value outside the domain of its attribute, so it reaches no leaf")
    counts = np.zeros((len(tree.nodes), len(tree.classes)), dtype=np.int64)
    places = np.array([tree.class_places[label] for label in known.tolist()], dtype=np.int64)
    np.add.at(counts, (ends, places[codes]), 1)
    return replace(tree, nodes=recounted(tree, counts))


def _failing_leaves(flat: FlatTree, test: LeafTest) -> tuple[int, int]:
    """How many leaves fail before anything is merged, and how many records are in them."""
    from confide.share.pruning import leaf_kernels as kernels

    leaves = np.flatnonzero(flat.leaf)
    ok = kernels.pass_each(flat.total[leaves], flat.x[leaves], test)
    return int((~ok).sum()), int(flat.total[leaves[~ok]].sum())


def _doubtful(flat: FlatTree, requirement: Requirement) -> Figures:
    """Where the mode did not look at counts that are there: how many leaves fail by them."""
    if flat.mode == "exact" or any(node.counts is None for node in flat.tree.nodes if node.is_leaf):
        return Figures()
    wrong = leaves_failing_in_truth(flat, LeafTest.of(requirement, "exact"))
    return Figures(Figure("leaves_failing_in_truth", wrong, "count", "leaves that fail by the counts of their records"))


def _owner(before: PublishedTree, after: PublishedTree, failing: tuple[int, int], more: Figures) -> OwnerPart:
    return OwnerPart(
        facts=more
        | Figures(
            Figure("leaves_before", len(before.leaves()), "count", "leaves before"),
            Figure("leaves_after", len(after.leaves()), "count", "leaves after"),
            Figure("leaves_failing", failing[0], "count", "leaves that failed"),
            Figure("records_in_failing_leaves", failing[1], "count", "records in leaves that failed"),
            Figure("share_right_before", share_right(before), "share", "of the records were right before"),
            Figure("share_right_after", share_right(after), "share", "of the records are right now"),
        )
    )
