"""A set of disjoint rules as it is published: "if sex = f and age > 40, or sex = m and town = a, then ill (7 of 9)".

A rule has one clause or several (alternatives); a clause names attributes and what they may be. No record satisfies
two clauses, so every record counts once. A record may satisfy none: then no rule speaks of it.

    tree  --from_tree-->  rules, one clause each        rules  --to_tree-->  a tree, where questions tell clauses apart
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from confide.core.errors import InputError
from confide.core.trees.nodes import Attribute, Edge, Node
from confide.core.trees.published import PublishedTree
from confide.core.trees.tree_drawing import condition_text, outcome_text

__all__ = ["FORMAT", "VERSION", "Clause", "LeafRule", "RuleSet"]

FORMAT, VERSION = "confide-rules", 1

Clause = Mapping[str, Edge]
"""What a record must be like: for each attribute named, the values or intervals it may have. `Edge.to` is 0."""


@dataclass(frozen=True, kw_only=True)
class LeafRule:
    """`when` any of its clauses holds, `then`: class, hit, miss and, where they are given, counts of all classes."""

    when: tuple[Clause, ...]
    then: Node


@dataclass(frozen=True, kw_only=True)
class RuleSet:
    """Disjoint classification rules that can be handed out, read back and re-checked.

    `classes`, `attributes` and `declared` are as of a `PublishedTree`. Everything is checked when the set is made: an
    InputError names the place, as `rules[3].when[0]`, and the first two rules that overlap.

    >>> age = Attribute(name="age", kind="numeric", bins=(0, 30, 120))
    >>> young, old = Edge(to=0, intervals=((float("-inf"), 30.0),)), Edge(to=0, intervals=((30.0, float("inf")),))
    >>> rules = RuleSet(classes=("no", "yes"), attributes=(age,), rules=(
    ...     LeafRule(when=({"age": young},), then=Node(label="no", hit=3, miss=1, counts=(3, 1))),
    ...     LeafRule(when=({"age": old},), then=Node(label="yes", hit=4, miss=2, counts=(2, 4)))))
    >>> print(rules.to_text())
    if age <= 30 then no (3 of 4 records)
    if age > 30 then yes (4 of 6 records)
    >>> rules.classify({"age": 31}), rules.classify({"age": None}), RuleSet.from_json(rules.to_json()) == rules
    ('yes', None, True)
    """

    artefact_kind = "rules"
    classes: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    rules: tuple[LeafRule, ...]
    declared: bool = False

    def __post_init__(self) -> None:
        from confide.core.trees.rule_soundness import check_rules

        check_rules(self)

    @classmethod
    def from_tree(cls, tree: PublishedTree) -> "RuleSet":
        """A rule for each leaf of a tree. A leaf that no record of the domain can reach is left out."""
        rules = []
        for path in tree.paths():
            clause = {}
            for name, said in path.conditions.items():
                numeric = tree.attribute(name).kind == "numeric"
                edge = Edge(to=0, intervals=said, missing=name in path.missing) if numeric else Edge(to=0, values=said)  # type: ignore[arg-type]
                clause[name] = edge
            if all(edge.values or edge.intervals or edge.missing for edge in clause.values()):
                rules.append(LeafRule(when=(clause,), then=path.node))
        return cls(classes=tree.classes, attributes=tree.attributes, rules=tuple(rules), declared=tree.declared)

    def to_tree(self) -> PublishedTree:
        """The same as a tree. Raises InputError where there is none: see `confide.core.trees.rule_trees`."""
        from confide.core.trees.rule_trees import tree_of_rules

        return tree_of_rules(self)

    @cached_property
    def class_places(self) -> dict[str, int]:
        """The position of each class among `classes`."""
        return {label: place for place, label in enumerate(self.classes)}

    @cached_property
    def used(self) -> frozenset[str]:
        """The attributes that some clause names."""
        return frozenset(name for _, clause in self.clauses() for name in clause)

    def clauses(self) -> Iterator[tuple[int, Clause]]:
        """Every clause, with the number of its rule."""
        for number, rule in enumerate(self.rules):
            for clause in rule.when:
                yield number, clause

    def classify(self, record: Mapping[str, Any]) -> str | None:
        """The class of one record, given as {attribute: value}; None if no rule speaks of it."""
        kinds = {attribute.name: attribute.kind for attribute in self.attributes}
        for number, clause in self.clauses():
            if all(edge.holds(_as_kind(record.get(name), kinds[name])) for name, edge in clause.items()):
                return self.rules[number].then.label
        return None

    def to_text(self) -> str:
        """A line for each rule."""
        lines = []
        for rule in self.rules:
            said = [" and ".join(condition_text(name, edge) for name, edge in clause.items()) for clause in rule.when]
            outcome = outcome_text(rule.then)
            lines.append(f"if {', or if '.join(said)} then {outcome}" if all(said) else outcome)
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<RuleSet {len(self.rules)} rules, {len(self.classes)} classes>"

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and dictionaries, fit for JSON."""
        from confide.core.trees.published import attribute_to_dict, edge_to_dict, node_to_dict

        rules = []
        for rule in self.rules:
            when = [{name: edge_to_dict(edge, to=False) for name, edge in clause.items()} for clause in rule.when]
            rules.append({**node_to_dict(rule.then), "when": when})
        return {
            "format": FORMAT,
            "version": VERSION,
            "declared": self.declared,
            "classes": list(self.classes),
            "attributes": [attribute_to_dict(attribute) for attribute in self.attributes],
            "rules": rules,
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """The rules as JSON text; the same rules always give the same text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "RuleSet":
        """Read what `to_json` wrote; anything else raises InputError and names the place."""
        from confide.core.trees.rule_soundness import read_rules

        try:
            plain = json.loads(text)
        except (ValueError, RecursionError, TypeError) as error:
            where = getattr(error, "lineno", None)
            raise InputError(f"not JSON: {getattr(error, 'msg', error)}", source="rules", line=where) from None
        return read_rules(plain)


def _as_kind(value: Any, kind: str) -> Any:
    if value is None:
        return None
    return float(value) if kind == "numeric" else str(value)
