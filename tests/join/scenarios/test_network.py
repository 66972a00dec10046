"""Three sites and a coordinator on four machines (network namespaces): cables cut, sites killed, strangers at the door.

Where namespaces are not permitted, the same faults between processes are in test_faults.py. The sites serve all tests
of this file one after the other, as they would in life; only one that a test has killed is started again.
"""

import json
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.join.netns import Network, why_not
from tests.patience import LONG, PROMPT, SILENT

from confide import verify
from confide.join import JoinGraph, JoinTree
from confide.join.network.certificates import make_certificates

SITES = ["T1", "T2", "T3"]
PORT = 7001
DEPTH = 12

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def network():
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)  # also in CI: a container may forbid namespaces, and test_faults.py runs everywhere
    with Network([*SITES, "registry", "stranger"]) as made:
        yield made


def tables(rows=4000, keys=500):
    """A chain T1 - T2 - T3 whose classes are noise: the tree grows deep, so a run has a middle."""
    rng = np.random.default_rng(6)

    def numbers():
        return {f"x{i}": rng.integers(0, 1000, rows) for i in range(3)}

    return {
        "T1": pa.table({"a": rng.integers(0, keys, rows), **numbers(), "class": rng.choice(["no", "yes"], rows)}),
        "T2": pa.table({"a": rng.integers(keys // 10, keys, rows), "b": rng.integers(0, keys, rows), **numbers()}),
        "T3": pa.table({"b": rng.integers(0, keys, rows), **numbers()}),
    }


class Desk:
    """Configurations of a run, and the processes of its parties."""

    def __init__(self, network, folder):
        self.network, self.folder, self.sites = network, folder, {}
        make_certificates(folder / "keys", [*SITES, "registry"])
        make_certificates(folder / "other", [*SITES, "registry"])
        for name, table in tables().items():
            pq.write_table(table, folder / f"{name}.parquet")
        for keys in ("keys", "other"):
            for name in SITES:
                (folder / f"{name}.{keys}.toml").write_text(self.site_toml(name, keys))
            (folder / f"join.{keys}.toml").write_text(self.join_toml(keys))
        patient = self.join_toml("keys").replace(f"deadline = {SILENT}", "deadline = 60")
        (folder / "join.patient.toml").write_text(patient)
        (folder / "join.hidden.toml").write_text('hide_gains = true\nthird = "registry"\n' + self.join_toml("keys"))

    def site_toml(self, name, keys):
        joined = {"T1": {"T2": "a"}, "T2": {"T1": "a", "T3": "b"}, "T3": {"T2": "b"}}[name]
        return "\n".join(
            [
                f'name = "{name}"\ncoordinator = "registry"\nstate = "{name}-state"',
                f'listen = "{self.at(name) if name != "T3" else f"0.0.0.0:{PORT}"}"',
                f'[table]\nfile = "{name}.parquet"',
                'class = "class"' if name == "T1" else "",
                "[policy]\ncertain_classes = 1.0" if name == "T1" else "",  # some join values have one class only
                *(f'[neighbours.{to}]\naddress = "{self.at(to)}"\non = ["{key}"]' for to, key in joined.items()),
                self.tls(name, keys),
            ]
        )

    def join_toml(self, keys):
        return "\n".join(
            [
                'name = "registry"\ntarget = "T1"\nedges = [["T1", "T2"], ["T2", "T3"]]\nstate = "registry-state"',
                f"deadline = {SILENT}",
                *(f'[sites.{name}]\naddress = "{self.at(name)}"' for name in SITES),
                f"[tree]\nmax_depth = {DEPTH}\nconfidence = 0.0",
                self.tls("registry", keys),
            ]
        )

    def at(self, name):
        return f"{self.network.host(name)}:{PORT}"

    def tls(self, name, keys):
        return f'[tls]\nca = "{keys}/ca.pem"\ncertificate = "{keys}/{name}.pem"\nkey = "{keys}/{name}.key"\n'

    def start(self, party, log, *words):
        """Run `confide join WORDS` on a party's machine; what it says goes into a file of its own."""
        file = self.folder / log
        with open(file, "wb") as said:
            command = [*self.network.inside(party), sys.executable, "-m", "confide", "join", *words]
            started = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        return started, file

    def serve(self, *names, keys="keys"):
        """Start sites and wait until they serve; a site that runs already is ended first."""
        for name in names:
            self.end(name)
            self.sites[name] = self.start(name, f"{name}.said", "site", "--config", f"{name}.{keys}.toml")
        for name in names:
            until(lambda n=name: "serving at" in self.sites[n][1].read_text() or not self.alive(n))
            assert self.alive(name), self.sites[name][1].read_text()

    def alive(self, name):
        return self.sites[name][0].poll() is None

    def end(self, name):
        if name in self.sites:
            process, _ = self.sites.pop(name)
            process.kill()
            process.wait()

    def ledger(self, name, kind):
        """How many messages of a kind a site has sent or got so far."""
        file = self.folder / f"{name}-state" / "ledger.jsonl"
        return file.read_text().count(f'"kind": "{kind}"') if file.exists() else 0

    def run(self, *options, config="join.keys.toml"):
        return Run(self, *options, config=config)


class Run:
    """`confide join train`, under way."""

    def __init__(self, desk, *options, config):
        self.desk, self.before = desk, desk.ledger("T2", "split-summary")
        for old in desk.folder.glob("tree.json*"):
            old.unlink()
        self.process, self.log = desk.start(
            "registry", "train.said", "train", "--config", config, "-o", "tree.json", *options
        )

    def in_the_middle(self):
        """Wait until some levels are split and the run is still going on."""
        until(lambda: self.desk.ledger("T2", "split-summary") > self.before + 3 or self.process.poll() is not None)
        assert self.process.poll() is None, self.log.read_text()
        return time.monotonic()

    def ends(self, code, *words):
        """Wait for the end. A failure says one line, which names the culprit, and leaves no tree behind."""
        assert self.process.wait(timeout=LONG) == code, self.log.read_text()
        if code:
            lines = self.log.read_text().strip().splitlines()
            assert len(lines) == 1, lines
            assert lines[0].startswith("confide: ")
            assert all(word in lines[0] for word in words), lines
            assert not (self.desk.folder / "tree.json").exists()

    def tree(self):
        """The released tree, verified, as nested (split site, class counts, children)."""
        self.ends(0)
        assert verify(self.desk.folder / "tree.json.passport.json").ok
        plain = json.loads((self.desk.folder / "tree.json").read_text())

        def shape(number):
            node = plain["nodes"][number]
            return (node["site"], tuple(node["counts"]), tuple(map(shape, node["children"])))

        return shape(0), {line["kind"] for line in plain["ledger"]}


def until(true, seconds=30):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


@pytest.fixture(scope="module")
def desk(network, tmp_path_factory):
    made = Desk(network, tmp_path_factory.mktemp("desk"))
    made.serve(*SITES)
    yield made
    for name in SITES:
        made.end(name)


@pytest.fixture(scope="module")
def expected():
    """The tree that one process grows over all tables, in the same form."""
    graph = JoinGraph(tables=tables(), joins=[("T1.a", "T2.a"), ("T2.b", "T3.b")], target="T1.class")
    tree = JoinTree(max_depth=DEPTH, confidence=None).fit(graph).tree_

    def shape(number):
        node = tree.nodes[number]
        site = None if node.is_leaf else node.attribute.partition(".")[0]
        return (site, tuple(node.counts), tuple(shape(edge.to) for edge in node.edges))

    return shape(0)


def test_three_machines_grow_the_tree_of_one_process(desk, expected):
    tree, kinds = desk.run().tree()
    assert tree == expected
    assert "scores" in kinds


def test_gains_stay_hidden_between_machines(desk, expected):
    tree, kinds = desk.run(config="join.hidden.toml").tree()
    assert tree == expected
    assert "hidden-scores" in kinds
    assert "scores" not in kinds


def test_a_cable_cut_for_a_moment_is_waited_out(desk, network, expected):
    run = desk.run()
    run.in_the_middle()
    network.cut("T2")
    time.sleep(SILENT / 4)
    network.heal("T2")
    assert run.tree()[0] == expected


def test_a_cut_of_20_seconds_does_not_end_a_run_whose_deadline_is_longer(desk, network, expected):
    run = desk.run(config="join.patient.toml")
    run.in_the_middle()
    network.cut("T2")
    time.sleep(21)  # gRPC's servers give up connections that were silent for 20
    network.heal("T2")
    assert run.tree()[0] == expected


def test_a_cable_cut_for_longer_than_the_deadline_ends_the_run_and_resume_finishes_it(desk, network, expected):
    run = desk.run()
    began = run.in_the_middle()
    network.cut("T3")
    try:
        run.ends(3, "T3")
        assert time.monotonic() - began < 4 * SILENT + PROMPT
        assert all(desk.alive(name) for name in SITES)  # all stopped cleanly, and serve on
    finally:
        network.heal("T3")
    assert desk.run("--resume").tree()[0] == expected


def test_a_site_killed_in_the_middle_ends_the_run_and_resume_finishes_it(desk, expected):
    run = desk.run()
    began = run.in_the_middle()
    desk.end("T2")
    run.ends(3, "T2")
    assert time.monotonic() - began < 4 * SILENT + PROMPT
    assert desk.alive("T1")
    assert desk.alive("T3")
    desk.serve("T2")
    assert desk.run("--resume").tree()[0] == expected


GARBAGE = """
import os, socket, sys
for host in sys.argv[1:]:
    for data in (b"", b"GET / HTTP/1.1\\r\\n\\r\\n", os.urandom(9999), b"PRI * HTTP/2.0\\r\\n\\r\\n" + bytes(9999)):
        with socket.create_connection((host, 7001), timeout=300) as link:
            try:
                link.sendall(data)
            except OSError:
                pass
"""


def test_garbage_at_every_door_disturbs_nobody(desk, network, expected):
    run = desk.run()
    hosts = [network.host(name) for name in SITES]
    for _ in range(3):
        subprocess.run([*network.inside("stranger"), sys.executable, "-c", GARBAGE, *hosts], check=True, timeout=LONG)
    assert run.tree()[0] == expected


def test_a_coordinator_with_a_certificate_of_another_authority_gets_nothing(desk):
    kinds = ("control", "heartbeat", "class-labels")
    before = [desk.ledger(name, kind) for name in SITES for kind in kinds]
    desk.run(config="join.other.toml").ends(3, "certificates do not fit")
    assert [desk.ledger(name, kind) for name in SITES for kind in kinds] == before


def test_a_site_with_a_certificate_of_another_authority_ends_the_run(desk):
    desk.serve("T2", keys="other")
    desk.run().ends(3, "T2")
    assert all(desk.alive(name) for name in SITES)
    desk.serve("T2")
