"""What a site sends to its neighbours, and what arrives from them before the run needs it.

Summaries arrive in other threads than the coordinator's orders. A wait for one ends early when the run is stopped, or
when the coordinator that gave the order has gone.
"""

import threading
import time
from collections.abc import Callable, Sequence

from confide.core.errors import UnreachableError, UsageError
from confide.join.network.links import Link, RunStopped
from confide.join.protocol.messages import Message

__all__ = ["Inbox", "Outbox"]


class Outbox:
    """A site's way to its neighbours. `deadline` is how many seconds an answer may take."""

    def __init__(self, owner: str, deadline: float):
        self._owner, self.deadline = owner, deadline
        self._link: Link | None = None

    def connect(self, link: Link) -> None:
        """Send by this link from now on."""
        self._link = link

    def send(self, to: str, message: Message) -> Message:
        """Send a message to a neighbour; its answer."""
        if self._link is None:
            raise UsageError(f"{self._owner} is not connected")
        return self._link.call(to, message, timeout=self.deadline)

    def abort(self) -> None:
        """Give up what is being sent to a neighbour that may not answer."""
        if self._link is not None:
            self._link.abort()

    def renew(self) -> None:
        """Forget connections that may have gone stale."""
        if self._link is not None:
            self._link.renew()


class Inbox:
    """Messages by (kind, number, sender), each taken once. `deadline` is how many seconds a wait may take."""

    def __init__(self, deadline: float):
        self.deadline = deadline
        self._held: dict[tuple[str, int, str], Message] = {}
        self._arrived = threading.Condition()
        self._stopped: str | None = None

    def stop(self, reason: str) -> None:
        """End all waits, now and later."""
        with self._arrived:
            self._stopped = reason
            self._arrived.notify_all()

    def put(self, kind: str, number: int, sender: str, message: Message) -> None:
        """A neighbour's summary has arrived."""
        with self._arrived:
            if (kind, number, sender) in self._held:
                raise UnreachableError(f"{sender} sent the same summary twice")
            self._held[kind, number, sender] = message
            self._arrived.notify_all()

    def take(
        self, kind: str, number: int, senders: Sequence[str], cancelled: Callable[[], bool]
    ) -> tuple[str, Message]:
        """The first of the awaited summaries to be there, and whose it is."""
        until = time.monotonic() + self.deadline
        with self._arrived:
            while True:
                if self._stopped is not None:
                    raise RunStopped(self._stopped)
                for sender in senders:
                    found = self._held.pop((kind, number, sender), None)
                    if found is not None:
                        return sender, found
                if cancelled():
                    raise RunStopped("the coordinator has gone")
                if time.monotonic() > until:
                    raise UnreachableError(f"no summary from {' or '.join(senders)} came in time")
                self._arrived.wait(0.1)
