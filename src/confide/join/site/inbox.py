"""Summaries of neighbours, put down when they arrive and picked up when the run needs them.

They come in other threads than the coordinator's orders. A wait ends early when the run is stopped, or when the
coordinator that gave the order has gone.
"""

import threading
import time
from collections.abc import Callable, Sequence

from confide.core.errors import UnreachableError
from confide.join.network.links import RunStopped
from confide.join.protocol.messages import Message

__all__ = ["Inbox"]


class Inbox:
    """Messages by (kind, number, sender), each taken once. `deadline` is how many seconds a wait may take."""

    def __init__(self, deadline: float):
        self._deadline = deadline
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
        until = time.monotonic() + self._deadline
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
