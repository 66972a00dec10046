"""Forged trees of `share`, in each mode, and a judge who shares nothing with the auditor but the definitions.

A forger starts from a released tree and makes one of three kinds of changes:

    change      one number, edge, class or bound, nothing repaired
    repair      what a leaf says, and then, as far as arithmetic goes, everything above it
    promise     another requirement or mode in the passport, its sentences repaired

`rightly` says, from what the leaves say and plain Python, whether the forged pair may pass all the same: exact counts
by Definitions 2 and 3, hit and miss by those of the paper (as the passport then says), bounds by trying every count
of classes within them.
"""

from fractions import Fraction
from functools import cache
from itertools import product

from confide.audit.verifiers.shared_trees import verify_shared_tree
from confide.core.errors import CannotMeetError, ConfideError
from confide.core.passport import Passport
from confide.core.requirements import KAnonymity
from confide.core.requirements.tables import ESTIMATED
from confide.core.trees.caveats import NO_ROLES, PEOPLE
from confide.core.trees.published import PublishedTree
from confide.share import anonymize_tree
from tests.oracles import anonymizing as oracles
from tests.share.trees import random_requirement, random_tree

KINDS = ("change", "repair", "promise")
MODES = ("exact", "estimated", "sound")


def released(mode, seed):
    """A released tree as plain data, its requirement and passport; None where the requirement cannot be kept."""
    requirement = random_requirement(seed)
    try:
        tree = random_tree(seed, classes=2 + seed % 3, depth=2, most=9, counts=mode == "exact")
        release = anonymize_tree(tree, requirement, mode=mode, verify=False)
    except CannotMeetError:
        return None
    return release.data.to_dict(), requirement, release.passport


def forged(draw, kind, mode, plain, requirement, passport):
    """A forged tree (plain data), with the requirement and the passport it comes with; drawn until it differs."""
    if kind == "promise":
        return plain, *_promise(draw, mode, requirement)
    while (changed := (_changed if kind == "change" else _repaired)(draw, mode, plain)) == plain:
        pass
    return changed, requirement, passport


def accepted(plain, passport):
    """The tree, if its reader and every check of the auditor take it; else None."""
    try:
        tree = PublishedTree.from_dict(plain)
    except ConfideError:
        return None
    return tree if all(check.ok for check in verify_shared_tree(tree, passport)) else None


# -- forging ----------------------------------------------------------------------------------------------------------


def _copied(plain, i):
    """The tree with a copy of one node, and that copy."""
    node = dict(plain["nodes"][i])
    for name in ("counts", "at_most", "edges"):
        if name in node:
            node[name] = [dict(one) if isinstance(one, dict) else one for one in node[name]]
    nodes = list(plain["nodes"])
    nodes[i] = node
    return {**plain, "nodes": nodes}, node


def _changed(draw, mode, plain):
    changed, node = _copied(plain, draw.randrange(len(plain["nodes"])))
    match draw.randrange(8):
        case 0:
            node["hit"] = max(0, node["hit"] + draw.choice((-1, 1, 5)))
        case 1:
            node["miss"] = max(0, node["miss"] + draw.choice((-1, 1, 5)))
        case 2 if "counts" in node:
            node["counts"][draw.randrange(len(node["counts"]))] += draw.choice((-1, 1))
        case 3 if "edges" in node:
            draw.choice(node["edges"]).pop(draw.choice(("values", "intervals", "missing")), None)
        case 4:
            node["class"] = draw.choice(changed["classes"])
        case 5 if "edges" in node:
            node.pop("edges")
            node.pop("attribute")
        case 6 if "at_most" in node:
            node["at_most"][draw.randrange(len(node["at_most"]))] += draw.choice((-3, -1, 1))
        case _:
            node["at_most"] = [draw.randrange(9) for _ in changed["classes"]]
    return changed


