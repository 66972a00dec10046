"""Which steps a site takes, in which phase of a run, and at whose word: the gate every message of a run passes.

    phase       the coordinator may order                  neighbours may send                  afterwards
    begun       labels intersect meet introduce propagate  points, points-back, class-counts    classes
    classes     (while class summaries go round)           class-counts                         open
    open        gains score compare won split finish       split-counts                         finished
    finished    ledger                                                                          over
    over

`begin` opens a run, `stop` ends it from any phase; `route` and `ping` belong to no run. The coordinator's orders of one
run are carried out one at a time, and a step that failed half-way is not repeated: a run is resumed from `begin`.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from confide.core.errors import UnreachableError
from confide.join.network.links import RunStopped

__all__ = ["STEPS", "Phase", "Step", "Steps"]


class Phase(StrEnum):
    """How far a run has come at a site."""

    BEGUN = "begun"
    CLASSES = "classes"
    OPEN = "open"
    FINISHED = "finished"
    OVER = "over"


@dataclass(frozen=True)
class Step:
    """Who may ask for a step, and in which phases (None: at any time, with or without a run).

    The run goes to phase `during` when the step is begun, and to `after` when it has succeeded.
    """

    speaker: Literal["coordinator", "neighbour"]
    phases: tuple[Phase, ...] | None = None
    during: Phase | None = None
    after: Phase | None = None


STEPS: dict[str, Step] = {
    **dict.fromkeys(("begin", "stop", "route"), Step("coordinator")),
    **dict.fromkeys(("labels", "intersect", "meet", "introduce"), Step("coordinator", (Phase.BEGUN,))),
    "propagate": Step("coordinator", (Phase.BEGUN,), during=Phase.CLASSES, after=Phase.OPEN),
    **dict.fromkeys(("gains", "score", "compare", "won", "split"), Step("coordinator", (Phase.OPEN,))),
    "finish": Step("coordinator", (Phase.OPEN,), after=Phase.FINISHED),
    "ledger": Step("coordinator", (Phase.FINISHED,), after=Phase.OVER),
    **dict.fromkeys(("points", "points-back"), Step("neighbour", (Phase.BEGUN,))),
    "class-counts": Step("neighbour", (Phase.BEGUN, Phase.CLASSES)),
    "split-counts": Step("neighbour", (Phase.OPEN,)),
}


class Steps:
    """The phase of one run at the site `owner`, and the order it is carrying out."""

    def __init__(self, owner: str):
        self._owner = owner
        self._lock = threading.Lock()
        self._phase = Phase.BEGUN
        self._under_way: str | None = None
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

    @contextmanager
    def carrying_out(self, verb: str) -> Iterator[None]:
        """Carry out an order of the coordinator within this block, if it may be given now."""
        step = STEPS[verb]
        with self._lock:
            self._admit(verb)
            if self._under_way is not None:
                raise UnreachableError(
                    f"{self._owner} cannot take {verb!r} now: it is still carrying out {self._under_way!r}"
                )
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
                self._phase = step.after or self._phase

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
