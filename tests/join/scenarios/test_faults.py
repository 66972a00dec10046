"""Three sites in three processes: killed, frozen, strange, or with a wrong certificate; each ends in one line.

Tables hold noise, so that trees grow deep and a run has a middle; finished levels are read off its record. The sites
serve all tests of this file one after the other, as they would in life: a test starts those that are not there, or
that another test gave other files.
"""

import json
import re
import shutil
import signal
import socket
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.join.sites import confide, serve, wait_until
from tests.patience import LONG

from confide import verify
from confide.join import JoinGraph, JoinTree
from confide.join.network.certificates import make_certificates

SITES = ["T1", "T2", "T3"]
ON = {"T1": {"T2": "a"}, "T2": {"T1": "a", "T3": "b"}, "T3": {"T2": "b"}}
DEPTH = 10

pytestmark = pytest.mark.slow


def noise(rows=1500, keys=200):
    rng = np.random.default_rng(5)

    def numbers():
        return {f"x{i}": rng.integers(0, 1000, rows) for i in range(3)}

    return {
        "T1": pa.table({"a": rng.integers(0, keys, rows), **numbers(), "class": rng.choice(["no", "yes"], rows)}),
        "T2": pa.table({"a": rng.integers(20, keys, rows), "b": rng.integers(0, keys, rows), **numbers()}),
        "T3": pa.table({"b": rng.integers(0, keys, rows), **numbers()}),
    }


def free_ports(number):
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


class Desk:
    """Configurations of all parties, and the sites' processes with the files that each was started with."""

    def __init__(self, folder, tables, **join):
        self.folder, self.running, self.given = folder, {}, {}
        make_certificates(folder / "keys", [*SITES, "registry"])
        at = {name: f"127.0.0.1:{port}" for name, port in zip(SITES, free_ports(3), strict=True)}
        self.address = at
        for name, table in tables.items():
            pq.write_table(table, folder / f"{name}.parquet")
            self.write(
                f"{name}.toml",
                f'name = "{name}"\nlisten = "{at[name]}"\ncoordinator = "registry"\nstate = "{name}-state"\n',
                f'[table]\nfile = "{name}.parquet"\n' + ('class = "class"\n' if name == "T1" else ""),
                "[policy]\ncertain_classes = 1.0\n" if name == "T1" else "",  # some join values have one class only
                *(f'[neighbours.{o}]\naddress = "{at[o]}"\non = ["{key}"]\n' for o, key in ON[name].items()),
                tls(name),
            )
        self.write(
            "join.toml",
            'name = "registry"\ntarget = "T1"\nedges = [["T1", "T2"], ["T2", "T3"]]\nstate = "registry-state"\n',
            *(f"{key} = {json.dumps(value)}\n" for key, value in join.items()),
            *(f'[sites.{name}]\naddress = "{at[name]}"\n' for name in SITES),
            f"[tree]\nmax_depth = {DEPTH}\nconfidence = 0.0\n",
            tls("registry"),
        )
        self.files = {file: file.read_bytes() for file in folder.iterdir() if file.is_file()}

    def clear(self):
        """Every file as it was at first, and nothing that a coordinator left."""
        for file, content in self.files.items():
            file.write_bytes(content)
        for old in self.folder.glob("tree.json*"):
            old.unlink()
        shutil.rmtree(self.folder / "registry-state", ignore_errors=True)

    def write(self, name, *parts):
        (self.folder / name).write_text("".join(parts))

    def start(self, *names):
        """Have these sites serve what their files say now, and no others."""
        for name in SITES:
            given = [(self.folder / f"{name}.{ending}").read_bytes() for ending in ("toml", "parquet")]
            process = self.running.get(name)
            if name in names and process is not None and process.poll() is None and self.given.get(name) == given:
                continue
            self.end(name)
            if name in names:
                self.running[name], self.given[name] = serve(self.folder, name), given

    def train(self, *options):
        """The coordinator as a process, under way."""
        command = [
            sys.executable,
            "-m",
            "confide",
            "join",
            "train",
            "--config",
            "join.toml",
            "-o",
            "tree.json",
            *options,
        ]
        return subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def reach(self, run, *, level):
        """Wait until a run that is under way has finished so many levels."""
        wait_until(lambda: self.levels() >= level or run.poll() is not None)
        assert run.poll() is None, run.communicate()[1]

    def levels(self):
        file = self.folder / "registry-state" / "run.json"
        return len(json.loads(file.read_text())["levels"]) if file.exists() else 0

    def end(self, name):
        process = self.running.pop(name, None)
        self.given.pop(name, None)
        if process is None:
            return
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.terminate()
        process.wait(LONG)
        process.stderr.close()

    def asked(self, name, kind):
        """How many messages of a kind a site has sent or got so far."""
        file = self.folder / f"{name}-state" / "ledger.jsonl"
        return file.read_text().count(kind) if file.exists() else 0


