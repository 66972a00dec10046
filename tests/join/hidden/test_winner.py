"""Hidden comparison: the right winner, and no score on any wire. Every party is a real process on loopback."""

import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tests.patience import LONG, wait_until

from confide.core.errors import InputError, MissingExtraError, RequirementError, UnreachableError, UsageError
from confide.join.hidden import winner as hidden_winner
from confide.join.hidden.winner import (
    ComparisonCredentials,
    HiddenComparison,
    LocalComparison,
    check_parties,
    new_session,
)
from confide.join.network.certificates import make_certificates


def winners(scores):
    """The slow twin: the first of the highest, or nobody."""
    return [int(np.argmax(column)) if max(column) >= 0 else -1 for column in np.transpose(scores)]


def credentials(folder, name):
    return ComparisonCredentials(
        certificate=folder / f"{name}.pem", key=folder / f"{name}.key", authority=folder / "ca.pem"
    )


def at_once(*calls):
    """Run every party's step at the same time; an error is returned in the place of its result."""

    def settled(call):
        try:
            return call()
        except Exception as error:
            return error

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(settled, calls))


def parties(names, **options):
    return [HiddenComparison(name, **options) for name in names]


def connected(members, sites, *, addresses=None, session=None, each=None):
    addresses = addresses or {member.name: member.address for member in members}
    session = session or new_session()
    return at_once(
        *(
            lambda m=m: m.connect((each or {}).get(m.name, addresses), sites=sites, session=session, largest=1 << 62)
            for m in members
        )
    )


@pytest.fixture(scope="module")
def three():
    with LocalComparison(["a", "b"], helper="c") as local:
        yield local


def test_the_winner_is_the_first_of_the_highest(three):
    rng = np.random.default_rng(3)
    scores = rng.integers(-1, 4, size=(2, 40)).astype(np.int64)  # few values, so many ties and gaps
    assert three.winners(scores).tolist() == winners(scores)


def test_scores_at_both_ends_of_the_range_are_compared_exactly(three):
    most = 1 << 62
    scores = [[most, most, -1, 0, -1, most - 1, 0], [most - 1, most, most, -1, -1, most, 0]]
    assert three.winners(scores).tolist() == winners(scores) == [0, 0, 1, 0, -1, 1, 0]


def test_no_nodes_need_no_comparison(three):
    assert three.winners([[], []]).tolist() == []


def test_a_score_out_of_range_is_refused(three):
    for score in (-2, (1 << 62) + 1):
        with pytest.raises(InputError, match="cannot be compared"):
            three._parties[0].winners([score])


@pytest.mark.slow
def test_five_sites_compare_in_rounds_and_a_narrow_range_suffices():
    rng = np.random.default_rng(4)
    scores = rng.integers(-1, 16, size=(5, 12)).astype(np.int64)
    scores[:, 0], scores[:, 1] = -1, [-1, -1, -1, -1, 15]
    with LocalComparison(list("abcde"), largest=15) as local:
        assert local.winners(scores).tolist() == winners(scores)


@pytest.mark.parametrize("names", [["a"], ["a", "b"]])
def test_fewer_than_three_parties_are_refused_with_a_way_out(names):
    with pytest.raises(RequirementError, match=r"three parties.*coordinator, or a helper") as caught:
        check_parties(names, names)
    assert "\n" not in str(caught.value)
    with pytest.raises(RequirementError):
        LocalComparison(names)


class Tap:
    """A wire in between that passes everything on and keeps a copy."""

    def __init__(self, target):
        host, port = target.rsplit(":", 1)
        self.target, self.seen = (host, int(port)), bytearray()
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.server.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self.server.accept()
            except OSError:
                return
            far = socket.create_connection(self.target)
            for one, two in ((near, far), (far, near)):
                threading.Thread(target=self._pass, args=(one, two), daemon=True).start()

    def _pass(self, one, two):
        try:
            while data := one.recv(1 << 16):
                self.seen += data
                two.sendall(data)
        except OSError:
            pass
        two.close()


def overheard(names, sites, scores):
    """Everything that crossed between the parties, without TLS so that it can be read."""
    members = parties(names)
    taps = {member.name: Tap(member.address) for member in members}
    through = {name: tap.address for name, tap in taps.items()}
    try:
        assert connected(members, sites, addresses=through) == [None] * len(names)
        found = at_once(*(lambda m=m, s=s: m.winners(s).tolist() for m, s in zip(members, scores, strict=True)))
    finally:
        for member in members:
            member.close()
    return found, b"".join(tap.seen for tap in taps.values()), [member.sent for member in members]


