"""A real cluster of this machine's own: a master, two workers, and drivers in processes of their own.

A worker that is killed costs nothing but time; a driver that is killed leaves no release.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from confide import Coherence, StoredTransactions, verify
from confide.core.samples.quest import quest
from confide.mining import frequent_itemsets
from confide.publish import suppress

if shutil.which("java") is None and "CONFIDE_CI" not in os.environ:
    pytest.skip("Spark needs Java, which is not installed", allow_module_level=True)

LEAST = 60

MINE = """
import json, sys
from confide.core.datasets.choice import using_engine
from confide.mining import frequent_itemsets
with using_engine("spark", spark_master=sys.argv[1]):
    found = frequent_itemsets(sys.argv[2], min_support=int(sys.argv[3]))
print(json.dumps(sorted([sorted(labels), support] for labels, support in found)))
"""

PROMISE = Coherence(h=1.0, k=40, p=2)

PUBLISH = """
import sys
from confide import Coherence
from confide.core.datasets.choice import using_engine
from confide.publish import suppress
with using_engine("spark", spark_master=sys.argv[1]):
    release = suppress(sys.argv[2], Coherence(h=1.0, k=40, p=2), into=sys.argv[3])
    release.write(sys.argv[3])
"""

SUBMITTED = MINE.replace(", spark_master=sys.argv[1]", "")


class Cluster:
    """A master and its workers, each a process; `java` are their process ids, which the shell hands over by exec."""

    def __init__(self, folder: Path):
        import pyspark

        self.home, self.folder = Path(pyspark.__path__[0]), folder
        with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as two:
            self.port, self.web = one.getsockname()[1], two.getsockname()[1]
        self.address = f"spark://127.0.0.1:{self.port}"
        self.master = self._start("master.Master", "--port", str(self.port), "--webui-port", str(self.web))
        self._wait_for("master.Master", "Starting Spark master")
        self.workers = [self._worker(n) for n in (1, 2)]
        self.drivers: list[subprocess.Popen] = []
        for n in (1, 2):
            self._wait_for(f"worker.Worker{n}", "Successfully registered")

    def _start(self, what: str, *arguments: str, name: str = "") -> subprocess.Popen:
        settings = os.environ | {
            "SPARK_HOME": str(self.home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_WORKER_DIR": str(self.folder / f"work{name}"),
            "SPARK_DAEMON_MEMORY": "512m",
            "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        }
        command = [self.home / "bin" / "spark-class", f"org.apache.spark.deploy.{what}", "--host", "127.0.0.1"]
        log = (self.folder / f"{what}{name}.log").open("wb")
        return subprocess.Popen([*command, *arguments], env=settings, stdout=log, stderr=log, start_new_session=True)

    def _worker(self, number: int) -> subprocess.Popen:
        return self._start("worker.Worker", "-c", "1", "-m", "1g", self.address, name=str(number))

    def _wait_for(self, log: str, words: str) -> None:
        for _ in range(600):
            if words in (self.folder / f"{log}.log").read_text():
                return
            time.sleep(0.2)
        raise TimeoutError((self.folder / f"{log}.log").read_text()[-2000:])

    def executors(self, number: int) -> list[Path]:
        """What a worker keeps for the runs it takes part in."""
        return sorted((self.folder / f"work{number}").glob("app-*/*"))

    def kill_worker(self, number: int) -> None:
        """kill -9, executors included: they are in the worker's session, or in sessions of their own."""
        for pid in _children(self.workers[number - 1].pid):
            os.kill(pid, signal.SIGKILL)

    def restart_worker(self, number: int) -> None:
        """A new worker in the place of one that was killed."""
        self.workers[number - 1].wait()
        (self.folder / f"worker.Worker{number}.log").unlink()
        self.workers[number - 1] = self._worker(number)
        self._wait_for(f"worker.Worker{number}", "Successfully registered")

    def stop(self) -> None:
        running = [process for process in self.drivers if process.poll() is None]  # of a test that failed
        for process in (*running, *self.workers, self.master):
            for pid in _children(process.pid):
                os.kill(pid, signal.SIGKILL)
            process.wait()


