"""What parties of a join may say to each other: each verb has a kind, a schema and a largest size.

The *kind* is the word of the ledger and of a site's policy: it stands for the promise that allows the message.

    verb          kind            from -> to              says
    ping, pong    heartbeat       coordinator <-> site    I am here
    begin, begun  control         coordinator <-> site    parameters of the run; which intersections are kept
    labels        control         coordinator -> target   what are the classes?
    classes       class-labels    target -> coordinator   the class labels, which are public (thesis 3.1.1)
    intersect     control         coordinator -> site     find the shared join values with that neighbour, or answer it
    points        intersection-1  site -> neighbour       own join values, encrypted and shuffled
    answer        intersection-2  neighbour -> site       these encrypted once more; own ones, encrypted and shuffled
    points-back   intersection-3  site -> neighbour       its points, encrypted once more
    offer         intersection-1  site -> neighbour       outside a run: own join values, encrypted and shuffled
    offered       intersection-2  neighbour -> site       own ones likewise; unless for the size alone, the others' too
    return        intersection-3  site -> neighbour       its points, encrypted once more; for the size, shuffled again
    settled       intersection-size neighbour -> site     how many join values both have
    propagate     control         coordinator -> site     send and receive class summaries in this order
    class-counts  class-summary   site -> neighbour       class counts by shared join value
    totals        class-totals    site -> coordinator     class counts by node
    gains, score  control         coordinator -> site     how well can you split these nodes?
    averages      scores          site -> coordinator     sum and number of gains by node (gain ratio only)
    scores        scores          site -> coordinator     the best score by node
    meet, met     control         coordinator <-> site    where do you take part in hidden comparisons?
    introduce     control         coordinator -> site     the others are there
    compare       control         coordinator -> site     compare scores of these nodes, hidden
    compared      winner          site -> coordinator     this is who has the best
    won           winner          coordinator -> site     you split these nodes
    children      structure       winner -> coordinator   into how many children
    split         structure       coordinator -> site     who splits which node, and how its children are numbered
    split-counts  split-summary   site -> neighbour       class counts by shared join value and child
    finish        structure       coordinator -> site     which of your nodes stayed after pruning
    walk          structure       coordinator -> site     of an evaluation: who splits which node, and which end here
    tally         control         coordinator -> target   how does the tree class your held-out records?
    tallied       confusion-counts target -> coordinator  held-out records by their class and the tree's
    ledger, lines ledger          coordinator <-> site    sums of what you sent
    route         prediction-ids  coordinator -> site     where do these records of yours go at these nodes?
    branches      prediction-path site -> coordinator     there
    stop, done    control         any                     the run ends; the step is finished
    failed        error           any                     it is not, and why; perhaps a count or a type, never a value
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "ANSWERS",
    "APART",
    "KINDS",
    "LARGEST_MESSAGE",
    "NOT_OF_A_TREE",
    "VERBS",
    "Begin",
    "CertainTold",
    "Header",
    "MessageKind",
    "Verb",
]

LARGEST_MESSAGE = 2 << 30
"""Bytes of body nobody accepts more of, whatever the verb."""

_COUNTS = ("uint8", "uint16", "uint32", "int64")


@dataclass(frozen=True)
class MessageKind:
    """A kind of message, as ledgers and policies name it, and the promise that allows it."""

    name: str
    allowed_by: str


KINDS: dict[str, MessageKind] = {
    kind.name: kind
    for kind in (
        MessageKind("heartbeat", "carries no data"),
        MessageKind("control", "orders and answers of the protocol; carries no data of a table"),
        MessageKind("error", "why a run stopped; may hold sites, parameters, counts and types, never values"),
        MessageKind("class-labels", "class labels are public (thesis 3.1.1)"),
        MessageKind(
            "intersection-1", "encrypted join values; only shared ones can be recognised (Agrawal et al. 2003)"
        ),
        MessageKind(
            "intersection-2", "encrypted join values; only shared ones can be recognised (Agrawal et al. 2003)"
        ),
        MessageKind(
            "intersection-3", "encrypted join values; only shared ones can be recognised (Agrawal et al. 2003)"
        ),
        MessageKind("intersection-size", "how many join values two sites share, asked outside a run"),
        MessageKind("class-summary", "counts by shared join value and class (thesis 3.3.1)"),
        MessageKind("split-summary", "counts by shared join value, class and child (thesis 3.3.2)"),
        MessageKind("class-totals", "counts by node and class, which the tree shows (thesis 3.2.1)"),
        MessageKind("scores", "the best score of a site at a node, without its attribute (thesis 3.3)"),
        MessageKind("hidden-scores", "shares of scores, which reveal only the winner"),
        MessageKind("winner", "who splits a node, which the tree shows (thesis 3.2.1)"),
        MessageKind("structure", "nodes and children, which the tree shows (thesis 3.2.1)"),
        MessageKind("confusion-counts", "how many held-out records of each class the tree puts in which"),
        MessageKind("ledger", "sums of what was sent"),
        MessageKind("prediction-ids", "ids of a site's own records (thesis 3.2.2)"),
        MessageKind("prediction-path", "the way from the root to a leaf (thesis 3.2.2)"),
    )
}


NOT_OF_A_TREE = frozenset({"intersection-size", "confusion-counts"})
"""Kinds that never cross while a tree grows, so that the auditor of a tree refuses them in its ledger."""


class Header(BaseModel):
    """What stands beside the columns of a message: exactly the fields of its verb, of exactly their types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Run(Header):
    run: str = Field(pattern="^[0-9a-f]{32}$")


