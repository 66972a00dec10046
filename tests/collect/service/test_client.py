"""The Python client: draws here, keeps its one draw, sends that."""

import datetime
import ipaddress
import json
import math
import os
import socket
import subprocess
import sys
import threading
import time

import pytest
from tests.collector import Collector, refusal
from tests.patience import LONG

from confide.collect import CutAndPaste, Emask, GammaDiagonal, Mask
from confide.collect.fields.fields import Fields
from confide.collect.service.client import Client
from confide.collect.service.kept_draws import Kept, check_gamma, draw, keep_record
from confide.core.errors import CannotMeetError, InputError, RequirementError, UnreachableError, UsageError

SCHEME = GammaDiagonal(domains={"sex": ["F", "M"], "rooms": 40}, gamma=19)
RECORD = {"sex": "F", "rooms": "7"}


@pytest.fixture(scope="module")
def collector(tmp_path_factory):
    folder = tmp_path_factory.mktemp("collector")
    with Collector(folder, SCHEME, str(folder / "answers.duckdb")) as running:
        yield running


def run(*arguments, cwd):
    command = [sys.executable, "-m", "confide", "collect", "send", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=LONG)


def test_a_record_is_drawn_once_kept_and_sent_again_as_it_is(collector, tmp_path):
    client, keep = Client(collector.url), tmp_path / "kept.json"
    kept, sent = client.send(RECORD, keep=keep)
    assert not sent.repeated
    SCHEME.check_wire(list(kept.record))
    assert Kept.read(keep) == kept
    for other in (RECORD, {"sex": "M", "rooms": "39"}, None):  # whatever is given: the kept record goes
        again, sent = Client(collector.url).send(other, keep=keep)
        assert again == kept
        assert sent.repeated
    assert kept.gamma == 19


def test_the_kept_file_does_not_hold_the_true_record(tmp_path):
    """Over 50 files the true room comes back no more often than chance has it (false-alarm rate below 1e-6)."""
    kept = [keep_record(SCHEME, RECORD, tmp_path / f"{i}.json") for i in range(50)]
    true = sum(one.record == (0, 7) for one in kept)
    assert true <= 30  # each with probability 19/98
    assert set(json.loads((tmp_path / "0.json").read_text())) == {
        "confide", "version", "scheme", "submission", "record", "draws",
    }  # fmt: skip


def test_a_fresh_draw_states_the_new_gamma_and_needs_a_yes(tmp_path):
    keep = tmp_path / "kept.json"
    first = keep_record(SCHEME, RECORD, keep)
    with pytest.raises(CannotMeetError, match=r"draw 2 about you: gamma rises from 19 .* to 361 \(epsilon 5.889\)"):
        keep_record(SCHEME, RECORD, keep, fresh=True)
    assert Kept.read(keep) == first
    second = keep_record(SCHEME, RECORD, keep, fresh=True, accepted=True)
    assert second.submission != first.submission
    assert second.gamma == 361
    with pytest.raises(CannotMeetError, match="to 6859"):
        keep_record(SCHEME, RECORD, keep, fresh=True)


def test_a_changed_scheme_is_refused_with_the_price_of_a_second_draw(tmp_path):
    keep = tmp_path / "kept.json"
    keep_record(SCHEME, RECORD, keep)
    other = GammaDiagonal(domains=SCHEME.fields, gamma=9)
    with pytest.raises(CannotMeetError, match=r"has changed .* gamma rises from 19 .* to 171"):
        keep_record(other, RECORD, keep)
    kept = keep_record(other, RECORD, keep, fresh=True, accepted=True)
    assert kept.gamma == 171
    assert [one.gamma for one in kept.draws] == [19, 9]


def test_the_record_is_kept_before_it_is_sent(tmp_path):
    with Collector(tmp_path, SCHEME, str(tmp_path / "a.duckdb")) as collector:
        client = Client(collector.url, attempts=1)
        assert client.scheme == SCHEME
        collector.kill()
        with pytest.raises(UnreachableError, match="does not answer"):
            client.send(RECORD, keep=tmp_path / "kept.json")
        drawn = Kept.read(tmp_path / "kept.json")
        collector.start()
        kept, sent = client.send(RECORD, keep=tmp_path / "kept.json")
    assert kept == drawn
    assert not sent.repeated


@pytest.mark.parametrize(
    "scheme",
    [
        Mask(p=0.9, fields=Fields.of({"sex": ["F", "M"], "rooms": 3})),
        CutAndPaste(K=2, rho=0.4, fields=Fields.of({"sex": ["F", "M"], "rooms": 3})),
        GammaDiagonal(domains={"sex": ["F", "M"], "rooms": 3}, gamma=3, alpha=0.5),
    ],
)
def test_every_scheme_over_fields_draws_what_fits_the_wire(scheme):
    for _ in range(20):
        scheme.check_wire(list(draw(scheme, {"sex": "M", "rooms": "2"})))


