"""Asking several sites at once, and noticing when one of them is gone.

Every call has a deadline of its own; beside the calls each site is asked for a sign of life again and again. The first
failure ends the wait for all: calls under way are given up, every site that still answers is asked to stop, and the
failure that explains the others is raised.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import ConfideError, UnreachableError
from confide.join.network.links import Link, RunStopped
from confide.join.protocol.messages import Message

__all__ = ["Asker", "check_nodes"]

_POLL = 0.25
_BEGINNING = 5.0
"""Seconds a site may take to answer that it has begun, before it is asked to stop."""


class Asker:
    """Calls to a fixed set of sites. `deadline`: seconds of silence; `step_deadline`: seconds a step may take."""

    def __init__(self, link: Link, sites: Sequence[str], *, deadline: float, step_deadline: float):
        self.link, self.sites = link, list(sites)
        self.deadline, self.step_deadline = deadline, step_deadline
        self._dead: ConfideError | None = None
        self._told = False
        self._pool: ThreadPoolExecutor | None = None
        self._run = self._attempt = ""
        self._beginning: dict[str, Future[Message]] = {}

    def runs(self, run: str, attempt: str) -> None:
        """Which run, and which attempt at it, sites are to stop if something fails; they may be at another by then."""
        self._run, self._attempt = run, attempt

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Ask and watch within this block; a failure that leaves it has been sent to every site."""
        self._dead, self._told = None, False
        self._beginning.clear()
        over = threading.Event()
        for site in self.sites:
            threading.Thread(target=self._watch, args=(site, over), daemon=True).start()
        with ThreadPoolExecutor(2 * len(self.sites) + 2) as self._pool:
            try:
                yield
            except ConfideError as error:
                self._stop_all(str(error))
                raise
            except BaseException:  # Ctrl-C above all: nobody is to wait for the end of a step
                self._stop_all("it was interrupted")
                self.link.abort()
                raise
            finally:
                over.set()

    def _watch(self, site: str, over: threading.Event) -> None:
        while not over.wait(self.deadline / 3):
            try:
                self.link.call(site, Message("ping"), timeout=self.deadline)
            except ConfideError as error:
                if not over.is_set():
                    self._dead = error
                return

    def ask(self, site: str, message: Message) -> Message:
        """Ask one site."""
        return self.ask_all({site: message})[site]

    def ask_all(self, messages: Mapping[str, Message]) -> dict[str, Message]:
        """Ask several sites at once."""
        assert self._pool is not None
        asked: dict[Future[Message], str] = {
            self._pool.submit(self.link.call, site, message, timeout=self.step_deadline): site
            for site, message in messages.items()
        }
        self._beginning |= {site: one for one, site in asked.items() if messages[site].verb == "begin"}
        waiting = set(asked)
        while waiting:
            done, waiting = wait(waiting, timeout=_POLL, return_when=FIRST_COMPLETED)
            failed = [error for one in done if (error := one.exception()) is not None]
            if not failed and self._dead is not None:
                failed = [self._dead]
            if failed:
                self._stop_all("another site failed")
                self.link.abort()
                later, _ = wait(waiting, timeout=2.0)
                failed += [error for one in later if (error := one.exception()) is not None]
                # Those that were merely stopped explain nothing.
                raise min(failed, key=lambda error: isinstance(error, RunStopped))
        return {site: one.result() for one, site in asked.items()}

    def _stop_all(self, reason: str) -> None:
        if self._told or not self._run:
            return
        self._told = True
        said = f"stopped by the coordinator: {reason}"[:2000]
        message = Message("stop", {"run": self._run, "attempt": self._attempt, "reason": said})

        def stop(site: str) -> None:
            # A stop that overtakes its "begin" means nothing there, and the site would then be busy with this run
            # until the coordinator's silence has lasted the deadline.
            if site in self._beginning:
                wait([self._beginning[site]], timeout=_BEGINNING)
            with suppress(ConfideError):
                self.link.call(site, message, timeout=2.0)

        with ThreadPoolExecutor(len(self.sites)) as pool:
            list(pool.map(stop, self.sites))


def check_nodes(site: str, answer: Message, nodes: NDArray[Any]) -> None:
    """Refuse an answer for other nodes than were asked about."""
    if not np.array_equal(answer.columns["node"], nodes):
        raise UnreachableError(f"{site} answered for other nodes than it was asked")
