"""The run a site takes part in, and whether another one may begin."""

import time

from confide.core.errors import UsageError
from confide.join.network.links import RunStopped
from confide.join.protocol.verbs import Begin
from confide.join.site.run import SiteRun

__all__ = ["Runs"]


class Runs:
    """The current run at the site `owner`, if any. `last_sign` is when the coordinator was last heard (monotonic)."""

    def __init__(self, owner: str):
        self._owner = owner
        self.current: SiteRun | None = None
        self.last_sign = 0.0

    def heard(self) -> None:
        """The coordinator has given a sign of life."""
        self.last_sign = time.monotonic()

    def check_idle(self, terms: Begin) -> None:
        """Refuse a second run while one is in progress and its coordinator gives signs of life."""
        run = self.current
        if run is None or run.over or run.id == terms.run or terms.take_over:
            return
        if time.monotonic() - self.last_sign < run.terms.deadline:
            raise UsageError(
                f"another run is in progress at {self._owner} (begun {run.began:%H:%M:%S} UTC); "
                "wait for its end, or end it with --take-over"
            )

    def named(self, run: str) -> SiteRun:
        """The current run, for a coordinator that names it."""
        if self.current is None:
            raise UsageError(f"{self._owner} knows no such run; it may have been started again since the run began")
        if self.current.id != run:
            raise RunStopped(f"another run has begun at {self._owner}")
        return self.current

    def attempted(self, attempt: str) -> SiteRun:
        """The current run, for a neighbour that is at the same attempt at it."""
        if self.current is None or self.current.attempt != attempt:
            raise UsageError(f"{self._owner} knows no such run")
        return self.current