SECRETS = [[0x123456789ABCDEF0, 0x3FEDCBA987654321], [0x0F1E2D3C4B5A6978, 0x2BADCAFE1BADCAFE]]


def spotted(crossed):
    return [s for row in SECRETS for s in row if any(s.to_bytes(8, e)[1:7] in crossed for e in ("little", "big"))]


def test_no_score_and_no_difference_crosses_any_wire():
    found, crossed, sent = overheard(["a", "b", "c"], ["a", "b"], [*SECRETS, [-1, -1]])
    assert found == [winners(SECRETS)] * 3
    assert len(crossed) > 1000
    assert 0 <= len(crossed) - sum(sum(member.values()) for member in sent) < 500  # all but the opening is metered
    assert spotted(crossed) == []
    for one, two in zip(*SECRETS, strict=True):
        assert abs(one - two).to_bytes(8, "little")[:6] not in crossed


def test_with_two_parties_the_scores_would_cross_as_they_are(monkeypatch):
    # Why two are refused, and a proof that the search above can find something.
    monkeypatch.setattr(hidden_winner, "check_parties", lambda sites, parties: None)
    found, crossed, _ = overheard(["a", "b"], ["a", "b"], SECRETS)
    assert found == [winners(SECRETS)] * 2
    assert spotted(crossed) != []


def test_three_processes_compare_over_mutual_tls(tmp_path):
    names = ["hospital", "insurer", "registry"]
    make_certificates(tmp_path, names)
    members = [HiddenComparison(name, credentials=credentials(tmp_path, name)) for name in names]
    try:
        # Ties go by the order of the sites, which need not be that of the parties.
        assert connected(members, ["insurer", "hospital"]) == [None] * 3
        for _ in range(2):  # a level, and the next over the same connections
            found = at_once(
                *(
                    lambda m=m, s=s: m.winners(s).tolist()
                    for m, s in zip(members, ([5, 2, 7], [5, 3, -1], [-1] * 3), strict=True)
                )
            )
            assert found == [[0, 0, 1]] * 3
    finally:
        for member in members:
            member.close()


def test_a_certificate_of_another_authority_gets_nothing(tmp_path):
    names = ["a", "b", "c"]
    make_certificates(tmp_path / "ours", names)
    make_certificates(tmp_path / "theirs", names)
    folders = [tmp_path / "ours", tmp_path / "ours", tmp_path / "theirs"]
    for deadline in (2, 10, 60, LONG):  # on a busy machine they may not even have met within two seconds
        cards = [credentials(folder, name) for name, folder in zip(names, folders, strict=True)]
        settled = connect_with(names, cards, deadline)
        if any("certificates" in str(error) for error in settled):
            return
    raise AssertionError(settled)


def test_a_certificate_with_another_name_gets_nothing(tmp_path):
    names = ["a", "b", "c"]
    make_certificates(tmp_path, [*names, "eve"])
    cards = ["a", "b", "eve"]
    for deadline in (2, 10, 60, LONG):
        settled = connect_with(names, [credentials(tmp_path, card) for card in cards], deadline)
        if any("another name" in str(error) for error in settled):
            return
    raise AssertionError(settled)


def connect_with(names, cards, deadline):
    """What becomes of three parties that meet with these certificates: each fails."""
    members = [HiddenComparison(n, credentials=c, deadline=LONG) for n, c in zip(names, cards, strict=True)]
    for member in members:  # only now: their processes take long to start on a busy machine
        member.deadline = deadline
    settled = connected(members, ["a", "b"])
    assert all(isinstance(error, UnreachableError) for error in settled)
    return settled


def test_a_party_that_dies_ends_the_comparison_for_all_within_a_moment():
    members = parties(["a", "b", "c"], deadline=600)
    assert connected(members, ["a", "b"]) == [None] * 3
    began = time.perf_counter()
    members[2]._process.kill()
    settled = at_once(*(lambda m=m: m.winners([1, 2, 3]) for m in members))
    assert all(isinstance(error, UnreachableError) for error in settled)
    assert any("c left the hidden comparison" in str(error) for error in settled[:2])
    assert all("\n" not in str(error) and error.exit_code == 3 for error in settled)
    assert time.perf_counter() - began < LONG
    assert all(m._process.poll() is not None for m in members)


