"""Verify a limited exchange: a secure decision tree, and the ledger of what crossed between the sites that grew it.

Proved from the artefact and its passport alone, by rules written down here a second time:

- the tree names sites, class counts and class labels, and there is no field in which anything else could stand. Class
  labels are text that the target site gives, public by assumption: they are shown, for a reader to judge;
- its nodes make one tree, and the counts of children add up to their parent's;
- every message was of an allowed kind, from someone who may send it to someone who may receive it: join values and
  summaries between sites that join, and no others;
- the sums in the passport are those of the ledger;
- what the tree lists about who could tell what for certain fits itself and the ledger (`certain_exchange`);
- no node's counts stand on fewer rows of the join than `min_records`. A record is in one row of the join at least,
  and maybe in many, so fewer rows refute the promise and enough rows do not prove it.

Not provable here, but the other sites' conduct: that the ledgers are complete, and that every entry of a summary stood
on `min_records` records of its sender's.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from confide.audit.verifiers.certain_exchange import certain_fault, check_certain
from confide.core.checks import Check, Findings
from confide.core.figures import Figure, Figures
from confide.core.requirements import LimitedExchange, Requirement

if TYPE_CHECKING:
    from confide.core.passport import Passport

__all__ = ["ALLOWED", "Allowed", "verify_exchange"]


@dataclass(frozen=True)
class Allowed:
    """Why a kind of message may cross, and between whom: pairs of roles, each a letter.

    s: a site; t: the site with the class; c: the coordinator; a: anyone who takes part. "nn": sites that join.
    """

    promise: str
    ways: tuple[str, ...]


_POINTS = "encrypted join values; only shared ones can be recognised (Agrawal et al. 2003)"

ALLOWED: dict[str, Allowed] = {
    "heartbeat": Allowed("carries no data", ("aa",)),
    "control": Allowed("orders and answers of the protocol; carries no data of a table", ("aa",)),
    "error": Allowed("why a run stopped; may hold sites, parameters, counts and types, never values", ("aa",)),
    "class-labels": Allowed("class labels are public (thesis 3.1.1)", ("tc",)),
    "intersection-1": Allowed(_POINTS, ("nn",)),
    "intersection-2": Allowed(_POINTS, ("nn",)),
    "intersection-3": Allowed(_POINTS, ("nn",)),
    "class-summary": Allowed("counts by shared join value and class (thesis 3.3.1)", ("nn",)),
    "split-summary": Allowed("counts by shared join value, class and child (thesis 3.3.2)", ("nn",)),
    "class-totals": Allowed("counts by node and class, which the tree shows (thesis 3.2.1)", ("sc",)),
    "scores": Allowed("the best score of a site at a node, without its attribute (thesis 3.3)", ("sc",)),
    "hidden-scores": Allowed("shares of scores, which reveal only the winner", ("aa",)),
    "winner": Allowed("who splits a node, which the tree shows (thesis 3.2.1)", ("ca", "ac")),
    "structure": Allowed("nodes and children, which the tree shows (thesis 3.2.1)", ("cs", "sc")),
    "ledger": Allowed("sums of what was sent", ("aa",)),
    "prediction-ids": Allowed("ids of a site's own records (thesis 3.2.2)", ("cs",)),
    "prediction-path": Allowed("the way from the root to a leaf (thesis 3.2.2)", ("sc",)),
}
"""Every kind of message that a limited exchange may hold; what is not here is refused."""

_DOCUMENT = {
    "format": str, "version": int, "run": str, "coordinator": str, "target": str,
    "sites": list, "edges": list, "classes": list, "nodes": list, "ledger": list,
}  # fmt: skip
_NODE = {"site": (str, type(None)), "children": list, "counts": list, "label": str}
_LINE = {"from": str, "to": str, "kind": str, "messages": int, "entries": int, "bytes": int, "allowed_by": str}


def verify_exchange(artefact: Any, passport: "Passport") -> Iterator[Check]:
    """Check a secure tree and its ledger against `LimitedExchange`; see above for what that proves."""
    requirement = Requirement.from_dict(passport.requirement)
    fault = "the passport promises something else" if not isinstance(requirement, LimitedExchange) else _form(artefact)
    yield Check(name="the artefact is a secure tree with its ledger", ok=not fault, detail=fault)
    if fault:
        return
    assert isinstance(requirement, LimitedExchange)
    yield _names(artefact)
    shape = _shape(artefact)
    yield shape
    if shape.ok:
        yield replace(_adding_up(artefact), findings=_find(artefact))
    yield _labels(artefact)
    yield _kinds(artefact)
    yield _hidden(artefact, passport)
    yield _sums(artefact, passport)
    yield from check_certain(artefact, passport)
    yield _records(artefact, requirement)


# -- the tree -----------------------------------------------------------------------------------------------------


def _form(artefact: Any) -> str:
    """Every field is there, of its type, and no other: a field of its own could hold an attribute or a value."""
    fault = _fields(artefact, {**_DOCUMENT, "helper": str, "certain": list}, optional=("helper", "certain"))
    if fault:
        return fault
    if artefact["format"] != "confide-secure-tree" or artefact["version"] != 1:
        return "another format or version"
    if not re.fullmatch("[0-9a-f]{32}", artefact["run"]):
        return "the run's number is none"
    for name in ("sites", "classes"):
        if not all(isinstance(text, str) for text in artefact[name]) or len(set(artefact[name])) < len(artefact[name]):
            return f"{name}: not a list of different names"
    if not _is_tree(artefact["sites"], artefact["edges"]):
        return "edges: not pairs of sites that make one tree of all of them"
    if not artefact["nodes"]:
        return "there is no node"
    for kind, form in (("nodes", _NODE), ("ledger", _LINE)):
        for number, part in enumerate(artefact[kind]):
            fault = _fields(part, form)
            if fault:
                return f"{kind}.{number}: {fault}"
    for number, node in enumerate(artefact["nodes"]):
        if not all(_whole(entry) for entry in (*node["children"], *node["counts"])):
            return f"nodes.{number}: children and counts are whole numbers of 0 or more"
    for number, line in enumerate(artefact["ledger"]):
        if not all(_whole(line[name]) for name in ("messages", "entries", "bytes")):
            return f"ledger.{number}: sums are whole numbers of 0 or more"
    return certain_fault(artefact.get("certain", []))


def _fields(part: Any, form: dict[str, Any], optional: tuple[str, ...] = ()) -> str:
    if not isinstance(part, dict):
        return "no object"
    missing = [name for name in form if name not in part and name not in optional]
    if missing:
        return f"no field {missing[0]!r}"
    if not set(part) <= set(form):
        return "a field that does not belong there"  # not repeated: its name may be an attribute
    wrong = [name for name, value in part.items() if not isinstance(value, form[name]) or isinstance(value, bool)]
    return f"{wrong[0]}: of another type" if wrong else ""


def _is_tree(sites: list[str], edges: list[Any]) -> bool:
    """Whether the edges are pairs of sites, one fewer than sites, and lead from any site to all others."""
    if not all(isinstance(edge, list) and len(edge) == 2 and all(end in sites for end in edge) for edge in edges):
        return False
    reached = set(sites[:1])
    for _ in edges:
        reached |= {end for edge in edges if reached & set(edge) for end in edge}
    return len(edges) == len(sites) - 1 and len(reached) == len(sites)


def _whole(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= 0


def _names(artefact: dict[str, Any]) -> Check:
    """Where a name can stand, only names of sites and classes do."""
    sites, classes = set(artefact["sites"]), set(artefact["classes"])
    wrong = [
        number
        for number, node in enumerate(artefact["nodes"])
        if (node["site"] is not None and node["site"] not in sites) or node["label"] not in classes
    ]
    fault = f"{len(wrong)} nodes name something else" if wrong else ""
    if artefact["target"] not in sites:
        fault = "the target is not a site"
    labels = ", ".join(repr(label[:40]) for label in artefact["classes"][:5]) + (", ..." if len(classes) > 5 else "")
    shown = f"{len(artefact['nodes']):,} nodes, {len(sites)} sites, {len(classes)} classes: {labels}"
    return Check(name="the tree names sites and classes only", ok=not fault, detail=fault or shown)


def _shape(artefact: dict[str, Any]) -> Check:
    """Node 0 is the root, children come after their parent, everyone but the root is one node's child."""
    nodes = artefact["nodes"]
    parents = [0] * len(nodes)
    fault = ""
    for number, node in enumerate(nodes):
        if (node["site"] is None) != (not node["children"]):
            fault = f"nodes.{number}: an inner node has a split site and children, a leaf has neither"
        for child in node["children"]:
            if not number < child < len(nodes):
                return Check(name="the nodes make one tree", ok=False, detail=f"nodes.{number}: no such child")
            parents[child] += 1
    if any(count != 1 for count in parents[1:]):
        fault = "a node has no parent, or two"
    return Check(name="the nodes make one tree", ok=not fault, detail=fault)


