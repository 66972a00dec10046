"""What makes a set of rules sound, and reading one from plain data. Every fault names its place.

Whether two clauses overlap is asked of few pairs: clauses that an attribute tells apart go to different heaps, and only
those of one heap, which no attribute tells apart, are compared.

    cells of an attribute   its values; or what all cuts leave of the line, and missing numbers
    a clause                a set of cells for each attribute, as the bits of a number
"""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from confide.core.errors import InputError
from confide.core.trees.nodes import Attribute, Edge
from confide.core.trees.rules import FORMAT, VERSION, Clause, LeafRule, RuleSet
from confide.core.trees.soundness import (
    check_attribute,
    check_counts,
    check_edges,
    distinct,
    fields_of,
    list_of,
    read_attribute,
    read_edge,
    read_node,
    text_of,
)

__all__ = ["CellSets", "check_rules", "heaps", "read_rules"]

MOST_ALIKE = 3_000
"""Clauses that no attribute tells apart, above which comparing them all is refused."""


def check_rules(rules: RuleSet) -> None:
    """Raise InputError at the first place where this is no set of disjoint rules over its domains."""
    distinct(rules.classes, "classes")
    distinct([attribute.name for attribute in rules.attributes], "attributes")
    known = {}
    for i, attribute in enumerate(rules.attributes):
        check_attribute(attribute, f"attributes[{i}]", declared=rules.declared)
        known[attribute.name] = attribute
    if not rules.rules:
        raise InputError("a set has at least one rule", source="rules")
    domains = {name: frozenset(attribute.values) for name, attribute in known.items()}
    for i, rule in enumerate(rules.rules):
        place = f"rules[{i}]"
        check_counts(rules, rule.then, place)
        if rule.then.edges or rule.then.attribute is not None:
            raise InputError("a rule leads to a class, not to a question", source=place)
        if not rule.when:
            raise InputError("a rule has at least one clause", source=f"{place}.when")
        for k, clause in enumerate(rule.when):
            for name, edge in clause.items():
                here = f"{place}.when[{k}]"
                if name not in known:
                    raise InputError(f"no attribute {name!r}; attributes are: {', '.join(known)}", source=here)
                check_edges((edge,), known[name], domains[name], here)
                _check_cuts(edge, known[name], here, declared=rules.declared)
    overlap = _overlap(rules)
    if overlap is not None:
        one, two = overlap
        where = f"rules {one} and {two} overlap" if one != two else f"two clauses of rule {one} overlap"
        raise InputError(f"{where}: a record can satisfy both; rules must be disjoint", source=f"rules[{two}]")


def _check_cuts(edge: Edge, attribute: Attribute, place: str, *, declared: bool) -> None:
    ends = {end for ends in edge.intervals for end in ends if math.isfinite(end)}
    if declared and not ends.issubset(attribute.cuts):
        raise InputError(f"a cut of {attribute.name!r} that is no edge of its bins", source=place)


class CellSets:
    """Clauses as sets of cells, attribute by attribute; -1 is every cell."""

    def __init__(self, rules: RuleSet) -> None:
        self.owner = [number for number, _ in rules.clauses()]
        clauses = [clause for _, clause in rules.clauses()]
        self.names = [attribute.name for attribute in rules.attributes if attribute.name in rules.used]
        self.ends: dict[str, list[float]] = {}
        self.values: dict[str, tuple[str | None, ...]] = {}
        self.whole: dict[str, int] = {}
        for attribute in rules.attributes:
            edges = [clause[attribute.name] for clause in clauses if attribute.name in clause]
            if attribute.kind == "numeric":
                finite = {end for edge in edges for pair in edge.intervals for end in pair if math.isfinite(end)}
                self.ends[attribute.name] = [-math.inf, *sorted(finite), math.inf]
                self.whole[attribute.name] = (1 << len(self.ends[attribute.name])) - 1  # the last cell: missing
            else:
                self.values[attribute.name] = attribute.values
                self.whole[attribute.name] = (1 << len(attribute.values)) - 1
        self.places = {name: {end: i for i, end in enumerate(ends)} for name, ends in self.ends.items()}
        self.codes = {name: {value: i for i, value in enumerate(values)} for name, values in self.values.items()}
        self.masks = [{name: self._mask(name, edge) for name, edge in clause.items()} for clause in clauses]

    def _mask(self, name: str, edge: Edge) -> int:
        if name in self.codes:
            return sum(1 << self.codes[name][value] for value in edge.values)
        place = self.places[name]
        mask = 1 << (len(place) - 1) if edge.missing else 0
        for low, high in edge.intervals:
            mask |= (1 << place[high]) - (1 << place[low])
        return mask

    def edge(self, name: str, mask: int, *, to: int = 0) -> Edge:
        """These cells as an edge again."""
        if name in self.codes:
            return Edge(to=to, values=tuple(v for i, v in enumerate(self.values[name]) if mask >> i & 1))
        from confide.core.trees.nodes import joined

        ends = self.ends[name]
        held = tuple((ends[i], ends[i + 1]) for i in range(len(ends) - 1) if mask >> i & 1)
        return Edge(to=to, intervals=joined(held), missing=bool(mask >> (len(ends) - 1) & 1))


