"""The end of a run: prune, number the nodes that stay, let the sites finish, and collect their ledgers."""

import numpy as np

from confide.core.errors import UnreachableError
from confide.join.coordinator.run_state import Run
from confide.join.coordinator.secure_tree import SecureNode, SecureTree, number_nodes
from confide.join.protocol.certain_lines import CertainLine, match_counts
from confide.join.protocol.ledger import Line, add_up_lines
from confide.join.protocol.messages import Message
from confide.join.protocol.verbs import KINDS, CertainTold
from confide.mining.trees.pruning import prune

__all__ = ["end_run", "ledgers"]


def end_run(run: Run, *, confidence: float | None, helper: str | None) -> SecureTree:
    """The tree of a run whose growth has ended, pruned (unless confidence is None), with the ledger of all parties."""
    record = run.record
    sites = run.graph.sites
    present = [c for c, count in enumerate(record.nodes[0].counts) if count > 0]
    classes = [record.classes[c] for c in present]
    counts = np.array([node.counts for node in record.nodes], dtype=np.int64)[:, present]
    stays = np.ones(len(counts), dtype=np.bool_)
    if confidence is not None:
        totals = counts.sum(axis=1)
        parents = [node.parent for node in record.nodes]
        stays = prune(parents, totals - counts.max(axis=1), totals, confidence=confidence)
    plain = [
        SecureNode(
            site=sites[node.site] if node.children else None,
            children=list(range(node.first, node.first + node.children)),
            counts=row.tolist(),
            label=classes[int(np.argmax(row))],
        )
        for node, row in zip(record.nodes, counts, strict=True)
    ]
    nodes, numbers = number_nodes(plain, stays.tolist())
    orders = {}
    for site in sites:
        own = [(old, new) for old, new in numbers.items() if nodes[new].site == site]
        body = {
            "node": np.array([old for old, _ in own], dtype=np.int32),
            "number": np.array([new for _, new in own], dtype=np.int32),
        }
        orders[site] = Message("finish", {"run": record.run}, body)
    run.asker.ask_all(orders)
    lines, certain = ledgers(run)
    return SecureTree(
        run=record.run,
        coordinator=run.asker.link.name,
        target=run.graph.target,
        sites=tuple(sites),
        edges=tuple(run.graph.edges),
        classes=tuple(classes),
        nodes=nodes,
        ledger=lines,
        certain=certain,
        helper=helper,
    )


def ledgers(run: Run) -> tuple[tuple[Line, ...], tuple[CertainLine, ...]]:
    """What all parties of a run sent, as each says itself, added up, and what each could tell; the run is over then."""
    lines = list(run.asker.link.ledger.sent())
    answers = run.asker.ask_all(dict.fromkeys(run.asker.sites, Message("ledger", {"run": run.record.run})))
    for site, answer in answers.items():
        columns = answer.columns
        for row in range(answer.entries):
            kind = columns["kind"][row].as_py()
            if kind not in KINDS:
                raise UnreachableError(f"the ledger of {site} holds an unknown kind of message")
            lines.append(
                Line(
                    sender=site,
                    receiver=columns["to"][row].as_py(),
                    kind=kind,
                    messages=int(columns["messages"][row]),
                    entries=int(columns["entries"][row]),
                    bytes=int(columns["bytes"][row]),
                )
            )
    # A coordinator that is a site itself also talks to itself; that crosses nothing.
    crossed = add_up_lines(line for line in lines if line.sender != line.receiver)
    told = {
        site: [CertainTold.model_validate(count) for count in answers[site].header["certain"]]
        for site in run.graph.sites
    }
    return crossed, match_counts(told)