def _adding_up(artefact: dict[str, Any]) -> Check:
    nodes, width = artefact["nodes"], len(artefact["classes"])
    wrong = [number for number, node in enumerate(nodes) if len(node["counts"]) != width]
    if not wrong:
        wrong = [
            number
            for number, node in enumerate(nodes)
            if node["children"]
            and [sum(column) for column in zip(*(nodes[child]["counts"] for child in node["children"]), strict=True)]
            != node["counts"]
        ]
    total = f"{sum(nodes[0]['counts']):,} rows at the root"
    detail = f"nodes.{wrong[0]}: class counts do not fit those of its children or the classes" if wrong else total
    return Check(name="class counts add up", ok=not wrong, detail=detail)


def _labels(artefact: dict[str, Any]) -> Check:
    """A node's class is the commonest there; a leaf that holds nothing may have any."""
    wrong = 0
    for node in artefact["nodes"]:
        held = dict(zip(artefact["classes"], node["counts"], strict=False))
        wrong += held.get(node["label"], -1) != max(node["counts"], default=0)
    return Check(
        name="the class of each node is its commonest",
        ok=wrong == 0,
        detail=f"{wrong} nodes have another" if wrong else "",
    )


def _find(artefact: dict[str, Any]) -> Findings:
    """The run in numbers, counted from the tree and its ledger."""
    nodes = artefact["nodes"]
    below = [0] * len(nodes)
    for number in range(len(nodes) - 1, -1, -1):
        below[number] = max((below[child] + 1 for child in nodes[number]["children"]), default=0)
    rows, kilobytes = sum(nodes[0]["counts"]), round(sum(line["bytes"] for line in artefact["ledger"]) / 1000, 1)
    sites = len(artefact["sites"])
    right = sum(max(node["counts"], default=0) for node in nodes if not node["children"])  # its label's: checked
    fit, always = (min(part / (rows or 1), 1.0) for part in (right, max(nodes[0]["counts"], default=0)))
    sentence = f"{sites} sites trained one tree of {len(nodes):,} nodes over {rows:,} joined records, of which "
    sentence += f"{fit:.0%} have the class of their leaf (the commonest class: {always:.0%}); "
    certain, counted = _certain(artefact.get("certain", []))
    return Findings(
        sentence=sentence + (certain or f"{kilobytes:,} kB crossed between them") + ".",
        key=("leaf_class", "commonest_class", counted[0].name if counted else "kilobytes_exchanged"),
        figures=Figures(
            Figure("joined_records", rows, "count", "records of the join the tree was grown over"),
            Figure("nodes", len(nodes), "count", "nodes of the tree"),
            Figure("leaf_class", fit, "share", "of the joined records have the class of their leaf"),
            Figure("commonest_class", always, "share", "of them have the commonest class"),
            *counted,
            Figure("kilobytes_exchanged", kilobytes, "kilobytes", "sent between the sites"),
            Figure("depth", below[0], "count", "levels below its root"),
        ),
    )