def heaps(cells: CellSets, clauses: Sequence[int], name: str) -> list[tuple[int, list[int]]]:
    """The clauses in heaps between which this attribute tells apart: (the cells of a heap, its clauses)."""
    parts: list[int] = []
    for mask in {cells.masks[i].get(name, -1) for i in clauses}:
        together, apart = mask, []
        for part in parts:
            if part & mask:
                together |= part
            else:
                apart.append(part)
        parts = [*apart, together]
    if len(parts) == 1:
        return [(parts[0], list(clauses))]
    found: dict[int, list[int]] = {part: [] for part in sorted(parts, key=lambda part: part & -part)}
    for i in clauses:
        mask = cells.masks[i][name]
        found[next(part for part in parts if part & mask)].append(i)
    return list(found.items())


def _overlap(rules: RuleSet) -> tuple[int, int] | None:
    """Two rules, ascending, that have a clause each which the same record can satisfy; or None."""
    cells = CellSets(rules)
    stack = [list(range(len(cells.masks)))]
    while stack:
        clauses = stack.pop()
        if len(clauses) < 2:
            continue
        best = max((heaps(cells, clauses, name) for name in cells.names), key=len, default=[])
        if len(best) > 1:
            stack += [heap for _, heap in best]
            continue
        if len(clauses) > MOST_ALIKE:
            raise InputError(f"{len(clauses):,} clauses that no attribute tells apart are too many to compare")
        for i, j in combinations(clauses, 2):
            a, b = cells.masks[i], cells.masks[j]
            if all(mask & b.get(name, -1) for name, mask in a.items()):
                return tuple(sorted((cells.owner[i], cells.owner[j])))  # type: ignore[return-value]
    return None


def read_rules(plain: Any) -> RuleSet:
    """Make a set of rules from plain data, as `RuleSet.to_dict` gives it."""
    if isinstance(plain, dict) and (plain.get("format"), plain.get("version")) != (FORMAT, VERSION):
        found = f"{plain.get('format')!r} version {plain.get('version')!r}"[:80]
        raise InputError(f"is {found}; this program reads {FORMAT!r} version {VERSION}", source="rules.format")
    required = ("format", "version", "declared", "classes", "attributes", "rules")
    fields = fields_of(plain, "rules", required=required)
    if not isinstance(fields["declared"], bool):
        raise InputError("must be true or false", source="rules.declared")
    listed = list_of(fields["attributes"], "attributes")
    return RuleSet(
        classes=tuple(text_of(c, f"classes[{i}]") for i, c in enumerate(list_of(fields["classes"], "classes"))),
        attributes=tuple(read_attribute(a, f"attributes[{i}]") for i, a in enumerate(listed)),
        rules=tuple(_rule(rule, f"rules[{i}]") for i, rule in enumerate(list_of(fields["rules"], "rules"))),
        declared=fields["declared"],
    )


def _rule(plain: Any, place: str) -> LeafRule:
    fields = fields_of(plain, place, required=("class", "hit", "miss", "when"), optional=("counts", "at_most"))
    then = read_node({name: value for name, value in fields.items() if name != "when"}, place)
    listed = list_of(fields["when"], f"{place}.when")
    return LeafRule(when=tuple(_clause(c, f"{place}.when[{k}]") for k, c in enumerate(listed)), then=then)


def _clause(plain: Any, place: str) -> Clause:
    if not isinstance(plain, dict):
        raise InputError(f"must be an object, not {type(plain).__name__}", source=place)
    clause = {}
    for name, said in plain.items():
        here = f"{place}.{name}"[:80]
        fields = fields_of(said, here, required=(), optional=("values", "intervals", "missing"))
        clause[name] = read_edge({"to": 0, **fields}, here)
    return clause