def test_a_party_that_never_comes_is_waited_for_until_the_deadline():
    a, b = parties(["a", "b"])
    a.deadline = b.deadline = 1  # only now: their processes take long to start on a busy machine
    addresses = {"a": a.address, "b": b.address, "c": "127.0.0.1:1"}
    settled = connected([a, b], ["a", "b"], addresses=addresses)
    said = "hidden comparison: could not find the other parties within 1 s"
    # Under load one may give up so much before the other that this one sees it leave.
    left = {f"hidden comparison: {name} left the hidden comparison" for name in "ab"}
    assert said in map(str, settled)
    assert {str(error) for error in settled} <= {said, *left}


def test_strangers_and_garbage_at_the_door_are_ignored():
    members = parties(["a", "b", "c"])
    host, port = members[2].address.split(":")
    strays = [socket.create_connection((host, int(port))) for _ in range(2)]
    try:
        strays[0].sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" + bytes(100))
        strays[1].sendall(bytes(16) + (0).to_bytes(2, "little") + bytes(64))  # a party's number, another session's
        assert connected(members, ["a", "b"]) == [None] * 3
        found = at_once(
            *(lambda m=m, s=s: m.winners(s).tolist() for m, s in zip(members, ([1], [2], [-1]), strict=True))
        )
        assert found == [[1]] * 3
    finally:
        for stray in strays:
            stray.close()
        for member in members:
            member.close()


def test_parties_that_ask_for_different_numbers_of_nodes_are_reported(three):
    members = parties(["a", "b", "c"], deadline=600)
    assert connected(members, ["a", "b"]) == [None] * 3
    for member in members:
        member.deadline = 10
    settled = at_once(*(lambda m=m, s=s: m.winners(s) for m, s in zip(members, ([1, 2], [1], [1, 2]), strict=True)))
    assert any(isinstance(error, InputError | UnreachableError) for error in settled)
    for member in members:
        member.close()


def test_use_out_of_turn_and_bad_addresses_are_refused():
    with HiddenComparison("a") as alone:
        with pytest.raises(UsageError, match="connect"):
            alone.winners([1])
        three = {"b": "127.0.0.1:1", "c": "127.0.0.1:1", "d": "127.0.0.1:1"}
        with pytest.raises(UsageError, match="not a party"):
            alone.connect(three, sites=["b"], session=new_session())
        with pytest.raises(UsageError, match="HOST:PORT"):
            alone.connect({**three, "a": "nowhere"}, sites=["a"], session=new_session())
        with pytest.raises(UsageError, match="needs certificates"):
            alone.connect({**three, "a": "10.0.0.1:1"}, sites=["a"], session=new_session())
        with pytest.raises(RequirementError, match="largest"):
            alone.connect({**three, "a": "127.0.0.1:1"}, sites=["a"], session=new_session(), largest=0)
    with pytest.raises(UsageError, match="needs certificates"):
        HiddenComparison("a", host="0.0.0.0")
    with pytest.raises(UsageError, match="every site"):
        check_parties(["x"], ["a", "b", "c"])


def test_a_party_ends_with_its_owner_even_while_it_looks_for_the_others():
    code = """
import os, signal, threading, time
from confide.join.hidden.winner import HiddenComparison
a = HiddenComparison("a")
nowhere = {"a": a.address, "b": "127.0.0.1:1", "c": "127.0.0.1:1"}
threading.Thread(target=a.connect, args=(nowhere,), kwargs={"sites": ["a", "b"], "session": "0" * 32}).start()
time.sleep(0.5)
print(a._process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=LONG)
    file = Path(f"/proc/{int(done.stdout)}/cmdline")
    wait_until(lambda: not (file.exists() and b"hidden_party" in file.read_bytes()))


def test_certificates_that_cannot_be_read_are_reported(tmp_path):
    make_certificates(tmp_path, ["a", "b", "c"])
    torn = ComparisonCredentials(certificate=tmp_path / "a.pem", key=tmp_path / "b.key", authority=tmp_path / "ca.pem")
    with HiddenComparison("a", credentials=torn) as party:
        addresses = dict.fromkeys("abc", "127.0.0.1:1")
        with pytest.raises(InputError, match="do not belong together"):
            party.connect(addresses, sites=["a", "b"], session=new_session())


def test_nothing_that_a_peer_sends_is_unpickled():
    code = """
from confide.join.hidden.hidden_party import _runtime
runtime = _runtime(0, 3)
import mpyc.runtime
assert runtime.options.mix32_64bit  # arrays cross as plain bytes
assert runtime.threshold == 1
try:
    mpyc.runtime.pickle.loads(b"N.")
except RuntimeError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "a hidden comparison never pickles\n"


def test_without_mpyc_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setattr(hidden_winner, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"confide\[join\]"):
        HiddenComparison("a")