def test_a_scheme_over_items_draws_what_fits_the_wire():
    scheme = Emask(p=0.6, q=0.8, items=tuple("abcdef"), max_length=2)
    for _ in range(20):
        scheme.check_wire(list(draw(scheme, ["a", "e"])))
    with pytest.raises(InputError, match="longer than max_length=2"):
        draw(scheme, ["a", "b", "c"])


def test_a_scheme_that_gives_too_much_away_is_not_drawn_by(tmp_path):
    weak = Emask(p=0.9, q=0.99, items=tuple("abcdef"))
    with pytest.raises(CannotMeetError, match="above the 1000 you allow; nothing was drawn"):
        check_gamma(weak, 1000)
    check_gamma(SCHEME, 19)
    with pytest.raises(RequirementError, match="max_gamma=1"):
        check_gamma(SCHEME, 1)
    with (
        Collector(tmp_path, weak, str(tmp_path / "a.duckdb")) as collector,
        pytest.raises(CannotMeetError, match="you allow"),
    ):
        Client(collector.url).send(["a"], keep=tmp_path / "kept.json")
    assert not (tmp_path / "kept.json").exists()


def test_a_collector_with_another_scheme_than_the_trusted_one_is_refused(collector, tmp_path):
    trusted = GammaDiagonal(domains=SCHEME.fields, gamma=9)
    with pytest.raises(CannotMeetError, match="another scheme"):
        Client(collector.url, scheme=trusted).send(RECORD, keep=tmp_path / "kept.json")
    assert not (tmp_path / "kept.json").exists()


def test_a_refusal_of_the_collector_is_repeated_in_its_words(collector):
    with pytest.raises(InputError, match="refused by the collector: record 1 does not fit the scheme"):
        Client(collector.url).submit([[0, 40]])


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff", b'{"confide": "kept record", "version": 2}'])
def test_a_file_that_is_not_a_kept_record_is_left_alone(tmp_path, content):
    path = tmp_path / "kept.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match="not a kept record"):
        keep_record(SCHEME, RECORD, path, fresh=True, accepted=True)
    assert path.read_bytes() == content


