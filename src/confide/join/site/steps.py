"""Which steps a site takes, in which phase of a run, and at whose word: the gate every message of a run passes.

    phase       the coordinator may order                  neighbours may send                  afterwards
    begun       labels intersect meet introduce propagate  points, points-back, class-counts    classes
    classes     (while class summaries go round)           class-counts                         open
    open        gains score compare won split finish       split-counts                         as follows
      gains ->  averaged     score                         split-counts
      score, compare ->  scored     won split finish       split-counts
      won   ->  won          split                         split-counts
      split ->  open, the next level; after the deepest one of the run: grown, which takes `finish` only
      walk  ->  open, the next level of an evaluation; when all records have ended: walked, which takes `tally`
                (-> finished) and `ledger`
    finished    ledger                                                                          over
    over

`begin` opens a run, `stop` ends it from any phase; `route`, `offer`, `return` and `ping` belong to no run. The
coordinator's orders of one run are carried out one at a time, and a step that failed half-way is not repeated: a run is
resumed from `begin`. A node is scored, or compared, once: who may ask again with other numbers finds a score by
bisection. In phase `open`, `won` and `split` are for the recorded levels of a resumed run, which `growing` checks.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from confide.core.errors import UnreachableError
from confide.join.network.links import RunStopped

__all__ = ["STEPS", "Phase", "StepRule", "Steps", "is_propagation"]


class Phase(StrEnum):
    """How far a run has come at a site."""

    BEGUN = "begun"
    CLASSES = "classes"
    OPEN = "open"
    BUSY = "busy"
    AVERAGED = "averaged"
    SCORED = "scored"
    WON = "won"
    GROWN = "grown"
    WALKED = "walked"
    FINISHED = "finished"
    OVER = "over"


@dataclass(frozen=True)
class StepRule:
    """Who may ask for a step, and in which phases (None: at any time, with or without a run).

    The run goes to phase `during` when the step is begun, and to `after` when it has succeeded. A step taken `once` is
    refused a second time.
    """

    speaker: Literal["coordinator", "neighbour"]
    phases: tuple[Phase, ...] | None = None
    during: Phase | None = None
    after: Phase | None = None
    once: bool = False


def _of_level(*phases: Phase, after: Phase) -> StepRule:
    return StepRule("coordinator", phases, during=Phase.BUSY, after=after)


STEPS: dict[str, StepRule] = {
    **dict.fromkeys(("begin", "stop", "route"), StepRule("coordinator")),
    **dict.fromkeys(("offer", "return"), StepRule("neighbour")),
    "intersect": StepRule("coordinator", (Phase.BEGUN,)),
    **dict.fromkeys(("labels", "meet", "introduce"), StepRule("coordinator", (Phase.BEGUN,), once=True)),
    "propagate": StepRule("coordinator", (Phase.BEGUN,), during=Phase.CLASSES, after=Phase.OPEN),
    "gains": _of_level(Phase.OPEN, after=Phase.AVERAGED),
    "score": _of_level(Phase.OPEN, Phase.AVERAGED, after=Phase.SCORED),
    "compare": _of_level(Phase.OPEN, after=Phase.SCORED),
    "won": _of_level(Phase.OPEN, Phase.SCORED, after=Phase.WON),
    "split": _of_level(Phase.OPEN, Phase.SCORED, Phase.WON, after=Phase.OPEN),
    "walk": _of_level(Phase.OPEN, after=Phase.OPEN),
    "tally": StepRule("coordinator", (Phase.WALKED,), after=Phase.FINISHED),
    "finish": StepRule("coordinator", (Phase.OPEN, Phase.SCORED, Phase.GROWN), after=Phase.FINISHED),
    "ledger": StepRule("coordinator", (Phase.FINISHED, Phase.WALKED), after=Phase.OVER),
    **dict.fromkeys(("points", "points-back"), StepRule("neighbour", (Phase.BEGUN,))),
    "class-counts": StepRule("neighbour", (Phase.BEGUN, Phase.CLASSES)),
    "split-counts": StepRule("neighbour", (Phase.OPEN, Phase.BUSY, Phase.AVERAGED, Phase.SCORED, Phase.WON)),
}


_LAST = {"split": Phase.GROWN, "walk": Phase.WALKED}
"""Where the last of several like steps leads."""


class Steps:
    """The phase of one run at the site `owner`, and the order it is carrying out."""

    def __init__(self, owner: str):
        self._owner = owner
        self._lock = threading.Lock()
        self._phase = Phase.BEGUN
        self._under_way: str | None = None
        self._taken: set[str] = set()
        self._grown = False
        self._stopped: str | None = None

    @property
    def phase(self) -> Phase:
        """How far the run has come."""
        return self._phase

    def stop(self, reason: str) -> None:
        """End the run, whatever its phase."""
        with self._lock:
            if self._phase is not Phase.OVER:
                self._stopped = reason
            self._phase = Phase.OVER

    def grown(self) -> None:
        """The split under way is of the deepest level, or the walk was the last: no other follows."""
        self._grown = True

    @contextmanager
    def carrying_out(self, verb: str) -> Iterator[None]:
        """Carry out an order of the coordinator within this block, if it may be given now."""
        step = STEPS[verb]
        with self._lock:
            if self._under_way is not None and self._phase is not Phase.OVER:
                raise UnreachableError(
                    f"{self._owner} cannot take {verb!r} now: it is still carrying out {self._under_way!r}"
                )
            self._admit(verb)
            if step.once and verb in self._taken:
                raise UnreachableError(f"{self._owner} takes {verb!r} once in a run")
            self._taken.add(verb)
            self._under_way, self._phase = verb, step.during or self._phase
        try:
            yield
        except BaseException:
            with self._lock:
                self._under_way = None
            raise
        with self._lock:
            self._under_way = None
            if self._phase is not Phase.OVER:
                last = _LAST.get(verb) if self._grown else None
                self._phase = last or step.after or self._phase

    def admit(self, verb: str) -> None:
        """Refuse a message that does not belong to the phase of the run."""
        with self._lock:
            self._admit(verb)

    def _admit(self, verb: str) -> None:
        phases = STEPS[verb].phases
        if phases is None or self._phase in phases:
            return
        if self._stopped is not None:
            raise RunStopped(self._stopped)
        raise UnreachableError(f"{self._owner} cannot take {verb!r} now: the run is in phase '{self._phase}' here")


def is_propagation(steps: Sequence[tuple[str, str]]) -> bool:
    """Whether class summaries would go round as they must: depth first from the target, then outward from the last.

    In any other order a site could be left out, or asked for a summary more.

    >>> is_propagation([("T1", "T2"), ("T2", "T1"), ("T1", "T3"), ("T3", "T1"), ("T1", "T2")])
    True
    >>> is_propagation([("T1", "T2")]), is_propagation([("T1", "T2"), ("T2", "T1"), ("T1", "T2")])
    (False, False)
    """
    if not steps:
        return False
    sites = {site for step in steps for site in step}
    joined: dict[str, set[str]] = {site: set() for site in sites}
    path, reached = [steps[0][0]], {steps[0][0]}
    left = list(reversed(steps))
    while len(reached) < len(sites):
        if not left:
            return False
        sender, receiver = left.pop()
        if sender != path[-1]:
            return False
        if receiver not in reached:
            joined[sender].add(receiver)
            joined[receiver].add(sender)
            path.append(receiver)
            reached.add(receiver)
        elif len(path) > 1 and receiver == path[-2]:
            path.pop()
        else:
            return False
    waiting = [(path[-1], joined[path[-1]])]
    while waiting:
        here, beyond = waiting.pop(0)
        now = [left.pop() for _ in range(min(len(beyond), len(left)))]
        if {receiver for _, receiver in now} != beyond or any(sender != here for sender, _ in now):
            return False
        waiting += [(receiver, joined[receiver] - {here}) for _, receiver in now]
    return not left
