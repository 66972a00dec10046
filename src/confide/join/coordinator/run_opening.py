"""Opening a run: begin everywhere, private intersections along the edges, class propagation up to the root's counts."""

import secrets
from collections.abc import Mapping

import numpy as np

from confide.core.errors import InputError, UnreachableError, UsageError
from confide.join.coordinator.inquiry import check_nodes
from confide.join.coordinator.run_record import GrownNode
from confide.join.coordinator.run_state import Run
from confide.join.protocol.messages import Message

__all__ = ["open_run"]


def open_run(run: Run, *, resume: bool, take_over: bool = False) -> int:
    """Bring all sites to the root of the tree; the least `min_records` any of them asks for.

    What every site asks for holds only where the least demanding site's summaries are concerned.
    """
    record = run.record
    sites, graph = run.graph.sites, run.graph
    attempt = secrets.token_hex(16)
    run.asker.runs(record.run, attempt)
    begun = run.asker.ask_all(
        {
            site: Message(
                "begin",
                {
                    "run": record.run,
                    "criterion": run.criterion,
                    "min_leaf": run.min_leaf,
                    "min_branch": run.min_branch,
                    "max_depth": run.max_depth,
                    "position": place,
                    "is_target": site == graph.target,
                    "neighbours": graph.neighbours[site],
                    "resume": resume,
                    "take_over": take_over,
                    "deadline": float(run.asker.deadline),
                    "attempt": attempt,
                    "evaluates": run.evaluates,
                },
            )
            for place, site in enumerate(sites)
        }
    )
    for level in record.levels:
        for node in level:
            owner = sites[record.nodes[node].site]
            if node not in begun[owner].header["splits"]:
                raise UsageError(f"{owner} has lost its splits of this run; train again without resuming")
    labels = run.asker.ask(graph.target, Message("labels", {"run": record.run})).header["labels"]
    if record.classes and labels != record.classes:
        raise UsageError("the classes have changed since the run began; train again without resuming")
    record.classes = labels
    _intersect(run, {site: answer.header["tokens"] for site, answer in begun.items()})
    if run.hiding is not None:
        run.hiding.introduce(record.run, run.asker)
    _propagate(run)
    return min(answer.header["min_records"] for answer in begun.values())


def _intersect(run: Run, tokens: Mapping[str, Mapping[str, str]]) -> None:
    """A private intersection for each edge, unless both ends still hold the same one."""
    record = run.record
    waiting = [(a, b) for a, b in run.graph.edges if not tokens[a].get(b) or tokens[a].get(b) != tokens[b].get(a)]
    while waiting:
        # A site speaks first on one edge at a time; edges without a common site go side by side.
        busy: set[str] = set()
        now = []
        for a, b in waiting:
            if not {a, b} & busy:
                busy |= {a, b}
                now.append((a, b))
        waiting = [edge for edge in waiting if edge not in now]
        named = {edge: {"run": record.run, "token": secrets.token_hex(16)} for edge in now}
        # Who answers is ordered to first: a site takes no points that nobody ordered.
        for speaks in (False, True):
            orders = {}
            for (a, b), header in named.items():
                site, neighbour = (a, b) if speaks else (b, a)
                orders[site] = Message("intersect", {**header, "neighbour": neighbour, "speaks": speaks})
            run.asker.ask_all(orders)


def _propagate(run: Run) -> None:
    """Let class summaries go round; the class counts of the join, on which all sites must agree, are the root's."""
    record = run.record
    order = Message("propagate", {"run": record.run, "classes": len(record.classes), "steps": run.graph.class_steps()})
    answers = run.asker.ask_all(dict.fromkeys(run.graph.sites, order))
    for site, answer in answers.items():
        check_nodes(site, answer, np.zeros(1, dtype=np.int64))
    totals = [answer.counts()[0].tolist() for answer in answers.values()]
    if any(one != totals[0] for one in totals):
        raise UnreachableError(
            f"the sites disagree on the class counts of the join; one of {', '.join(answers)} sent nonsense"
        )
    if sum(totals[0]) == 0:
        raise InputError("the join is empty: no record finds a partner in every table; check the join columns")
    if np.count_nonzero(totals[0]) < 2 and not run.evaluates:
        raise InputError("all joined records are of one class; nothing to learn")
    if record.nodes and record.nodes[0].counts != totals[0]:
        raise UsageError("the tables have changed since the run began; train again without resuming")
    if not record.nodes:
        record.nodes.append(GrownNode(parent=-1, counts=totals[0], depth=0))
        record.save()
