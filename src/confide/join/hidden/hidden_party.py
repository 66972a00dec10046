"""One party of a hidden comparison: a process of its own, because mpyc keeps one runtime per process.

`confide.join.hidden.winner` starts it, speaks to it in lines of JSON and owns both ends of the pipe:

    {"listen": ["127.0.0.1", 0]}                                     -> {"port": 40321}
    {"me": 0, "parties": [["hospital", "127.0.0.1", 40321], ...],
     "contestants": [0, 1], "bits": 64, "session": "9f...", "tls": ...}  -> {"ready": true}
    {"scores": [17, -1, 4]}                                          -> {"winners": [0, -1, 1], "sent": [0, 812, 790]}
    end of input                                                     -> ends

A fault is `{"error": "...", "exit": 3}` and the end of the process.

Between the parties run mpyc's messages (Shamir shares, threshold below half of the parties) over connections of our
own: mutual TLS, the peer's name is its certificate's first SAN, and a session's number comes before anything else.
mpyc would send arrays by pickle; it is set to write field elements as plain bytes, and its pickle is removed. Keys for
pseudorandom sharing go through two methods of mpyc's runtime that its own connections use; they have no public name.
"""

import asyncio
import functools
import hmac
import json
import operator
import os
import socket
import ssl
import struct
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from confide.core.errors import ConfideError, InputError, UnreachableError

__all__ = ["main"]

_STATISTICAL = 40  # bits: a masked value reveals anything with probability 2**-40 only
_LARGEST = 256 << 20  # bytes in one message of a peer
_RETRY = 0.05  # seconds between attempts to reach a peer that does not listen yet


