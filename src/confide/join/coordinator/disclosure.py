"""What each party learned from a run, in plain words: for passports, reports and the command line."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from confide.core.figures import Chart, Figure, Figures, Unit
from confide.join.protocol.certain_lines import CertainLine, worst_line
from confide.join.protocol.ledger import Line

if TYPE_CHECKING:
    from confide.join.coordinator.secure_tree import SecureTree

__all__ = [
    "LEARNED",
    "certain_rows",
    "charts",
    "costs",
    "draw_tree",
    "headline",
    "word_certainty",
    "who_learned_what",
]

LEARNED = {
    "intersection-1": "how many join values it has",
    "intersection-2": "how many join values it has, and which of them both have",
    "intersection-3": "which join values both have",
    "class-summary": "class counts of each shared join value",
    "split-summary": "the same at each new node: the side each falls on of its splits and of farther sites'",
    "class-labels": "the class labels",
    "class-totals": "class counts of nodes",
    "scores": "how well it can split each node",
    "hidden-scores": "who has the best split, and no score",
    "winner": "which nodes it splits",
    "structure": "the shape of the tree",
    "prediction-ids": "which of its records are asked about",
    "prediction-path": "the way of each record at its nodes",
}
"""What the receiver of a kind of message learns, in the order it arrives. The rest carries no data."""


def who_learned_what(lines: Iterable[Line]) -> list[dict[str, Any]]:
    """A row for each receiver and sender: what was learned, and in how many messages, entries and bytes."""
    order = list(LEARNED)
    found: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        if line.kind in LEARNED:
            found.setdefault((line.receiver, line.sender), []).append(line)
    return [
        {
            "who": who,
            "from": sender,
            "learned": "; ".join(LEARNED[line.kind] for line in sorted(told, key=lambda line: order.index(line.kind))),
            "messages": sum(line.messages for line in told),
            "entries": sum(line.entries for line in told),
            "bytes": sum(line.bytes for line in told),
        }
        for (who, sender), told in sorted(found.items())
    ]


def costs(tree: "SecureTree") -> Figures:
    """What the run cost and disclosed, for the passport and the report."""
    root = tree.nodes[0]
    learned: dict[str, Unit] = {"who": "text", "from": "text", "learned": "text"}
    learned |= {"messages": "count", "entries": "count", "bytes": "bytes"}
    shown: dict[str, Unit] = {"node": "count", "split by": "text", "children": "text", "class": "text"}
    for name in ("records", *(f"of class {label}" for label in tree.classes)):
        shown[name] = "count"
    told: dict[str, Unit] = {"who": "text", "about people of": "text"}
    told |= dict.fromkeys(("join values", "class certain", "side certain"), "count")
    told |= dict.fromkeys(("records", "class certain (records)", "side certain (records)"), "count")
    told |= dict.fromkeys(("classes allowed", "sides allowed"), "share")
    right = sum(node.counts[tree.classes.index(node.label)] for node in tree.nodes if not node.children)
    rows = sum(root.counts) or 1
    kilobytes = round(sum(line.bytes for line in tree.ledger) / 1000, 1)
    return Figures(
        Figure("joined_records", sum(root.counts), "count", "records of the join the tree was grown over"),
        Figure("leaf_class", right / rows, "share", "of the joined records have the class of their leaf"),
        Figure("commonest_class", max(root.counts) / rows, "share", "of them have the commonest class"),
        Figure("nodes", len(tree.nodes), "count", "nodes of the tree"),
        Figure("depth", tree.depth, "count", "levels below its root"),
        *_worst(tree),
        Figure("kilobytes_exchanged", kilobytes, "kilobytes", "sent between the sites"),
        Figure("who_could_tell_what_for_certain", certain_rows(tree.certain), told, "who could tell what for certain"),
        Figure("who_learned_what", who_learned_what(tree.ledger), learned, "who learned what"),
        Figure("first_nodes_of_the_tree", draw_tree(tree), shown),
    )


def _worst(tree: "SecureTree") -> tuple[Figure, ...]:
    worst = worst_line(tree.certain)
    if worst is None:
        return ()
    what = f"people of {worst.sender}, by join value, whose class {worst.receiver} could tell for certain"
    return (Figure("classes_certain", worst.class_keys, "count", f"of {worst.keys:,} {what}"),)


def certain_rows(lines: Iterable[CertainLine]) -> list[dict[str, Any]]:
    """A row for each way along a join: what the receiver could tell about the sender's people for certain."""
    return [
        {
            "who": line.receiver,
            "about people of": line.sender,
            "join values": line.keys,
            "class certain": line.class_keys,
            "side certain": line.side_keys,
            "records": line.records,
            "class certain (records)": line.class_records,
            "side certain (records)": line.side_records,
            "classes allowed": line.allowed_classes,
            "sides allowed": line.allowed_sides,
        }
        for line in lines
    ]