def test_the_command_sends_and_resends(collector, tmp_path):
    first = run(collector.url, "--field", "sex=F", "--field", "rooms=7", "--keep", "k.json", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    said = json.loads(first.stdout)
    assert said["state"] == "stored"
    assert said["gamma"] == 19
    again = json.loads(run(collector.url, "--keep", "k.json", cwd=tmp_path).stdout)
    assert again == said | {"state": "already stored"}
    fresh = run(collector.url, "--keep", "k.json", "--fresh", cwd=tmp_path)
    assert fresh.returncode == 1
    assert "361" in fresh.stderr


def test_wrong_use_of_the_command_ends_in_one_clear_line(collector, tmp_path):
    (tmp_path / "r.json").write_text("{")
    url, file, keep = collector.url, tmp_path / "r.json", tmp_path / "k.json"
    for arguments, status, line in [
        ([url], 2, "give the record once"),
        ([url, file, "--item", "a"], 2, "give the record once"),
        ([url, file], 2, "not JSON"),
        ([url, "--field", "sex"], 2, "NAME=TEXT"),
        ([url, "--field", "sex=X", "--field", "rooms=7"], 2, "sex"),
        ([url, "--field", "sex=F", "--field", "sex=M"], 2, "twice"),
        ([url, url], 2, "one URL"),
        ([file], 2, "collector's URL"),
        (["--dry-run"], 2, "or scheme=FILE"),
        (["http://127.0.0.1:1/", "--item", "a"], 3, "does not answer"),
        ([url, "--field", "sex=F", "--field", "rooms=7", "--max-gamma", "5"], 1, "above the 5"),
    ]:
        found, said = refusal("collect", "send", *arguments, "--keep", keep)
        assert found == status, said
        assert line in said
        assert not keep.exists()


def certificate(folder, host):
    """A self-signed certificate for an address, and its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "collector")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1)).not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(host))]), critical=False)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    (folder / "c.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "k.pem").write_bytes(key.private_bytes(*form))
    os.chmod(folder / "k.pem", 0o600)


def test_tls_is_spoken_and_a_strange_certificate_is_refused(tmp_path):
    certificate(tmp_path, "127.0.0.1")
    options = ("--certificate", str(tmp_path / "c.pem"), "--key", str(tmp_path / "k.pem"))
    with Collector(tmp_path, SCHEME, str(tmp_path / "a.duckdb"), *options) as collector:
        assert collector.url.startswith("https://")
        with pytest.raises(UsageError, match=r"certificate is not trusted .* with ca_file="):
            Client(collector.url, attempts=1).send(RECORD, keep=tmp_path / "kept.json")
        assert not (tmp_path / "kept.json").exists()
        _, sent = Client(collector.url, ca_file=tmp_path / "c.pem").send(RECORD, keep=tmp_path / "kept.json")
        assert sent.records == 1
        with pytest.raises(UsageError, match="cannot be read as certificates to trust"):
            Client(collector.url, ca_file=tmp_path / "kept.json")
        with pytest.raises(UsageError, match="certificate is not trusted"):  # the right authority, another host
            Client(collector.url.replace("127.0.0.1", "localhost"), ca_file=tmp_path / "c.pem", attempts=1).count()


@pytest.mark.parametrize("url", ["ftp://host/", "file:///etc/passwd", "host", "", "http://"])
def test_only_http_addresses_are_asked(url):
    with pytest.raises(UsageError, match="not the address of a collector"):
        Client(url)


def test_an_answer_that_breaks_off_is_asked_for_again():
    """A collector that is killed may have sent the head of its answer and none of its body."""
    body = b'{"records": 7}'
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 14\r\nConnection: close\r\n\r\n"
    asked = []

    def serve(server):
        for whole in (head, head + body[:5], head + body):
            link, _ = server.accept()
            with link:
                asked.append(link.recv(65536))
                link.sendall(whole)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve, args=(server,), daemon=True)
        thread.start()
        assert Client(f"http://127.0.0.1:{server.getsockname()[1]}/", attempts=3, timeout=LONG).count() == 7
        thread.join(timeout=LONG)
    assert len(asked) == 3


# -- a collector, or a file, that is hostile --------------------------------------------------------------------------


class Hostile:
    """Answers every request with the same bytes."""

    def __init__(self, answer: bytes):
        self._answer = answer
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}/"

    def __enter__(self):
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def _serve(self):
        while True:
            try:
                link, _ = self._listening.accept()
            except OSError:
                return
            with link:
                link.settimeout(5)
                link.recv(65536)
                link.sendall(self._answer)

    def __exit__(self, *error):
        self._listening.close()


def http(body: bytes, status: bytes = b"200 OK") -> bytes:
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (status, len(body), body)


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"null", b"{}", b'{"records": "12"}', b'{"records": -1}', b'{"records": 1, "records": 2}', b"\xff"],
)  # fmt: skip
def test_an_answer_that_no_collector_gives_is_one_line(body):
    with Hostile(http(body)) as hostile, pytest.raises(InputError, match="not a collector's"):
        Client(hostile.url, attempts=1).count()


@pytest.mark.parametrize(
    "answer",
    [
        http(b'{"error": "\\u001b[2J\\u202e\\u0007gone"}', b"400 Bad"),
        http(b'{"error": "\\u001b]0;mine\\u0007"}', b"503 Busy"),
        b"\x1b[2Jnothing of HTTP\r\n\r\n",
    ],
)
def test_control_characters_of_a_collector_stay_out_of_messages(answer):
    with Hostile(answer) as hostile, pytest.raises((InputError, UnreachableError)) as caught:
        Client(hostile.url, attempts=1).count()
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "change",
    [
        {"gamma": 10**399},
        {"gamma": 1e301},
        {"gamma": 0},
        {"gamma": "19"},
        {"gamma": True},
        {"epsilon": 10**399},
        {"epsilon": 1e308},
        {"epsilon": -1},
        {"scheme": "\x1b[2J"},
    ],
    ids=str,
)
def test_a_kept_record_with_absurd_numbers_is_refused_in_a_line(change, tmp_path):
    keep = tmp_path / "kept.json"
    keep_record(SCHEME, RECORD, keep)
    data = json.loads(keep.read_text())
    data["draws"] = [{**data["draws"][0], **change}, *data["draws"]]
    keep.write_text(json.dumps(data))
    with pytest.raises(InputError, match="not a kept record"):
        Kept.read(keep)


def test_gamma_of_a_scheme_made_to_keep_a_client_busy_is_worked_out_at_once():
    items = tuple(map(str, range(1200)))
    many = Fields.of([2] * 20_000)
    for scheme in (CutAndPaste(K=1000, rho=1e-300, items=items), Mask(p=0.5000000000000002, fields=many)):
        started = time.process_time()
        scheme.amplification()
        assert time.process_time() - started < 60
    assert CutAndPaste(K=64, rho=0.5, items=items).amplification().epsilon == pytest.approx(
        CutAndPaste(K=65, rho=0.5, items=items).amplification().epsilon - math.log(2), rel=1e-9
    )
