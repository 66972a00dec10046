"""Arrow Flight over mutual TLS: the only network a site speaks.

Every message is one `DoExchange`. It goes as bytes (`Message.to_bytes`), the order in the descriptor and the answer in
metadata, and never as Flight's own record batches: those would be unpacked before anybody could look at them, and a few
kilobytes can unpack to gigabytes. Both sides show a certificate of the common
authority; the peer's name is the first name in it. A client checks that the server's certificate holds the name it
calls (not merely an address), a server tells its party who calls. Whoever has no such certificate does not get past
the handshake. A round trip takes about 0.6 ms on the loopback.
"""

import logging
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.errors import InputError, UnreachableError
from confide.join.network.links import Link, Party, failure, one_line, serve
from confide.join.network.patience import Patience
from confide.join.protocol.ledger import Ledger
from confide.join.protocol.messages import LARGEST_SCHEMA, Message
from confide.join.protocol.policy import Policy
from confide.join.protocol.verbs import ANSWERS, VERBS
from confide.web.serving import check_address
from confide.web.tls import check_pair, check_valid, read_pem

if TYPE_CHECKING:
    from confide.join.hidden import winner as hidden_winner

__all__ = ["Credentials", "FlightLink", "FlightServer"]

_CHANNEL = [
    # A site that comes back is to be found at once: own connections, short waits between attempts.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.min_reconnect_backoff_ms", 5000),  # in truth the time a connection may take, handshake and all
    ("grpc.max_reconnect_backoff_ms", 2000),
]


_PIECE = 4 << 20  # bytes of an answer at a time


def _flight() -> Any:
    # gRPC writes handshakes that fail to stderr; we say it ourselves, in one line. Read when it is first loaded.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    os.environ.setdefault("GLOG_minloglevel", "3")
    from pyarrow import flight

    return flight


class Credentials:
    """The authority, a party's certificate and its private key, as PEM files."""

    def __init__(self, *, ca: Path, certificate: Path, key: Path):
        check_pair(certificate, key)
        check_valid(ca)
        self.ca = read_pem(ca, "CERTIFICATE")
        self.certificate = read_pem(certificate, "CERTIFICATE")
        self.key = read_pem(key, "PRIVATE KEY")
        self.name = self._first_name(certificate)
        self._paths = (ca, certificate, key)

    def for_comparisons(self) -> "hidden_winner.ComparisonCredentials":
        """The same files, as hidden comparisons want them."""
        from confide.join.hidden.winner import ComparisonCredentials as Files

        ca, certificate, key = self._paths
        return Files(certificate=certificate, key=key, authority=ca)

    def _first_name(self, path: Path) -> str:
        from cryptography import x509

        try:
            certificate = x509.load_pem_x509_certificate(self.certificate)
            names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
            first = next(iter(names.value), None)
        except (ValueError, x509.ExtensionNotFound, x509.DuplicateExtension, x509.UnsupportedGeneralNameType):
            first = None
        if not isinstance(first, x509.DNSName):
            raise InputError("the certificate's first subject alternative name must be the party's name", source=path)
        return first.value


class FlightLink(Link):
    """A party's way to others by network. `addresses` maps a name to HOST:PORT."""

    def __init__(
        self,
        name: str,
        ledger: Ledger,
        *,
        credentials: Credentials,
        addresses: dict[str, str],
        policy: Policy | None = None,
        heard: Callable[[str, str, str, bytes], None] | None = None,
    ):
        super().__init__(name, ledger, policy)
        self._credentials = credentials
        self._addresses = dict(addresses)
        self._clients: dict[str, Any] = {}
        self._open: set[Any] = set()
        self._lock = threading.Lock()
        self._heard = heard

    def _carry(self, to: str, message: Message, timeout: float) -> Message:
        import pyarrow as pa

        flight = _flight()
        data = message.to_bytes()
        self.ledger.note(self.name, to, message.kind, entries=message.entries, bytes=message.size, run=message.apart)
        if self._heard is not None:
            self._heard(self.name, to, message.verb, data)
        started = time.monotonic()
        writer = reader = None
        try:
            client = self._client(to)
            # A field that no schema has: whoever answers with batches is cut off at their schema.
            unread = pa.ipc.IpcReadOptions(included_fields=[(1 << 31) - 1])
            options = flight.FlightCallOptions(timeout=timeout, read_options=unread)
            writer, reader = client.do_exchange(flight.FlightDescriptor.for_command(data), options)
            with self._lock:
                self._open.add(reader)
            with suppress(pa.ArrowException, OSError):  # the answer may be there, and the call over, before this
                writer.done_writing()
            answer, size = Message.from_bytes(_receive(reader, ANSWERS.get(message.verb, "done")))
            writer.close()
            writer = None
        except InputError as error:
            raise UnreachableError(f"{to} sent no message of the protocol: {error}") from None
        except flight.FlightTimedOutError:
            raise UnreachableError(f"{to} did not answer within {_seconds(time.monotonic() - started)}") from None
        except (pa.ArrowException, OSError, StopIteration) as error:
            self._forget(to)
            if "field index" in str(error):
                raise UnreachableError(f"{to} sent no message of the protocol, but batches of its own") from None
            raise UnreachableError(f"{to} does not answer at {self._addresses[to]} ({_reason(error)})") from None
        finally:
            with self._lock:
                self._open.discard(reader)
            if writer is not None and reader is not None:
                reader.cancel()
                with suppress(pa.ArrowException, OSError):  # left to its destructor, it would complain on stderr
                    writer.close()
        self.ledger.note(to, self.name, answer.kind, entries=answer.entries, bytes=size, run=answer.apart)
        return answer

    def _client(self, to: str) -> Any:
        with self._lock:
            if to not in self._addresses:
                raise UnreachableError(f"no address is known for {to}")
            if to not in self._clients:
                self._clients[to] = _flight().FlightClient(
                    f"grpc+tls://{self._addresses[to]}",
                    tls_root_certs=self._credentials.ca,
                    cert_chain=self._credentials.certificate,
                    private_key=self._credentials.key,
                    override_hostname=to,  # the certificate must hold the name we call, wherever it answers
                    generic_options=_CHANNEL,
                )
            return self._clients[to]

    def _forget(self, to: str) -> None:
        with self._lock:
            self._clients.pop(to, None)

    def host_of(self, to: str) -> str:
        return self._addresses[to].rpartition(":")[0]

    def abort(self) -> None:
        with self._lock:
            under_way = list(self._open)
        for reader in under_way:
            reader.cancel()

    def renew(self) -> None:
        with self._lock:
            self._clients.clear()


