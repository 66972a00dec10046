"""Arrow Flight over mutual TLS: who is let in, as whom, and how long anybody waits."""

import contextlib
import json
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import flight
from tests.patience import LONG, PROMPT

from confide.core.errors import InputError, UnreachableError, UsageError
from confide.join.network.certificates import make_certificates
from confide.join.network.transport import Credentials, FlightLink, FlightServer
from confide.join.protocol.ledger import Ledger
from confide.join.protocol.messages import Message
from confide.join.protocol.policy import Policy

STOP = {"run": "a" * 32, "attempt": "b" * 32, "reason": "x"}


class Echo:
    """A party that says who spoke, and can be slow."""

    def __init__(self):
        self.name, self.policy, self.ledger = "hospital", Policy(), Ledger("hospital")
        self.heard, self.cancelled = [], threading.Event()

    def handle(self, sender, message, cancelled):
        self.heard.append((sender, message.verb))
        if message.verb == "stop":
            while not cancelled():
                time.sleep(0.01)
            self.cancelled.set()
        return Message("pong") if message.verb == "ping" else Message("done")

    def close(self):
        pass


# Which of these a client of gRPC raises when the other side hangs up depends on how far it had come.
REFUSED = (flight.FlightError, pa.ArrowException, NotImplementedError, OSError)


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keys")
    make_certificates(folder / "good", ["hospital", "insurer"])
    make_certificates(folder / "other", ["hospital", "insurer"])
    return folder


def credentials(folder, name):
    return Credentials(ca=folder / "ca.pem", certificate=folder / f"{name}.pem", key=folder / f"{name}.key")


@pytest.fixture
def hospital(keys):
    server = FlightServer(Echo(), "127.0.0.1:0", credentials=credentials(keys / "good", "hospital"))
    yield server
    server.close()


def link(folder, server, *, name="insurer", to="hospital"):
    return FlightLink(name, Ledger(name), credentials=credentials(folder, name), addresses={to: server.address})


def test_the_peer_is_known_by_the_first_name_of_its_certificate(keys, hospital):
    caller = link(keys / "good", hospital)
    assert caller.call("hospital", Message("ping"), timeout=LONG).verb == "pong"
    assert hospital.party.heard == [("insurer", "ping")]


def test_both_ledgers_hold_the_same_lines(keys, hospital):
    caller = link(keys / "good", hospital)
    for _ in range(3):
        caller.call("hospital", Message("ping"), timeout=LONG)
    assert caller.ledger.lines() == hospital.party.ledger.lines()
    assert [line.messages for line in caller.ledger.lines()] == [3, 3]


def test_silent_connections_do_not_keep_a_site_from_answering(keys, hospital):
    host, _, port = hospital.address.rpartition(":")
    silent = []
    try:
        for number in range(200):
            silent.append(socket.create_connection((host, int(port)), timeout=LONG, source_address=("127.0.0.2", 0)))
            silent[-1].sendall(b"\x16" * (number % 2))  # the first byte of a handshake, or nothing
        caller = link(keys / "good", hospital)
        assert caller.call("hospital", Message("ping"), timeout=LONG).verb == "pong"
    finally:
        for one in silent:
            one.close()


def test_a_certificate_of_another_authority_gets_nothing(keys, hospital):
    mixed = credentials(keys / "other", "insurer")
    mixed.ca = credentials(keys / "good", "insurer").ca  # it trusts the server, but is not trusted
    caller = FlightLink("insurer", Ledger("insurer"), credentials=mixed, addresses={"hospital": hospital.address})
    with pytest.raises(UnreachableError, match=r"hospital does not answer.*certificates"):
        caller.call("hospital", Message("ping"), timeout=LONG)
    assert hospital.party.heard == []


def test_a_server_of_another_authority_is_not_spoken_to(keys, hospital):
    with pytest.raises(UnreachableError, match="hospital does not answer"):
        link(keys / "other", hospital).call("hospital", Message("ping"), timeout=LONG)
    assert hospital.party.heard == []


def test_a_server_of_another_name_is_not_spoken_to(keys, hospital):
    with pytest.raises(UnreachableError, match="its certificate holds another name"):
        link(keys / "good", hospital, to="registry").call("registry", Message("ping"), timeout=LONG)
    assert hospital.party.heard == []


def test_without_a_certificate_or_without_tls_nothing_is_answered(keys, hospital):
    authority = (keys / "good" / "ca.pem").read_bytes()
    bare = flight.FlightClient(f"grpc+tls://{hospital.address}", tls_root_certs=authority, override_hostname="hospital")
    plain = flight.FlightClient(f"grpc://{hospital.address}")
    for client in (bare, plain):
        with pytest.raises(REFUSED):
            list(client.do_action(flight.Action("x", b""), flight.FlightCallOptions(timeout=LONG)))
    host, _, port = hospital.address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=LONG) as raw:
        raw.sendall(b"GET / HTTP/1.1\r\n\r\n")
        raw.settimeout(2)
        with contextlib.suppress(TimeoutError, ConnectionResetError):
            assert b"HTTP/1.1 2" not in raw.recv(200)
    assert hospital.party.heard == []