def _children(pid: int) -> list[int]:
    """A process and all that it started, that are alive."""
    found, rows = [pid], {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parts = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if parts[0] != "Z":
                rows.setdefault(int(parts[1]), []).append(int(entry.name))
    for one in found:
        found.extend(rows.get(one, ()))
    return [one for one in found if Path(f"/proc/{one}").exists()]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    yield made
    made.stop()


@pytest.fixture(scope="module")
def baskets(tmp_path_factory):
    folder = tmp_path_factory.mktemp("baskets")
    whole = quest("T10I4D20K", seed=3)
    for part, rows in enumerate(np.array_split(np.arange(len(whole)), 24)):
        whole.take(rows).write(folder / f"{part:02}.parquet")
    meant = sorted([sorted(labels), support] for labels, support in frequent_itemsets(whole, min_support=LEAST))
    return folder, meant


def driver(cluster, folder, *more, script=MINE):
    started = subprocess.Popen(
        [sys.executable, "-c", script, cluster.address, folder, *(more or (str(LEAST),))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    cluster.drivers.append(started)
    return started


def test_a_cluster_gives_what_memory_gives_though_a_worker_is_killed_meanwhile(cluster, baskets):
    folder, meant = baskets
    assert len(meant) > 500
    before = cluster.executors(1)
    running = driver(cluster, folder)
    for _ in range(1500):  # until the first worker takes part in this run
        if len(cluster.executors(1)) > len(before):
            break
        assert running.poll() is None, running.stderr.read()[-2000:]
        time.sleep(0.05)
    time.sleep(1.5)
    cluster.kill_worker(1)
    out, err = running.communicate(timeout=300)
    assert json.loads(out) == meant, err[-2000:]


def wait_for_parts(running, folder):
    """Until a run writes parts, which have no name yet."""
    until = time.monotonic() + 300
    while not list(folder.glob(".confide-*.part/.run*")):
        assert running.poll() is None, running.stderr.read()[-2000:]
        assert time.monotonic() < until, "no part was written"
        time.sleep(0.01)


def test_a_release_survives_a_killed_worker_and_not_a_killed_driver(cluster, baskets, tmp_path):
    folder, _ = baskets
    if cluster.workers[0].poll() is not None:  # by the test before
        cluster.restart_worker(1)
    meant = suppress(StoredTransactions.open(folder).to_transactions(), PROMISE)

    running = driver(cluster, folder, tmp_path / "out", script=PUBLISH)
    wait_for_parts(running, tmp_path)
    for pid in _children(running.pid):
        os.kill(pid, signal.SIGKILL)
    running.wait()
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == []

    (tmp_path / "second").mkdir()
    running = driver(cluster, folder, tmp_path / "second" / "out", script=PUBLISH)
    wait_for_parts(running, tmp_path / "second")
    cluster.kill_worker(1)
    _, err = running.communicate(timeout=300)
    assert running.returncode == 0, err[-2000:]
    assert verify(tmp_path / "second" / "out.passport.json").ok
    released = StoredTransactions.open(tmp_path / "second" / "out").to_transactions()
    assert sorted(map(tuple, released)) == sorted(map(tuple, meant.data))
    assert {path.name for path in (tmp_path / "second").iterdir()} == {"out", "out.passport.json"}


def test_a_script_under_spark_submit_uses_its_session(cluster, baskets, tmp_path):
    folder, meant = baskets
    (tmp_path / "script.py").write_text(SUBMITTED)
    settings = os.environ | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    submit = [cluster.home / "bin" / "spark-submit", "--master", cluster.address, "--conf", "spark.ui.enabled=false"]
    arguments = [tmp_path / "script.py", "ignored", folder, str(LEAST)]
    done = subprocess.run(
        [*submit, *arguments], capture_output=True, text=True, env=settings | {"SPARK_HOME": str(cluster.home)}
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout) == meant


def test_a_master_that_does_not_answer_is_one_line(baskets):
    done = subprocess.run(
        [sys.executable, "-c", MINE, "spark://127.0.0.1:9", baskets[0], "60"], capture_output=True, text=True
    )
    assert "UnreachableError: no Spark master answers at spark://127.0.0.1:9" in done.stderr