def tls(name):
    return f'[tls]\nca = "keys/ca.pem"\ncertificate = "keys/{name}.pem"\nkey = "keys/{name}.key"\n'


@pytest.fixture(scope="module")
def tables():
    return noise()


@pytest.fixture(scope="module")
def expected(tables):
    graph = JoinGraph(tables=tables, joins=[("T1.a", "T2.a"), ("T2.b", "T3.b")], target="T1.class")
    return JoinTree(max_depth=DEPTH, confidence=None).fit(graph).tree_


@pytest.fixture(scope="module")
def kept_desk(tmp_path_factory, tables):
    made = Desk(tmp_path_factory.mktemp("desk"), tables, deadline=15)
    yield made
    for name in SITES:
        made.end(name)


@pytest.fixture
def desk(kept_desk):
    kept_desk.clear()
    return kept_desk


def is_expected(folder, expected):
    nodes = json.loads((folder / "tree.json").read_text())["nodes"]
    return [node["counts"] for node in nodes] == [list(node.counts) for node in expected.nodes]


def one_line(process, *, status):
    """How the coordinator ended: the one line it said."""
    _, words = process.communicate(timeout=LONG)
    assert process.returncode == status, words
    assert "Traceback" not in words
    lines = [line for line in words.splitlines() if line and "compiling" not in line]
    assert len(lines) == 1, words
    return lines[0]


def test_a_site_killed_in_the_middle_ends_the_run_and_the_run_resumes(desk, expected):
    desk.start(*SITES)
    before = desk.asked("T1", "intersection-1")
    run = desk.train()
    desk.reach(run, level=2)
    desk.running["T2"].kill()
    assert re.search(r"confide: .*T2", one_line(run, status=3))
    assert 2 <= desk.levels() < DEPTH
    for name in ("T1", "T3"):
        assert desk.running[name].poll() is None, "the others stay up"
    desk.running["T2"].wait()
    desk.start(*SITES)
    again = desk.train("--resume")
    assert again.wait(LONG) == 0, again.stderr.read()
    assert is_expected(desk.folder, expected)
    assert verify(desk.folder / "tree.json.passport.json").ok
    assert desk.asked("T1", "intersection-1") == before + 1, "shared join values were kept"


def test_a_coordinator_killed_in_the_middle_resumes(desk, expected):
    desk.start(*SITES)
    run = desk.train()
    desk.reach(run, level=2)
    run.kill()
    run.communicate()
    again = desk.train("--resume")
    assert again.wait(LONG) == 0, again.stderr.read()
    assert is_expected(desk.folder, expected)


def test_a_site_that_hangs_is_given_up_after_the_deadline(desk):
    desk.start(*SITES)
    run = desk.train()
    desk.reach(run, level=1)
    desk.running["T3"].send_signal(signal.SIGSTOP)
    assert "T3 did not answer within" in one_line(run, status=3)
    desk.running["T3"].send_signal(signal.SIGCONT)


def test_a_site_that_is_not_there_is_named(desk):
    desk.start("T1", "T2")
    assert "T3 does not answer at 127.0.0.1" in one_line(desk.train(), status=3)


def test_a_site_with_a_certificate_of_another_authority_is_not_spoken_to(desk):
    shutil.rmtree(desk.folder / "other", ignore_errors=True)
    make_certificates(desk.folder / "other", [*SITES, "registry"])
    text = (desk.folder / "T3.toml").read_text()
    desk.write("T3.toml", text.replace("keys/", "other/"))
    desk.start(*SITES)
    before = desk.asked("T3", '"kind"')
    assert "T3 does not answer" in one_line(desk.train(), status=3)
    assert desk.asked("T3", '"kind"') == before, "it heard nothing"


def test_a_coordinator_with_a_certificate_of_another_authority_gets_nothing(desk):
    desk.start(*SITES)
    shutil.rmtree(desk.folder / "other", ignore_errors=True)
    make_certificates(desk.folder / "other", ["registry"])
    shutil.copy(desk.folder / "keys" / "ca.pem", desk.folder / "other" / "ca.pem")
    text = (desk.folder / "join.toml").read_text()
    desk.write("join.toml", text.replace("keys/registry", "other/registry"))
    assert "does not answer" in one_line(desk.train(), status=3)