def _certain(lines: list[dict[str, Any]]) -> tuple[str, tuple[Figure, ...]]:
    """What the neighbour that can tell most could tell of people, as the tree lists it: in words, and as a figure."""
    if not lines:
        return "", ()

    def share(line: dict[str, Any]) -> tuple[Any, ...]:
        keys, records = (Fraction(line[f"class_{part}"], line[part] or 1) for part in ("keys", "records"))
        return max(keys, records), line["class_keys"], line["side_keys"]

    worst = max(lines, key=share)
    who, known, people = worst["to"], worst["class_keys"], worst["keys"]
    what = f"of {people:,} people of {worst['from']}, by join value, whose class {who} could tell for certain"
    figure = Figure("classes_certain", known, "count", what)
    if not known:
        return "by the sites' own count, no neighbour could tell anybody's class for certain", (figure,)
    could = f"{who} could tell the class of {known:,} of {people:,} people by join value for certain"
    could += f" (allowed: {100 * worst['allowed_classes']:.4g}%)"
    return f"by the sites' own count, {could}", (figure,)


# -- the ledger ---------------------------------------------------------------------------------------------------


def _kinds(artefact: dict[str, Any]) -> Check:
    """Every line is of an allowed kind, goes a way that kind may go, and gives the reason that allows it."""
    name = "only allowed messages crossed"
    seen: set[tuple[str, str, str]] = set()
    for number, line in enumerate(artefact["ledger"]):
        kind, way = line["kind"], (line["from"], line["to"])
        fault = ""
        if kind not in ALLOWED:
            fault = "a kind of message that nothing allows"
        elif line["allowed_by"] != ALLOWED[kind].promise:
            fault = "another reason than the one that allows its kind"
        elif way[0] == way[1] or not all(_roles(artefact, party) for party in way):
            fault = "someone who takes no part, or talks to itself"
        elif not any(_goes(artefact, way, pair) for pair in ALLOWED[kind].ways):
            fault = f"{kind} may not go that way"
        elif (*way, kind) in seen or line["messages"] == 0:
            fault = "a line that is there twice, or stands for no message"
        if fault:
            return Check(name=name, ok=False, detail=f"ledger.{number}: {fault}")
        seen.add((*way, kind))
    kinds = len({line["kind"] for line in artefact["ledger"]})
    ok = len(artefact["ledger"]) > 0
    return Check(name=name, ok=ok, detail=f"{len(seen):,} lines of {kinds} kinds" if ok else "the ledger is empty")