def test_other_calls_of_flight_are_not_served(keys, hospital):
    held = credentials(keys / "good", "insurer")
    client = flight.FlightClient(
        f"grpc+tls://{hospital.address}",
        tls_root_certs=held.ca,
        cert_chain=held.certificate,
        private_key=held.key,
        override_hostname="hospital",
    )
    options = flight.FlightCallOptions(timeout=LONG)
    for call in (
        lambda: list(client.list_flights(options=options)),
        lambda: list(client.do_action(flight.Action("x", b""), options)),
        lambda: client.do_put(flight.FlightDescriptor.for_command(b"x"), pa.schema([]), options)[0].close(),
        lambda: client.do_get(flight.Ticket(b"x"), options).read_all(),
    ):
        with pytest.raises(REFUSED):
            call()
    writer, reader = client.do_exchange(flight.FlightDescriptor.for_command(b"x"), options)
    answer, _ = Message.from_bytes(reader.read_chunk().app_metadata.to_pybytes())
    assert answer.verb == "failed"
    with contextlib.suppress(*REFUSED):  # the site may have gone: it never waits for a table
        writer.begin(pa.schema([("patient", pa.string())]))
        writer.write_batch(pa.record_batch({"patient": ["Ada"]}))
        writer.done_writing()
    assert hospital.party.heard == []


def test_a_deadline_ends_the_wait_and_tells_the_other_side(keys, hospital):
    caller = link(keys / "good", hospital)
    assert caller.call("hospital", Message("ping"), timeout=LONG).verb == "pong"  # they have met, however long it took
    began = time.monotonic()
    with pytest.raises(UnreachableError, match="hospital did not answer within"):
        caller.call("hospital", Message("stop", STOP), timeout=0.5)
    assert time.monotonic() - began < PROMPT
    assert hospital.party.cancelled.wait(LONG)


def test_a_call_can_be_given_up(keys, hospital):
    caller = link(keys / "good", hospital)
    threading.Timer(0.3, caller.abort).start()
    with pytest.raises(UnreachableError):
        caller.call("hospital", Message("stop", STOP), timeout=30)
    assert hospital.party.cancelled.wait(LONG)


def test_nobody_there_is_said_at_once_and_a_comeback_is_found(keys):
    first = FlightServer(Echo(), "127.0.0.1:0", credentials=credentials(keys / "good", "hospital"))
    caller = link(keys / "good", first)
    caller.call("hospital", Message("ping"), timeout=LONG)
    first.close()
    with pytest.raises(UnreachableError, match=r"hospital does not answer at 127\.0\.0\.1"):
        caller.call("hospital", Message("ping"), timeout=LONG)
    again = FlightServer(Echo(), first.address, credentials=credentials(keys / "good", "hospital"))
    try:
        caller.renew()
        assert caller.call("hospital", Message("ping"), timeout=LONG).verb == "pong"
    finally:
        again.close()


def test_private_keys_are_their_owners_only_and_nothing_is_overwritten(keys, tmp_path):
    for path in (keys / "good").glob("*.key"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not (keys / "good" / "ca.key").exists()
    with pytest.raises(UsageError, match="never overwritten"):
        make_certificates(keys / "good", ["hospital"])
    for names, message in (
        (["a", "a"], "same name"),
        (["ca"], "authority"),
        (["a b"], "not a valid"),
        (["-a"], "not a valid"),
    ):
        with pytest.raises(UsageError, match=message):
            make_certificates(tmp_path, names)


def test_a_key_that_others_can_read_is_refused(keys, tmp_path):
    make_certificates(tmp_path, ["hospital"])
    (tmp_path / "hospital.key").chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        credentials(tmp_path, "hospital")


def test_certificates_name_the_party_first_and_the_loopback(keys):
    from cryptography import x509

    made = x509.load_pem_x509_certificate((keys / "good" / "hospital.pem").read_bytes())
    names = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert next(iter(names)).value == "hospital"
    assert [str(address) for address in names.get_values_for_type(x509.IPAddress)] == ["127.0.0.1", "::1"]


SERVER = """
import sys
from pathlib import Path
from tests.join.network.test_transport import Echo, credentials
from confide.join.network.transport import FlightServer
server = FlightServer(Echo(), "127.0.0.1:0", credentials=credentials(Path(sys.argv[1]), "hospital"))
print(server.address, flush=True)
for _ in sys.stdin:
    peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(peak.split()[1], flush=True)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peak memory is read from /proc")
def test_batches_that_unpack_to_gigabytes_cost_a_site_no_memory(keys):
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(keys / "good")],
        cwd=Path(__file__).parents[3],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        address = server.stdout.readline().strip()

        def peak():
            server.stdin.write("\n")
            server.stdin.flush()
            return int(server.stdout.readline()) << 10

        held = credentials(keys / "good", "insurer")
        client = flight.FlightClient(
            f"grpc+tls://{address}",
            tls_root_certs=held.ca,
            cert_chain=held.certificate,
            private_key=held.key,
            override_hostname="hospital",
        )
        header = json.dumps({"run": "a" * 32, "level": 0, "records": 1})
        schema = pa.schema([pa.field("node", pa.int32())], metadata={"verb": "compare", "header": header})
        zeros = pa.record_batch([pa.array(np.zeros(1 << 26, dtype=np.int32))], schema=schema)  # 256 MiB
        packed = pa.ipc.IpcWriteOptions(compression="zstd")
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, schema, options=packed) as writer:
            for _ in range(4):
                writer.write_batch(zeros)
        bomb = sink.getvalue().to_pybytes()
        assert len(bomb) < 1 << 18
        before = peak()
        for command, as_batches in ((bomb, False), (b"x", True)):
            writer, reader = client.do_exchange(
                flight.FlightDescriptor.for_command(command), flight.FlightCallOptions(timeout=LONG)
            )
            with contextlib.suppress(pa.ArrowException, OSError):
                if as_batches:
                    writer.begin(schema, options=packed)
                    writer.write_batch(zeros)
                writer.done_writing()
            if not as_batches:  # the other call may be over before all of it is sent
                answer, _ = Message.from_bytes(reader.read_chunk().app_metadata.to_pybytes())
                assert "a compressed message is refused" in answer.header["text"]
            with contextlib.suppress(pa.ArrowException, OSError):
                writer.close()
        assert peak() - before < 64 << 20
    finally:
        server.stdin.close()
        server.wait(LONG)
