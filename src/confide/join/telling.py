"""What a run has told whom, in plain words: for passports, reports and the command line."""

from typing import TYPE_CHECKING

from confide.core.charts import Chart
from confide.join.ledger import Line

if TYPE_CHECKING:
    from confide.join.secure_tree import SecureTree

__all__ = ["CAVEATS", "LEARNT", "charts", "drawn", "who_learnt_what"]

CAVEATS = (
    "fan-outs: what two sites send each other back and forth gives, by division, how many records each shared key has",
    "single records: the class of a key with one record can be read off a class summary",
    (
        "the hidden predicate: a split summary tells, for each shared key, on which side of a split it falls; where "
        "keys are unique that is one private bit per split"
    ),
    "gaps elsewhere: a shared key that disappears from a summary tells of a third site that does not have it",
    "the coordinator: it sees class counts of every node and, in predictions, the way each record takes",
    "pruning: counts are of joined records, inflated by fan-out, so less is pruned than the table alone would ask for",
    "parties that do not follow the protocol: all are taken to be honest but curious",
)
"""What summaries reveal, and what the promise takes for granted. Said in every passport of this stage."""

LEARNT = {
    "intersection-1": "how many join values it has",
    "intersection-2": "which join values both have, and how many it has",
    "intersection-3": "which join values both have",
    "class-summary": "class counts of each shared join value",
    "split-summary": "class counts of each shared join value at each new node",
    "class-totals": "class counts of nodes",
    "class-labels": "the class labels",
    "scores": "how well it can split each node",
    "hidden-scores": "nothing but who won",
    "winner": "who splits which node",
    "structure": "the shape of the tree",
    "prediction-ids": "which of its records are asked about",
    "prediction-path": "the way of each record through its nodes",
    "ledger": "how much it sent to whom",
}
"""What the receiver of a kind of message learns of the sender (of an intersection: of its table)."""


def who_learnt_what(lines: tuple[Line, ...]) -> list[tuple[str, str, str, int, int, int]]:
    """Rows (who, about whom, what, messages, entries, bytes) for the report, without mere control messages."""
    rows = [
        (line.receiver, line.sender, LEARNT[line.kind], line.messages, line.entries, line.bytes)
        for line in lines
        if line.kind in LEARNT
    ]
    return sorted(rows, key=lambda row: (row[0], row[1], row[2]))


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
            note="By how many nodes each site's columns help to tell the classes apart; which columns, only it knows.",
        )
    ]
    if large:
        made.append(
            Chart(
                title="What crossed between sites, by kind",
                x=tuple(kind for _, kind in large),
                series={"kilobytes": tuple(size / 1000 for size, _ in large)},
                y_label="kilobytes",
                note="All messages of the run, headers included.",
            )
        )
    return tuple(made)


def drawn(tree: "SecureTree", *, most: int = 60) -> list[tuple[str, str, str, int]]:
    """The tree as rows (node, split site or leaf, class, records), indented by depth, the first `most` nodes."""
    depth = [0] * len(tree.nodes)
    rows = []
    for number, node in enumerate(tree.nodes):
        for child in node.children:
            depth[child] = depth[number] + 1
        name = "\N{EN SPACE}" * 2 * depth[number] + str(number)
        rows.append((name, node.site or "leaf", node.label, sum(node.counts)))
    return rows[:most]