def test_a_site_that_may_not_coordinate_gets_nothing(desk):
    desk.start(*SITES)
    text = (desk.folder / "join.toml").read_text().replace('"registry"', '"T3"').replace("keys/registry", "keys/T3")
    desk.write("join.toml", text)
    assert "takes no orders from T3" in one_line(desk.train(), status=2)


GARBAGE = """
import sys, pyarrow as pa
from pyarrow import flight
from pathlib import Path
keys, address = Path(sys.argv[1]), sys.argv[2]
class Strange(flight.FlightServerBase):
    def do_exchange(self, context, descriptor, reader, writer):
        list(reader)
        writer.begin(pa.schema([("patient", pa.string())], metadata={"verb": "begun", "header": "{}"}))
        writer.write_batch(pa.record_batch({"patient": ["garbage"] * 1000}))
server = Strange(
    f"grpc+tls://{address}", tls_certificates=[((keys / "T3.pem").read_bytes(), (keys / "T3.key").read_bytes())],
    verify_client=True, root_certificates=(keys / "ca.pem").read_bytes())
print("serving at", file=sys.stderr, flush=True)
server.serve()
"""


def test_a_site_that_sends_garbage_ends_the_run(desk):
    desk.start("T1", "T2")
    command = [sys.executable, "-c", GARBAGE, str(desk.folder / "keys"), desk.address["T3"]]
    strange = desk.running["T3"] = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert "serving" in strange.stderr.readline()
    assert "T3 sent no message of the protocol" in one_line(desk.train(), status=3)


def test_a_changed_table_or_question_is_not_resumed(desk, tables):
    desk.start(*SITES)
    run = desk.train()
    desk.reach(run, level=1)
    desk.running["T1"].kill()
    one_line(run, status=3)
    desk.running["T1"].wait()
    pq.write_table(tables["T1"].slice(1), desk.folder / "T1.parquet")
    desk.start(*SITES)
    assert "the table of T1 has changed" in one_line(desk.train("--resume"), status=2)
    text = (desk.folder / "join.toml").read_text()
    desk.write("join.toml", text.replace(f"max_depth = {DEPTH}", "max_depth = 3"))
    assert "other sites or parameters" in one_line(desk.train("--resume"), status=2)


def test_ctrl_c_at_the_coordinator_ends_the_run_at_once_and_it_resumes(desk, expected):
    desk.start(*SITES)
    run = desk.train()
    desk.reach(run, level=1)
    run.send_signal(signal.SIGINT)
    assert "interrupted" in one_line(run, status=130)
    again = desk.train("--resume")
    assert again.wait(LONG) == 0, again.stderr.read()
    assert is_expected(desk.folder, expected)


def test_a_policy_that_forbids_the_run_ends_it_with_status_1(desk):
    text = (desk.folder / "T2.toml").read_text()
    desk.write("T2.toml", text.replace("[tls]", "[policy]\nmin_records = 1000\n[tls]"))
    desk.start(*SITES)
    assert "T2: the policy asks for entries of at least 1000 records" in one_line(desk.train(), status=1)


def test_three_sites_in_three_processes_give_the_tree_of_join_tree(desk, expected):
    desk.start(*SITES)
    done = desk.train()
    assert done.wait(LONG) == 0, done.stderr.read()
    assert is_expected(desk.folder, expected)
    assert verify(desk.folder / "tree.json.passport.json").ok
    own = confide("join", "site", "--config", "T2.toml", "--show-splits", cwd=desk.folder).stdout.splitlines()
    split = {
        number
        for number, node in enumerate(json.loads((desk.folder / "tree.json").read_text())["nodes"])
        if node["site"] == "T2"
    }
    assert {json.loads(line)["node"] for line in own} == split
    assert {json.loads(line)["column"] for line in own} <= {"a", "b", "x0", "x1", "x2"}
    ledger = confide("join", "site", "--config", "T2.toml", "--ledger", cwd=desk.folder).stdout.splitlines()
    assert {json.loads(line).get("kind") for line in ledger} >= {"class-summary", "split-summary", "scores"}
    for process in desk.running.values():
        process.send_signal(signal.SIGINT)
        assert process.wait(LONG) == 0