class _Empty(Header):
    pass


class Begin(_Run):
    """The terms of a run, as its coordinator sets them for one site; `evaluates` is the run whose tree it tries."""

    criterion: str = Field(max_length=40)
    min_leaf: int = Field(ge=1)
    min_branch: int = Field(default=1, ge=1)
    max_depth: int | None = Field(default=None, ge=1)
    position: int = Field(ge=0)
    is_target: bool
    neighbours: list[str] = Field(max_length=1000)
    resume: bool
    attempt: str = Field(default="", pattern="^([0-9a-f]{32})?$")
    evaluates: str = Field(default="", pattern="^([0-9a-f]{32})?$")
    take_over: bool = False
    deadline: float = Field(default=30.0, gt=0)


class _Begun(_Run):
    tokens: dict[str, str]
    min_records: int = Field(ge=1)
    splits: list[int] = Field(default=[], max_length=1_000_000)


class _Classes(_Run):
    labels: list[str] = Field(max_length=100_000)


class _Intersect(_Run):
    neighbour: str
    token: str = Field(pattern="^[0-9a-f]{32}$")
    speaks: bool


class _Points(_Run):
    token: str = Field(pattern="^[0-9a-f]{32}$")
    types: list[str] = Field(max_length=100)


class _Answer(_Run):
    doubled: int = Field(ge=0)
    types: list[str] = Field(max_length=100)


class _Offer(_Run):
    types: list[str] = Field(max_length=100)
    size_only: bool


class _Settled(_Run):
    size: int = Field(ge=0)


class _Token(_Run):
    token: str = Field(pattern="^[0-9a-f]{32}$")


class _Propagate(_Run):
    classes: int = Field(ge=1, le=100_000)
    steps: list[tuple[str, str]] = Field(max_length=100_000)  # strict JSON turns arrays into tuples


class _ClassCounts(_Run):
    step: int = Field(ge=0)
    certain_classes: float = Field(default=0.0, ge=0, le=1)  # the bound of the target's owner, from site to site


class _Level(_Run):
    level: int = Field(ge=0)


class _Tally(_Run):
    labels: int = Field(ge=1, le=100_000)


class _Split(_Level):
    last: bool


class _Won(_Level):
    replay: bool


class _Score(_Level):
    records: int = Field(ge=0)


class _Met(_Run):
    address: str = Field(max_length=300)


class _Introduce(_Run):
    addresses: dict[str, str]
    sites: list[str] = Field(max_length=1000)
    session: str = Field(pattern="^[0-9a-f]{32}$")


class _Reason(_Run):
    attempt: str = Field(pattern="^[0-9a-f]{32}$")
    reason: str = Field(max_length=2000)


class _Failed(Header):
    code: str = Field(max_length=40)
    text: str = Field(max_length=2000)


class CertainTold(Header):
    """What a site counted for one neighbour: what the neighbour could tell of it, and it of the neighbour."""

    neighbour: str = Field(max_length=200)
    allowed_classes: float = Field(ge=0, le=1)
    allowed_sides: float = Field(ge=0, le=1)
    keys: int = Field(ge=0)
    records: int = Field(ge=0)
    class_keys: int = Field(ge=0)
    class_records: int = Field(ge=0)
    side_keys: int = Field(ge=0)
    side_records: int = Field(ge=0)
    seen_class_keys: int = Field(ge=0)
    seen_side_keys: int = Field(ge=0)


class _Lines(_Run):
    certain: list[CertainTold] = Field(default=[], max_length=1000)


class _RouteHeader(_Run):
    by: Literal["auto", "id", "row"]


class _BranchesHeader(_Run):
    by: Literal["id", "row"]


@dataclass(frozen=True)
class Verb:
    """One verb: its kind, the model of its header, and its columns with the types each may have.

    A column name ending in `*` stands for any number of columns NAME0, NAME1, ...
    """

    name: str
    kind: str
    header: type[Header]
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    largest: int = 16 << 20


_NODE = {"node": ("int32",)}