def headline(tree: "SecureTree", loss: Mapping[str, Any]) -> str:
    """The run in one sentence for somebody in a hurry."""
    return (
        f"{len(tree.sites)} sites trained one tree of {loss['nodes']:,} nodes over {loss['joined_records']:,} joined "
        f"records, of which {loss['leaf_class']:.0%} have the class of their leaf (the commonest class: "
        f"{loss['commonest_class']:.0%}); {word_certainty(tree.certain)}."
    )


def word_certainty(lines: Iterable[CertainLine]) -> str:
    """What the neighbour that can tell most could tell about people, in one plain line."""
    worst = worst_line(lines)
    if worst is None:
        return "whose class a neighbour could tell for certain was not counted"
    counted = worst.counted
    if not counted.class_keys:
        return f"no neighbour could tell anybody's class for certain, {_sides(lines)}"
    return (
        f"{counted.receiver} could tell the class of {counted.class_keys:,} of {counted.keys:,} people by join value "
        f"for certain (allowed: {100 * worst.allowed_classes:.4g}%), {_sides(lines)}"
    )


def _sides(lines: Iterable[CertainLine]) -> str:
    """The largest share of sides of hidden splits that one neighbour could tell."""
    most = max(lines, key=lambda line: (line.counted.side_share, line.side_keys))
    if not most.side_keys:
        return "nor a side of a hidden split"
    return f"{most.receiver} the side of a hidden split of {most.side_keys:,} of {most.keys:,}"


def charts(tree: "SecureTree") -> tuple[Chart, ...]:
    """Bytes by kind of message, and inner nodes by split site."""
    kinds: dict[str, int] = {}
    for line in tree.ledger:
        kinds[line.kind] = kinds.get(line.kind, 0) + line.bytes
    large = sorted((size, kind) for kind, size in kinds.items() if size)[::-1]
    split = {site: sum(node.site == site for node in tree.nodes) for site in tree.sites}
    made = [
        Chart(
            title="Nodes each site splits",
            x=tuple(split),
            series={"inner nodes": tuple(float(n) for n in split.values())},
            y_label="inner nodes",
            y_unit="count",
            note="By how many nodes each site's columns help to tell the classes apart; which columns, only it knows.",
        )
    ]
    if large:
        made.append(
            Chart(
                title="What crossed between sites, by kind",
                x=tuple(kind for _, kind in large),
                series={"size": tuple(float(size) for size, _ in large)},
                y_label="size of the messages",
                y_unit="bytes",
                note="All messages of the run, headers included.",
            )
        )
    return tuple(made)


def draw_tree(tree: "SecureTree", *, most: int = 20) -> list[dict[str, Any]]:
    """The first nodes of the tree as rows, level by level: who splits it, where to, which class, how many records."""
    rows: list[dict[str, Any]] = []
    waiting = [0]
    while waiting and len(rows) < most:
        number = waiting.pop(0)
        node = tree.nodes[number]
        waiting += node.children
        rows.append(
            {
                "node": number,
                "split by": node.site or "(leaf)",
                "children": _list_numbers(node.children),
                "class": node.label,
                "records": sum(node.counts),
                **{f"of class {name}": count for name, count in zip(tree.classes, node.counts, strict=True)},
            }
        )
    if len(tree.classes) > 3:  # too many for a page
        rows = [{key: value for key, value in row.items() if not key.startswith("of class")} for row in rows]
    return rows


def _list_numbers(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers)) if len(numbers) < 4 else f"{len(numbers)}, from {numbers[0]} to {numbers[-1]}"