def _goes(artefact: dict[str, Any], way: tuple[str, str], pair: str) -> bool:
    if pair == "nn":
        return list(way) in artefact["edges"] or list(way)[::-1] in artefact["edges"]
    return all(role in _roles(artefact, party) for role, party in zip(pair, way, strict=True))


def _roles(artefact: dict[str, Any], party: str) -> str:
    roles = "s" if party in artefact["sites"] else ""
    roles += "t" if party == artefact["target"] else ""
    roles += "c" if party == artefact["coordinator"] else ""
    return roles + ("a" if roles or party == artefact.get("helper") else "")


def _hidden(artefact: dict[str, Any], passport: "Passport") -> Check:
    """If scores were to be hidden, none was sent openly, and the shares went round among three parties or more."""
    name = "scores were sent or hidden as the passport says"
    kinds = {line["kind"] for line in artefact["ledger"]}
    if not passport.parameters.get("hide_gains"):
        return Check(name=name, ok="hidden-scores" not in kinds, detail="sent to the coordinator")
    parties = {
        party for line in artefact["ledger"] if line["kind"] == "hidden-scores" for party in (line["from"], line["to"])
    }
    fault = "scores were sent openly" if "scores" in kinds else ""
    if len(artefact["nodes"]) > 1 and len(parties) < 3:
        fault = fault or f"{len(parties)} parties cannot hide a score from each other"
    return Check(name=name, ok=not fault, detail=fault or f"hidden among {len(parties)} parties")


def _sums(artefact: dict[str, Any], passport: "Passport") -> Check:
    """The sums in the passport are those of the ledger, line by line."""
    kinds: dict[str, int] = {}
    for line in artefact["ledger"]:
        kinds[line["kind"]] = kinds.get(line["kind"], 0) + line["messages"]
    found = {
        "sites": artefact["sites"],
        "edges": artefact["edges"],
        "coordinator": artefact["coordinator"],
        "target": artefact["target"],
        "messages": sum(kinds.values()),
        "bytes": sum(line["bytes"] for line in artefact["ledger"]),
        "kinds": kinds,
    }
    wrong = [name for name, value in found.items() if passport.context.get(name) != value]
    shown = f"{found['messages']:,} messages, {found['bytes']:,} bytes"
    detail = f"the passport has another {wrong[0]}" if wrong else shown
    return Check(name="the passport's sums are the ledger's", ok=not wrong, detail=detail)


def _records(artefact: dict[str, Any], requirement: LimitedExchange) -> Check:
    sizes = [sum(node["counts"]) for node in artefact["nodes"]]
    few = sum(0 < size < requirement.min_records for size in sizes)
    return Check(
        name="no node has fewer rows of the join than records were promised",
        ok=few == 0,
        detail=f"{few} nodes have fewer than min_records={requirement.min_records} rows of the join"
        if few
        else f"min_records={requirement.min_records}, the smallest has {min(sizes):,} rows; how many records stand "
        "behind them, only the sites can tell",
    )
