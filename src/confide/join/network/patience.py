"""Connections that outlast a cut.

gRPC's server asks the kernel (TCP_USER_TIMEOUT) to end a connection once something it sent has been unanswered for
20 seconds. Arrow Flight offers no way to change that, so a cable pulled for as long ended every run, whatever its
deadline. Here the wish is taken back at the sockets themselves: how long a silent party is waited for is the run's to
say. Systems without that option never had the limit.
"""

import os
import socket
import stat
import threading
from contextlib import suppress

__all__ = ["Patience"]

_SOCKETS = "/proc/self/fd"


class Patience:
    """Lets the connections that a server at `port` has accepted wait as long as the kernel does."""

    def __init__(self, port: int):
        self.port = port
        self._known: set[str] = set()
        self._lock = threading.Lock()

    def with_peer(self, peer: str) -> None:
        """Call for each message; only a peer (address and port) not heard before costs a look at the sockets."""
        if not hasattr(socket, "TCP_USER_TIMEOUT") or not os.path.isdir(_SOCKETS):
            return
        with self._lock:
            if peer in self._known:
                return
            if len(self._known) > 10_000:  # peers that have come and gone
                self._known.clear()
            self._known.add(peer)
        for number in os.listdir(_SOCKETS):
            with suppress(OSError, ValueError):  # closed meanwhile, or connected to nobody
                self._extend(int(number))

    def _extend(self, number: int) -> None:
        if not stat.S_ISSOCK(os.fstat(number).st_mode):
            return
        with socket.socket(fileno=os.dup(number)) as found:
            if found.family not in (socket.AF_INET, socket.AF_INET6) or found.getsockname()[1] != self.port:
                return
            found.getpeername()
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 0)