class _NoPickle:
    """Stands where mpyc has its `pickle`: nothing that a peer sends is ever unpickled."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("a hidden comparison never pickles")


class _Link(asyncio.Protocol):
    """A connection to one peer, with the methods mpyc expects of its own.

    The party with the lower number connects, and sends: session (16 bytes), number (2), keys for pseudorandom sharing.
    Then both sides send frames: label (8 bytes), length (4), payload.
    """

    def __init__(self, party: "_Party", peer: int | None = None):
        self.party, self.peer_pid = party, peer
        self.buffer = bytearray()
        self.buffers: dict[int, Any] = {}
        self.transport: Any = None
        self.nbytes_sent = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        if self.peer_pid is None:
            return
        if not self._is_named(self.peer_pid):
            self.party.fail(UnreachableError(f"{self.party.names[self.peer_pid]}: its certificate has another name"))
            self.transport.abort()
            return
        runtime = self.party.runtime
        opening = [self.party.session, runtime.pid.to_bytes(2, "little"), *runtime._prss_keys_to_peer(self.peer_pid)]
        self.transport.writelines(opening)
        runtime.set_protocol(self.peer_pid, self)

    def _is_named(self, peer: int) -> bool:
        secured = self.transport.get_extra_info("ssl_object")
        if secured is None:
            return True
        names = (secured.getpeercert() or {}).get("subjectAltName", ())
        return bool(names) and names[0] == ("DNS", self.party.names[peer])

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if self.peer_pid is None and not self._is_open():
            return
        while len(self.buffer) >= 12:
            label, size = struct.unpack_from("<qI", self.buffer)
            if size > _LARGEST:
                self.party.fail(InputError(f"a message of a peer is longer than {_LARGEST:,} bytes"))
                self.transport.abort()
                return
            if len(self.buffer) < 12 + size:
                return
            payload = bytes(self.buffer[12 : 12 + size])
            del self.buffer[: 12 + size]
            waiting = self.buffers.pop(label, None)
            if waiting is None:
                self.buffers[label] = payload
            elif isinstance(waiting, bytes):
                self.party.fail(InputError("a peer sent the same message twice"))
            elif not waiting.done():
                waiting.set_result(payload)

    def _is_open(self) -> bool:
        """Whether the peer has said who it is. A stranger, or a session that is not ours, is cut off unanswered."""
        if len(self.buffer) < 18:
            return False
        runtime = self.party.runtime
        peer = int.from_bytes(self.buffer[16:18], "little")
        known = (
            hmac.compare_digest(bytes(self.buffer[:16]), self.party.session)
            and peer < runtime.pid
            and self._is_named(peer)
            and runtime.parties[peer].protocol is None
        )
        if not known:
            self.transport.abort()
            return False
        size = runtime._prss_keys_from_peer(peer)
        if len(self.buffer) < 18 + size:
            return False
        runtime._prss_keys_from_peer(peer, bytes(self.buffer[18 : 18 + size]))
        del self.buffer[: 18 + size]
        self.peer_pid = peer
        runtime.set_protocol(peer, self)
        return True

    def send(self, label: int, payload: bytes) -> None:
        """One frame to the peer."""
        self.transport.write(struct.pack("<qI", label, len(payload)) + payload)
        self.nbytes_sent += 12 + len(payload)

    def receive(self, label: int) -> Any:
        """The payload with this label, or a future of it."""
        found = self.buffers.pop(label, None)
        if found is None:
            found = self.buffers[label] = asyncio.get_running_loop().create_future()
        return found

    def connection_lost(self, exc: Exception | None) -> None:
        if self.peer_pid is not None:
            self.party.fail(UnreachableError(f"{self.party.names[self.peer_pid]} left the hidden comparison"))


class _Party:
    """The runtime of this process and its links. `broken` ends whatever is being waited for."""

    def __init__(self, order: dict[str, Any]):
        self.me: int = order["me"]
        self.names = [name for name, _, _ in order["parties"]]
        self.places = [(host, port) for _, host, port in order["parties"]]
        self.contestants: list[int] = order["contestants"]
        self.bits: int = order["bits"]
        self.session = bytes.fromhex(order["session"])
        self.tls: dict[str, str] | None = order["tls"]
        self.runtime: Any = None
        self.broken: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def fail(self, error: ConfideError) -> None:
        """Remember the first fault."""
        if not self.broken.done():
            self.broken.set_exception(error)

    async def until_broken(self, work: Any) -> Any:
        """The result of `work`, unless a fault comes first: mpyc itself would wait for ever."""
        task = asyncio.ensure_future(work)
        await asyncio.wait({task, self.broken}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            task.cancel()
            self.broken.result()
        return task.result()

    async def connect(self, listener: socket.socket) -> None:
        """Start the runtime and link it with every peer."""
        self.runtime = _runtime(self.me, len(self.names))
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: self.fail(_fault(context.get("exception"))))
        everyone = loop.create_future()
        for party in self.runtime.parties:
            party.protocol = everyone if party.pid == self.me else None
        server = await loop.create_server(
            lambda: _Link(self), sock=listener, ssl=self._context(ssl.PROTOCOL_TLS_SERVER)
        )
        for peer in range(self.me + 1, len(self.names)):
            await self._reach(peer)
        await everyone
        server.close()

    async def _reach(self, peer: int) -> None:
        loop = asyncio.get_running_loop()
        context = self._context(ssl.PROTOCOL_TLS_CLIENT)
        host, port = self.places[peer]
        name = self.names[peer] if context else None
        while True:
            try:
                await loop.create_connection(lambda: _Link(self, peer), host, port, ssl=context, server_hostname=name)
                return
            except ssl.SSLError:
                raise UnreachableError(f"{self.names[peer]}: no secure connection; look at both certificates") from None
            except OSError:
                await asyncio.sleep(_RETRY)

    def _context(self, protocol: int) -> ssl.SSLContext | None:
        if self.tls is None:
            return None
        context = ssl.SSLContext(protocol)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False  # names are sites, not hosts: `_Link` compares them
        context.verify_mode = ssl.CERT_REQUIRED
        try:
            context.load_cert_chain(self.tls["certificate"], self.tls["key"])
            context.load_verify_locations(self.tls["authority"])
        except (OSError, ssl.SSLError):
            raise InputError("certificate, key or authority cannot be read, or do not belong together") from None
        return context

    def sent(self) -> list[int]:
        """Bytes sent to each party so far."""
        return [0 if party.pid == self.me else party.protocol.nbytes_sent for party in self.runtime.parties]

    async def winners(self, scores: Sequence[int]) -> list[int]:
        """Compare: every party calls this with as many scores, and learns the winners and no more.

        Contestants meet in pairs, then the winners do. All pairs of a round, at all nodes, are one comparison of
        arrays: rounds take the time a message takes, and there are about 12 for each doubling of the contestants.
        """
        runtime, n = self.runtime, len(scores)
        integers = runtime.SecInt(self.bits)

        def array(values: Iterable[int]) -> Any:
            return integers.array(np.array(list(values), dtype=object))

        # A score, and a 1 if there is none: that all have none is a product, which is cheaper than a comparison.
        given = runtime.input(array([*scores, *(int(score < 0) for score in scores)]), senders=self.contestants)
        nobody = functools.reduce(operator.mul, (value[n:] for value in given))
        standing = [(value[:n], array([place] * n)) for place, value in enumerate(given)]
        while len(standing) > 1:
            left, right = standing[:-1:2], standing[1::2]
            one, two = _side_by_side(runtime, left), _side_by_side(runtime, right)
            later = one[0] < two[0]  # strictly: an equal score leaves the earlier party in front
            best, place = (a + later * (b - a) for a, b in zip(one, two, strict=True))
            pieces = [slice(k * n, (k + 1) * n) for k in range(len(right))]
            odd = standing[-1:] if len(standing) % 2 else []
            standing = [(best[piece], place[piece]) for piece in pieces] + odd
        opened = await runtime.output(standing[0][1] - nobody * (standing[0][1] + 1))
        return [int(winner) for winner in opened]


def _side_by_side(runtime: Any, standing: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    values, places = zip(*standing, strict=True)
    return runtime.np_concatenate(values), runtime.np_concatenate(places)


def _runtime(me: int, parties: int) -> Any:
    """mpyc's runtime. It reads the command line when it is imported, so it is given one."""
    addresses = [word for number in range(parties) for word in ("-P", f"party{number}:1")]
    options = ["-I", str(me), "-K", str(_STATISTICAL), "--mix32-64bit", "--no-log"]
    before, sys.argv = sys.argv, [sys.argv[0], *addresses, *options]
    try:
        import mpyc.runtime
    finally:
        sys.argv = before
    mpyc.runtime.pickle = _NoPickle()
    return mpyc.runtime.mpc


