"""Verify a tree that `share` released, from its file and passport alone.

The passport's context names the mode, that is, what the leaves say and what they prove:

    exact       the count of each class               Definitions 2 and 3, proved
    sound       hit and miss, bounds where merged      the worst case within the bounds, proved if the bounds are true
    estimated   hit and miss                           Definitions 9, 11 and 13; the passport must call it an estimate

Sizes are exact in every mode. Nothing but leaves may speak of records: what an inner node says must follow from its
leaves. The edges cover their domains, so every record a reader can think of ends at one leaf. This is own code: it
shares none with the stage.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from confide.audit.verifiers.tables.look import not_of_trees
from confide.audit.verifiers.trees import find_in_leaves
from confide.core.checks import Check, Findings
from confide.core.passport import Passport
from confide.core.requirements import AllOf, KAnonymity, RecursiveDiversity, Requirement, SimpleDiversity
from confide.core.requirements.tables import ESTIMATED
from confide.core.tables.schema import ROLES
from confide.core.trees.caveats import NO_ROLES, PEOPLE, SHARES, TOGETHER, UNDECLARED, split_on
from confide.core.trees.covering import uncovered
from confide.core.trees.nodes import Node
from confide.core.trees.published import PublishedTree
from confide.core.trees.rules import RuleSet

__all__ = ["MODES", "commonest", "context", "form", "limits", "promise", "verify_shared_tree"]

MODES = ("exact", "estimated", "sound")


def verify_shared_tree(artefact: PublishedTree | RuleSet, passport: Passport) -> Iterator[Check]:
    """Every leaf keeps the requirement, as far as its mode can show; and the passport says how far that is."""
    if isinstance(artefact, RuleSet):
        from confide.audit.verifiers.shared_rules import verify_shared_rules

        yield from verify_shared_rules(artefact, passport)
        return
    requirement = Requirement.from_dict(passport.requirement)
    mode = passport.context.get("mode")
    yield from context(passport)
    if mode not in MODES:
        return
    yield form(artefact, str(mode))
    found = find_in_leaves(_leaves(artefact), shares=artefact.shares_of is not None)
    yield replace(commonest(artefact), findings=found)
    yield _inner_nodes(artefact, str(mode))
    hole = uncovered(artefact)
    yield Check(
        name="edges cover their domains",
        ok=hole is None,
        detail="" if hole is None else f"those of nodes[{hole}] leave something out",
    )
    yield from limits(artefact, passport, requirement, str(mode))
    yield from promise(artefact, requirement, str(mode))
    for stump in artefact.marginals:
        yield _marginal(artefact, stump, requirement, str(mode))


# -- what the tree says ---------------------------------------------------------------------------------------------


def _leaves(tree: PublishedTree) -> list[Node]:
    return [node for node in tree.nodes if node.is_leaf]


def context(passport: Passport) -> Iterator[Check]:
    """The context names a mode that we know, and nothing that we do not."""
    mode = passport.context.get("mode")
    yield Check(name="the mode is named", ok=mode in MODES, detail=f"one of: {', '.join(MODES)}")
    if mode in MODES:
        asked = Requirement.from_dict(passport.requirement)
        named = any(name is not None for name in getattr(asked, "columns", ()))
        yield Check(name="nothing is asked of one column alone", ok=not named, detail="a tree has one class")
        strange = sorted(set(passport.context) - {"mode", "roles", "estimated"})
        yield Check(name="nothing else is in the context", ok=not strange, detail=", ".join(strange)[:80])


def form(tree: PublishedTree, mode: str) -> Check:
    """Leaves say what their mode lets them say; inner nodes have counts in exact mode alone."""
    wrong = sum((node.counts is not None) != (mode == "exact") for node in tree.nodes)
    wrong += sum(node.at_most is not None and not (mode == "sound" and node.is_leaf) for node in tree.nodes)
    return Check(name=f"nodes say what {mode} mode says", ok=wrong == 0, detail=f"{wrong} do not" if wrong else "")


def commonest(tree: PublishedTree) -> Check:
    """No class of a leaf has more records than the one it names."""
    m = len(tree.classes)
    wrong = sum(node.hit * m < node.total or max(node.counts or (0,)) > node.hit for node in _leaves(tree))
    detail = f"{wrong} leaves have too small a hit" if wrong else f"{len(_leaves(tree)):,} leaves"
    return Check(name="the class of each leaf is its commonest", ok=wrong == 0, detail=detail)


def _inner_nodes(tree: PublishedTree, mode: str) -> Check:
    """What inner nodes say follows from their leaves, so it tells nothing more."""
    wrong = 0
    estimates: dict[int, list[int]] = {}
    for i in range(len(tree.nodes) - 1, -1, -1):
        node = tree.nodes[i]
        if node.is_leaf:
            if mode == "sound":
                estimates[i] = _shares(tree, [node])
            continue
        children = [tree.nodes[edge.to] for edge in node.edges]
        if mode == "exact":
            told = [child.counts or () for child in children]
            if len(set(map(len, told))) > 1:  # some have counts and some have none
                wrong += 1
                continue
            counts = [sum(column) for column in zip(*told, strict=True)]
            hit = max(counts, default=0)
            wrong += list(node.counts or ()) != counts or node.hit != hit
            continue
        if mode == "sound":
            parts = [estimates.pop(edge.to) for edge in node.edges]
            estimates[i] = [sum(column) for column in zip(*parts, strict=True)]
        else:
            estimates[i] = _shares(tree, children)
        most = max(estimates[i])
        hit = -(-most // max(1, len(tree.classes) - 1))  # rounded up
        expected = (tree.classes[estimates[i].index(most)], hit, sum(child.total for child in children))
        wrong += (node.label, node.hit, node.total) != expected
    detail = f"{wrong} inner nodes say something else" if wrong else ""
    return Check(name="inner nodes follow from their leaves", ok=wrong == 0, detail=detail)


def _shares(tree: PublishedTree, nodes: Iterable[Node]) -> list[int]:
    """Equation 2 for nodes seen as children of one, times the number of other classes."""
    others = max(1, len(tree.classes) - 1)
    hits, misses, missed = [0] * len(tree.classes), [0] * len(tree.classes), 0
    for node in nodes:
        c = tree.class_places[node.label]
        hits[c] += node.hit
        misses[c] += node.miss
        missed += node.miss
    return [others * hits[c] + missed - misses[c] for c in range(len(tree.classes))]


def _marginal(tree: PublishedTree, stump: PublishedTree, requirement: Requirement, mode: str) -> Check:
    """A marginal is a second tree of the same records: the same promise must hold for it. It may leave values out."""
    checks = [form(stump, mode), commonest(stump), _inner_nodes(stump, mode)]
    whole = tree.nodes[0]
    checks.append(Check(name="it has the records of its tree", ok=stump.nodes[0].counts == whole.counts))
    checks += promise(stump, requirement, mode)
    failed = [check for check in checks if not check.ok]
    said = "; ".join(f"{check.name}: {check.detail}" for check in failed) or checks[-1].detail
    return Check(name=f"the marginal of {stump.nodes[0].attribute!r} keeps the promise", ok=not failed, detail=said)


# -- what the passport says -----------------------------------------------------------------------------------------


def limits(
    tree: PublishedTree, passport: Passport, requirement: Requirement, mode: str, *, used: set[str] | None = None
) -> Iterator[Check]:
    """Where the promise ends, the passport says so; `used` are the attributes asked about, by default in splits."""
    wanted = [PEOPLE]
    if not tree.declared:
        wanted.append(UNDECLARED)
    if tree.shares_of is not None:
        wanted.append(SHARES)
    if tree.marginals:
        wanted.append(TOGETHER)
    estimated = mode == "estimated" and not isinstance(requirement, KAnonymity)
    if estimated:
        wanted.append(ESTIMATED)
    roles = passport.context.get("roles")
    if used is None:
        asked = [*tree.nodes, *(stump.nodes[0] for stump in tree.marginals)]
        used = {str(node.attribute) for node in asked if not node.is_leaf}
    if roles is None:
        wanted.append(NO_ROLES)
    else:
        fits = isinstance(roles, dict) and used <= set(roles) and all(role in ROLES for role in roles.values())
        outside = fits and not set(roles) <= {attribute.name for attribute in tree.attributes}
        named = fits and not any(roles[name] in ("identifier", "class") for name in used)
        yield Check(
            name="roles fit the splits",
            ok=fits and not outside and named,
            detail="" if fits else "each attribute that the tree splits on needs a role",
        )
        sensitive = {name for name in used if roles[name] == "sensitive"} if fits else set()
        if sensitive:
            wanted.append(split_on(sensitive))
    missing = [text for text in wanted if text not in passport.does_not_protect_against]
    yield Check(
        name="the passport names its limits",
        ok=not missing,
        detail=f"it does not say: {missing[0]}" if missing else "",
        findings=Findings(caveats=tuple(wanted)),
    )
    said = passport.context.get("estimated", False)
    yield Check(name="an estimate is called one", ok=said is estimated, detail="")


# -- the promise ----------------------------------------------------------------------------------------------------


def promise(tree: PublishedTree, requirement: Requirement, mode: str) -> Iterator[Check]:
    """Every leaf keeps the requirement."""
    leaves = _leaves(tree)
    if isinstance(requirement, AllOf):
        for part in requirement.parts:
            yield from promise(tree, part, mode)
        return
    if not isinstance(requirement, KAnonymity | SimpleDiversity | RecursiveDiversity):
        yield not_of_trees(requirement)
        return
    if isinstance(requirement, KAnonymity):
        yield Check(
            name="leaves count records",
            ok=tree.shares_of is None,
            detail="" if tree.shares_of is None else "shares do not say how many records there are",
        )
        ok = [node.total >= requirement.k for node in leaves]
        yield _all_pass("k-anonymity", leaves, ok, f"k={requirement.k}")
        return
    m = len(tree.classes)
    yield Check(
        name="as many classes as the promise needs",
        ok=requirement.l <= m,
        detail=f"l={requirement.l}, and the tree has {m} class{'es' * (m != 1)}",
    )
    ok = [_diverse(tree, node, requirement, mode) for node in leaves]
    kind = "simple" if isinstance(requirement, SimpleDiversity) else "recursive"
    how = {"exact": "", "estimated": ", estimated", "sound": ", from bounds"}[mode]
    parameters = ", ".join(f"{name}={value:g}" for name, value in requirement.to_dict().items() if name != "kind")
    yield _all_pass(f"{kind} diversity of the class{how}", leaves, ok, parameters)


def _diverse(tree: PublishedTree, node: Node, requirement: SimpleDiversity | RecursiveDiversity, mode: str) -> bool:
    l, n = requirement.l, node.total  # noqa: E741 - the paper's letter
    if n == 0:
        return False
    if mode == "estimated":
        if node.miss < l - 1 or node.hit == 0:
            return False
        if isinstance(requirement, SimpleDiversity):
            return node.hit * l <= n
        return requirement.most_frequent_allowed(top=node.hit, tail=max(1, node.miss - (l - 2) * node.hit))
    most = node.counts if mode == "exact" else node.at_most or _bounds(tree, node)
    ordered = sorted(most or (n,), reverse=True)
    if isinstance(requirement, SimpleDiversity):
        return ordered[0] * l <= n
    return l <= len(ordered) and requirement.most_frequent_allowed(top=ordered[0], tail=n - sum(ordered[: l - 1]))


def _bounds(tree: PublishedTree, node: Node) -> tuple[int, ...]:
    """No class has more than the commonest, nor more than was missed."""
    return tuple(node.hit if label == node.label else min(node.hit, node.miss) for label in tree.classes)


def _all_pass(name: str, leaves: list[Node], ok: list[bool], parameters: str) -> Check:
    smallest = min(node.total for node in leaves)
    shape = f"{len(ok):,} lea{'ves' if len(ok) != 1 else 'f'}, the smallest of {smallest:,} records"
    shape += " as its owner counted them"
    failing = f"{len(ok) - sum(ok):,} of {shape}, fail" if not all(ok) else shape
    return Check(name=name, ok=all(ok), detail=f"{parameters}: {failing}")