class FlightServer:
    """Serves a party at HOST:PORT (port 0 for any free one) until `close`."""

    def __init__(self, party: Party, address: str, *, credentials: Credentials):
        flight = _flight()
        self.party = party
        host, _, _ = address.rpartition(":")
        patience: list[Patience] = []

        class Served(flight.FlightServerBase):  # type: ignore[misc, name-defined]
            def do_exchange(self, context: Any, descriptor: Any, reader: Any, writer: Any) -> None:
                if patience:
                    patience[0].with_peer(context.peer())
                _exchange(party, context, descriptor, writer)

        check_address(address)
        try:
            self._server = Served(
                f"grpc+tls://{address}",
                tls_certificates=[(credentials.certificate, credentials.key)],
                verify_client=True,
                root_certificates=credentials.ca,
            )
        except Exception as error:
            raise InputError(f"cannot serve at {address}: {str(error).splitlines()[0][:200]}") from None
        self.address = f"{host}:{self._server.port}"
        patience.append(Patience(self._server.port))

    def close(self) -> None:
        """Answer no more; the party's waits end, and answers under way are finished."""
        self.party.close()
        self._server.shutdown()


def _exchange(party: Party, context: Any, descriptor: Any, writer: Any) -> None:
    sender = one_line(context.peer_identity().decode(errors="replace"))
    try:
        message, size = Message.from_bytes(descriptor.command or b"")
    except InputError as error:
        said = one_line(str(error))[:200]
        logging.getLogger("confide.join").info("%s refused a message from %s: %s", party.name, sender, said)
        answer = failure(UnreachableError(f"refused from {sender}: {said}"))
    else:
        answer = serve(party, sender, message, size, context.is_cancelled)
    party.ledger.note(party.name, sender, answer.kind, entries=answer.entries, bytes=answer.size, run=answer.apart)
    data = memoryview(answer.to_bytes())
    for start in range(0, len(data), _PIECE):
        writer.write_metadata(bytes(data[start : start + _PIECE]))


def _receive(reader: Any, verb: str) -> bytes:
    """The bytes of an answer, as long as they may be those of `verb` or of a failure."""
    most = max(VERBS[verb].largest, VERBS["failed"].largest) + LARGEST_SCHEMA
    pieces: list[bytes] = []
    size = 0
    while True:
        try:
            chunk = reader.read_chunk()
        except StopIteration:
            return b"".join(pieces)
        piece = b"" if chunk.app_metadata is None else chunk.app_metadata.to_pybytes()
        size += len(piece)
        if chunk.data is not None or size > most:
            raise InputError(f"an answer of more than {most:,} bytes is refused")
        pieces.append(piece)


def _seconds(seconds: float) -> str:
    """A time in words, that is never 0.

    >>> [_seconds(s) for s in (0.0412, 3.004, 29.96)]
    ['0.041 s', '3 s', '30 s']
    """
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"


def _reason(error: BaseException) -> str:
    text = str(error)
    for part, said in (
        ("Connection refused", "connection refused"),
        ("not in peer certificate", "its certificate holds another name"),
        ("certificate", "certificates do not fit"),
        ("Socket closed", "it closed the connection; are both certificates of the same authority?"),
        ("Deadline", "too slow"),
        ("Cancelled", "given up"),
    ):
        if part in text:
            return said
    return "connection lost"