def _repaired(draw, mode, plain):
    """A leaf that says something else, and everything above it as it would follow."""
    leaves = [i for i, node in enumerate(plain["nodes"]) if "edges" not in node]
    changed, leaf = _copied(plain, draw.choice(leaves))
    classes, m = changed["classes"], len(changed["classes"])
    if mode == "exact":
        leaf["counts"][draw.randrange(m)] = draw.randrange(9)
        leaf["hit"] = max(leaf["counts"])
        leaf["miss"] = sum(leaf["counts"]) - leaf["hit"]
        leaf["class"] = classes[leaf["counts"].index(leaf["hit"])]
    else:
        leaf["class"], leaf["hit"], leaf["miss"] = draw.choice(classes), draw.randrange(9), draw.randrange(20)
        leaf.pop("at_most", None)
        if mode == "sound" and draw.random() < 0.5:
            leaf["at_most"] = [draw.randrange(1, 15) for _ in classes]
    infos = {}
    for i in range(len(changed["nodes"]) - 1, -1, -1):
        node = changed["nodes"][i]
        if "edges" not in node:
            infos[i] = oracles.leaf_info(
                classes.index(node["class"]), node["hit"], node["miss"], node.get("counts"), m, mode
            )
            continue
        infos[i] = oracles.merged([infos[edge["to"]] for edge in node["edges"]], m, mode)
        label, hit, total = oracles.summary(infos[i], mode)
        changed["nodes"][i] = node = {**node, "class": classes[label], "hit": hit, "miss": total - hit}
        if mode == "exact":
            node["counts"] = list(infos[i])
    return changed


def _promise(draw, mode, requirement):
    """A stronger promise, or one by another mode, with the passport that would go with it."""
    claimed = draw.choice(MODES)
    other = random_requirement(draw.randrange(10**6)) if claimed == mode or draw.random() < 0.5 else requirement
    estimated = claimed == "estimated" and not isinstance(other, KAnonymity)
    context = {"mode": claimed, **({"estimated": True} if estimated else {})}
    caveats = (PEOPLE, NO_ROLES, *([ESTIMATED] if estimated else []))
    return other, Passport.issue(other, stage="share", algorithm="by hand", context=context, caveats=caveats)


# -- the judge --------------------------------------------------------------------------------------------------------


def rightly(tree, requirement, mode):
    """Whether the promise is kept at every leaf by what the mode lets it say, and no node says more than that."""
    m, plain = len(tree.classes), requirement.to_dict()
    infos = {}
    for i in range(len(tree.nodes) - 1, -1, -1):
        node = tree.nodes[i]
        place = tree.classes.index(node.label)
        if (node.counts is not None) != (mode == "exact"):
            return False
        if node.is_leaf:
            infos[i] = oracles.leaf_info(place, node.hit, node.miss, node.counts, m, mode)
            if not _leaf_keeps(node, infos[i], m, mode, plain):
                return False
            continue
        infos[i] = oracles.merged([infos[edge.to] for edge in node.edges], m, mode)
        label, hit, total = oracles.summary(infos[i], mode)
        if (node.hit, node.total) != (hit, total) or (mode != "exact" and place != label):
            return False
    return True


def _leaf_keeps(node, info, m, mode, requirement):
    if node.at_most is not None and mode != "sound":
        return False
    if node.hit * m < node.total:
        return False  # a class with fewer is not the commonest
    if mode != "sound" or requirement["kind"] == "k-anonymity":
        return oracles.passes(info, mode, requirement)
    known = node.at_most if node.at_most is not None else info[1]
    return _whatever_the_counts(tuple(sorted(known)), node.total, tuple(sorted(requirement.items())))


@cache
def _whatever_the_counts(bounds, total, requirement):
    """Whether every count of the classes within the bounds keeps the promise; by trying them all."""
    wanted = dict(requirement)
    tried = False
    for rest in product(*(range(bound + 1) for bound in bounds[:-1])):
        last = total - sum(rest)
        if 0 <= last <= bounds[-1]:
            tried = True
            if not _diverse(sorted((*rest, last), reverse=True), wanted):
                return False
    return tried


def _diverse(counts, wanted):
    """Definitions 2 and 3, on counts from the largest down."""
    if wanted["kind"] == "simple-diversity":
        return counts[0] * wanted["l"] <= sum(counts)
    return wanted["l"] <= len(counts) and counts[0] < Fraction(str(wanted["c"])) * sum(counts[wanted["l"] - 1 :])