def _fault(error: BaseException | None) -> ConfideError:
    if isinstance(error, ConfideError):
        return error
    return InputError(f"the hidden comparison failed ({type(error).__name__}): a peer sent what does not fit")


async def _serve(write: Callable[[dict[str, Any]], None]) -> None:
    lines = _input_lines()
    order = json.loads(await lines.get())
    family = socket.AF_INET6 if ":" in order["listen"][0] else socket.AF_INET
    listener = socket.create_server(tuple(order["listen"]), family=family)
    write({"port": listener.getsockname()[1]})
    party = _Party(json.loads(await lines.get()))
    await party.until_broken(party.connect(listener))
    write({"ready": True})
    while True:
        order = json.loads(await party.until_broken(lines.get()))
        found = await party.until_broken(party.winners(order["scores"]))
        write({"winners": found, "sent": party.sent()})


def _input_lines() -> "asyncio.Queue[str]":
    """Standard input, line by line, from a thread that does not keep the process alive when a fault ends it.

    When the input ends nobody wants an answer any more: the owner has closed it or was killed.
    """
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[str] = asyncio.Queue()

    def read() -> None:
        while line := sys.stdin.readline():
            loop.call_soon_threadsafe(lines.put_nowait, line)
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    return lines


def main() -> int:
    """Speak on standard input and output until the input ends."""
    answers = sys.stdout
    sys.stdout = sys.stderr  # whatever a library prints must not be taken for an answer

    def write(answer: dict[str, Any]) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    try:
        asyncio.run(_serve(write))
    except Exception as error:
        fault = _fault(error)
        write({"error": str(fault), "exit": fault.exit_code})
        return fault.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
