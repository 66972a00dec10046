"""The secure decision tree (thesis 3.2.1): who splits a node, never how.

An inner node names its split site; the split itself stays in that site's own split list. What is released is this
JSON, node 0 the root, children after their parents, and the ledger of everything that crossed between sites:

    {
      "format": "confide-secure-tree", "version": 1,
      "run": "9f2c...",                             32 hex digits, drawn at random
      "coordinator": "registry", "target": "hospital",
      "sites": ["hospital", "insurer"],             in the order that breaks ties
      "edges": [["hospital", "insurer"]],           who joins whom
      "classes": ["no", "yes"],                     the order of every "counts"
      "nodes": [
        {"site": "insurer", "children": [1, 2], "counts": [5, 4], "label": "no"},
        {"site": null, "children": [], "counts": [5, 0], "label": "no"},
        {"site": null, "children": [], "counts": [0, 4], "label": "yes"}
      ],
      "ledger": [
        {"from": "hospital", "to": "insurer", "kind": "class-summary", "messages": 1, "entries": 250,
         "bytes": 1416, "allowed_by": "counts by shared join value and class (thesis 3.3.1)"}
      ],
      "certain": [                                  what each could tell for certain, for every way along a join
        {"from": "hospital", "to": "insurer", "allowed_classes": 0.2, "allowed_sides": 0.2,
         "keys": 250, "records": 1000, "class_keys": 20, "class_records": 31, "side_keys": 12, "side_records": 19,
         "seen_class_keys": 20, "seen_side_keys": 12}, ...
      ]
    }

A line of the ledger sums up all messages of one kind from one party to another; parties are the sites, the
coordinator, and the helper of a hidden comparison, if any ("helper" beside "coordinator"). Kinds are those of
`join.protocol.verbs.KINDS`. "certain" is as in `join.protocol.certain_lines`; older trees have none. The counts of the
children of a node add up to its own. The passport's context holds
`{"sites": [...], "edges": [...], "coordinator": "...", "target": "...", "messages": n, "bytes": n,
"kinds": {kind: messages}}`; its requirement is `LimitedExchange(min_records=...)`, the least any site's policy asks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from confide.core.errors import InputError
from confide.core.figures import Shown
from confide.core.files import read_bytes
from confide.core.json_text import faults_of, read_json
from confide.join.protocol.certain_lines import CertainLine
from confide.join.protocol.ledger import Line

if TYPE_CHECKING:
    from confide.core.release import Release

__all__ = ["SecureNode", "SecureTree", "number_nodes"]

LARGEST_TREE = 256 << 20


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class SecureNode(_Part):
    """A node as everybody may know it: its split site and children (none at a leaf), class counts, class."""

    site: str | None
    children: list[int]
    counts: list[int]
    label: str


class _Document(_Part):
    format: str = Field(pattern="^confide-secure-tree$")
    version: int = Field(ge=1, le=1)
    run: str = Field(pattern="^[0-9a-f]{32}$")
    coordinator: str
    target: str
    sites: list[str]
    edges: list[Annotated[list[str], Field(min_length=2, max_length=2)]]
    classes: list[str]
    nodes: list[SecureNode] = Field(min_length=1)
    ledger: list[dict[str, Any]]
    certain: list[dict[str, Any]] = []
    helper: str | None = None


@dataclass(frozen=True, kw_only=True)
class SecureTree(Shown):
    """A tree over the join of several sites' tables that shows no attribute and no value.

    `sites` are in the order that breaks ties, `edges` say who joins whom; `nodes[0]` is the root; `ledger` says what
    crossed between whom, `certain` who could tell what about people for certain. To classify a record all sites on its
    way must help: see `prediction`.
    """

    run: str
    coordinator: str
    target: str
    sites: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    classes: tuple[str, ...]
    nodes: tuple[SecureNode, ...]
    ledger: tuple[Line, ...] = ()
    certain: tuple[CertainLine, ...] = ()
    helper: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON form in the module's docstring."""
        plain = {
            "format": "confide-secure-tree",
            "version": 1,
            "run": self.run,
            "coordinator": self.coordinator,
            "target": self.target,
            "sites": list(self.sites),
            "edges": [list(edge) for edge in self.edges],
            "classes": list(self.classes),
            "nodes": [node.model_dump() for node in self.nodes],
            "ledger": [line.to_dict() for line in self.ledger],
        }
        if self.certain:
            plain["certain"] = [line.to_dict() for line in self.certain]
        if self.helper is not None:
            plain["helper"] = self.helper
        return plain

    @classmethod
    def from_dict(cls, data: Any, *, source: object = None) -> "SecureTree":
        """Read the JSON form; every fault is named in one line."""
        try:
            read = _Document.model_validate(data)
        except ValidationError as error:
            raise InputError(f"not a secure tree ({faults_of(error, whole='tree')})", source=source) from None
        tree = cls(
            run=read.run,
            coordinator=read.coordinator,
            target=read.target,
            sites=tuple(read.sites),
            edges=tuple((edge[0], edge[1]) for edge in read.edges),
            classes=tuple(read.classes),
            nodes=tuple(read.nodes),
            ledger=tuple(Line.from_dict(line, source=source) for line in read.ledger),
            certain=tuple(CertainLine.from_dict(line, source=source) for line in read.certain),
            helper=read.helper,
        )
        tree._check(source)
        return tree

    @classmethod
    def read(cls, path: str | PathLike[str]) -> "SecureTree":
        """Read a file that `confide join train -o` wrote."""
        return cls.from_dict(read_json(read_bytes(path, max_bytes=LARGEST_TREE), source=path), source=path)

    def _check(self, source: object) -> None:
        if any(site not in self.sites for edge in self.edges for site in edge):
            raise InputError("edges: a site that is not one of this tree's", source=source)
        seen = {0}
        for number, node in enumerate(self.nodes):
            where = f"nodes.{number}"
            if (node.site is None) != (not node.children):
                raise InputError(f"{where}: an inner node has a split site and children, a leaf neither", source=source)
            if node.site is not None and node.site not in self.sites:
                raise InputError(f"{where}: split site {node.site!r} is not a site of this tree", source=source)
            if len(node.counts) != len(self.classes) or node.label not in self.classes:
                raise InputError(f"{where}: counts and class do not fit the tree's classes", source=source)
            for child in node.children:
                if not number < child < len(self.nodes) or child in seen:
                    raise InputError(f"{where}: {child} cannot be its child", source=source)
                seen.add(child)
        if len(seen) != len(self.nodes):
            raise InputError("a node hangs below no other", source=source)

    @property
    def depth(self) -> int:
        """Edges on the longest way from the root."""
        below = [0] * len(self.nodes)
        for number in range(len(self.nodes) - 1, -1, -1):
            below[number] = max((below[c] + 1 for c in self.nodes[number].children), default=0)
        return below[0]

    def release(
        self, *, min_records: int, parameters: dict[str, Any], verify: bool = True
    ) -> "Release[dict[str, Any]]":
        """This tree as a release: checked by the auditor, with a passport; see `confide.audit.verifiers.exchange`."""
        from confide.core.release import Release
        from confide.core.requirements import LimitedExchange
        from confide.join.coordinator.disclosure import charts, costs, headline

        kinds: dict[str, int] = {}
        for line in self.ledger:
            kinds[line.kind] = kinds.get(line.kind, 0) + line.messages
        loss = costs(self)
        return Release.issue(
            self.to_dict(),
            LimitedExchange(min_records=min_records),
            stage="join",
            algorithm="SecureMultiTbl",
            parameters=parameters,
            context={
                "sites": list(self.sites),
                "edges": [list(edge) for edge in self.edges],
                "coordinator": self.coordinator,
                "target": self.target,
                "messages": sum(line.messages for line in self.ledger),
                "bytes": sum(line.bytes for line in self.ledger),
                "kinds": dict(sorted(kinds.items())),
            },
            loss=loss,
            headline=headline(self, loss),
            key_figures=("joined_records", "nodes", "classes_certain" if self.certain else "kilobytes_exchanged"),
            randomness={"source": "system", "used for": "blinding of join values, and their order"},
            charts=charts(self),
            verify=verify,
        )


def number_nodes(nodes: Sequence[SecureNode], stays: Sequence[bool]) -> tuple[tuple[SecureNode, ...], dict[int, int]]:
    """The nodes that stay, numbered again from the root down, and {old number: new number}.

    A node whose children all go becomes a leaf.
    """
    order: list[int] = []
    stack = [0]
    while stack:
        number = stack.pop()
        order.append(number)
        stack.extend(child for child in reversed(nodes[number].children) if stays[child])
    new = {old: place for place, old in enumerate(order)}
    made = []
    for old in order:
        children = [new[child] for child in nodes[old].children if stays[child]]
        made.append(nodes[old].model_copy(update={"children": children, "site": nodes[old].site if children else None}))
    return tuple(made), new