VERBS: dict[str, Verb] = {
    verb.name: verb
    for verb in (
        Verb("ping", "heartbeat", _Empty),
        Verb("pong", "heartbeat", _Empty),
        Verb("begin", "control", Begin),
        Verb("begun", "control", _Begun),
        Verb("labels", "control", _Run),
        Verb("classes", "class-labels", _Classes),
        Verb("intersect", "control", _Intersect),
        Verb("points", "intersection-1", _Points, {"point": ("fixed_size_binary[32]",)}, LARGEST_MESSAGE),
        Verb("answer", "intersection-2", _Answer, {"point": ("fixed_size_binary[32]",)}, LARGEST_MESSAGE),
        Verb("points-back", "intersection-3", _Token, {"point": ("fixed_size_binary[32]",)}, LARGEST_MESSAGE),
        Verb("offer", "intersection-1", _Offer, {"point": ("fixed_size_binary[32]",)}, LARGEST_MESSAGE),
        Verb("offered", "intersection-2", _Answer, {"point": ("fixed_size_binary[32]",)}, LARGEST_MESSAGE),
        Verb("return", "intersection-3", _Run, {"point": ("fixed_size_binary[32]",)}, LARGEST_MESSAGE),
        Verb("settled", "intersection-size", _Settled),
        Verb("propagate", "control", _Propagate),
        Verb("class-counts", "class-summary", _ClassCounts, {"c*": _COUNTS}, LARGEST_MESSAGE),
        Verb("totals", "class-totals", _Run, {"node": ("int32",), "c*": ("int64",)}, 256 << 20),
        Verb("gains", "control", _Score, _NODE),
        Verb("averages", "scores", _Level, {"node": ("int32",), "sum": ("int64",), "number": ("int32",)}),
        Verb("score", "control", _Score, {"node": ("int32",), "sum": ("int64",), "number": ("int32",)}),
        Verb("scores", "scores", _Level, {"node": ("int32",), "score": ("int64",)}),
        Verb("meet", "control", _Run),
        Verb("met", "control", _Met),
        Verb("introduce", "control", _Introduce),
        Verb("compare", "control", _Score, _NODE),
        Verb("compared", "winner", _Level, {"node": ("int32",), "winner": ("int32",)}),
        Verb("won", "winner", _Won, _NODE),
        Verb("children", "structure", _Level, {"node": ("int32",), "children": ("int32",)}),
        Verb(
            "split",
            "structure",
            _Split,
            {"node": ("int32",), "source": ("int32",), "first": ("int32",), "children": ("int32",)},
        ),
        Verb(
            "split-counts",
            "split-summary",
            _Level,
            {
                "parent": ("int32",),
                "child": ("int32",),
                "keys": tuple(f"list<item: {kind}>" for kind in ("uint16", "int32")),
                "c*": tuple(f"list<item: {kind}>" for kind in _COUNTS),
            },
            LARGEST_MESSAGE,
        ),
        Verb("finish", "structure", _Run, {"node": ("int32",), "number": ("int32",)}),
        Verb(
            "walk",
            "structure",
            _Level,
            dict.fromkeys(("node", "number", "first", "children", "label", "source"), ("int32",)),
        ),
        Verb("tally", "control", _Tally),
        Verb(
            "tallied",
            "confusion-counts",
            _Run,
            {"truth": ("int32",), "label": ("int32",), "records": ("int64",), "rows": ("int64",)},
        ),
        Verb("ledger", "ledger", _Run),
        Verb(
            "lines",
            "ledger",
            _Lines,
            {
                "to": ("string",),
                "kind": ("string",),
                "messages": ("int64",),
                "entries": ("int64",),
                "bytes": ("int64",),
            },
        ),
        Verb("route", "prediction-ids", _RouteHeader, {"node": ("int32",), "id": ("string",)}, 512 << 20),
        Verb("branches", "prediction-path", _BranchesHeader, {"child": ("int32",)}, 512 << 20),
        Verb("stop", "control", _Reason),
        Verb("done", "control", _Empty),
        Verb("failed", "error", _Failed),
    )
}


ANSWERS: dict[str, str] = {
    "ping": "pong",
    "begin": "begun",
    "labels": "classes",
    "points": "answer",
    "offer": "offered",
    "return": "settled",
    "propagate": "totals",
    "gains": "averages",
    "score": "scores",
    "meet": "met",
    "compare": "compared",
    "won": "children",
    "split": "totals",
    "tally": "tallied",
    "ledger": "lines",
    "route": "branches",
}
"""The verb that answers a verb; `done` where nothing is listed, and `failed` always may."""

APART = frozenset({"offer", "offered", "return", "settled"})
"""Verbs of exchanges that belong to no run of a tree: a ledger does not add them to one."""
