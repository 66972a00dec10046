"""Parts that killed processes left are cleared away; parts that are being written, and what is not ours, are not."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.patience import LONG

from confide.core.file_groups import file_group
from confide.core.runtime.unfinished import OLD, UNFINISHED, clear_leftovers, make_part

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")

WAIT = "    print('writing', flush=True)\n    input()\n"
FILE = (
    """
from confide.core.files import atomic_write
with atomic_write("out.csv") as file:
    file.write(b"half")
    file.flush()
"""
    + WAIT
)
GROUP = (
    """
from confide.core.file_groups import file_group
with file_group() as group:
    group.place("out.csv").write_text("half")
    group.place("deep/out.html").write_text("half")
"""
    + WAIT
)
STAGED = (
    """
from pathlib import Path
from confide.core.datasets.manifest import Staging
staging = Staging(Path("out"))
(staging.folder / "part-0.parquet").write_text("half")
if True:
"""
    + WAIT
)
INDEX = """
from confide.search import LocalIndex
def documents():
    yield "a", "tea"
    print("writing", flush=True)
    input()
LocalIndex.build(documents(), "out.sqlite")
"""


def start(code, folder):
    """Run code in a folder, until it has something under way."""
    command = [sys.executable, "-c", code]
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"writing\n"
    return process


def end(process):
    process.kill()
    process.communicate(timeout=LONG)
    assert process.returncode == -signal.SIGKILL


def parts(folder):
    return sorted(path.name for path in folder.rglob(".confide-*"))


@pytest.mark.parametrize("code", [FILE, GROUP, STAGED, INDEX], ids=["file", "group", "staged folder", "index"])
def test_what_kill_9_leaves_is_gone_after_the_next_run(tmp_path, code):
    (tmp_path / "deep").mkdir()
    killed, living = start(code, tmp_path), start(code, tmp_path)
    both = parts(tmp_path)
    end(killed)
    assert parts(tmp_path) == both, "nothing is cleared away before the next run"
    clear_leftovers(tmp_path)
    clear_leftovers(tmp_path / "deep")
    kept = parts(tmp_path)
    assert len(kept) == len(both) / 2, "what another process is writing stays"
    end(living)
    with file_group() as group:  # the next run
        group.place(tmp_path / "next.csv").write_text("whole")
        group.place(tmp_path / "deep" / "next.csv").write_text("whole")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["deep", "next.csv", "next.csv"]


def test_only_names_of_ours_go_and_links_are_not_followed(tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("kept")
    others = [
        ".confide-xyz.part",
        ".confide-0123456789ab.part.txt",
        "confide-0123456789ab.part",
        ".out.0123456789ab.part",
    ]
    for name in others:
        (tmp_path / name).touch()
    (tmp_path / ".confide-0123456789ab.part").symlink_to(precious)
    os.mkfifo(tmp_path / ".confide-0123456789ac.part")
    (tmp_path / ".confide-0123456789ad.part").mkdir()
    (tmp_path / ".confide-0123456789ad.part" / "link").symlink_to(precious)
    (tmp_path / ".confide-0123456789ae.part").touch()
    clear_leftovers(tmp_path)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"precious", *others, ".confide-0123456789ab.part", ".confide-0123456789ac.part"}
    assert (precious / "file").read_text() == "kept"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only the administrator can give a file away")
def test_what_another_user_left_stays(tmp_path):
    part = tmp_path / ".confide-0123456789ab.part"
    part.touch()
    os.chown(part, 12345, 12345)
    clear_leftovers(tmp_path)
    assert part.exists()


def test_a_folder_that_was_about_to_be_replaced_gets_its_name_back(tmp_path):
    """The one moment at which it has none is between two renames; a process killed there leaves this."""
    part = tmp_path / ".confide-0123456789ab.part"
    (part / OLD / "release").mkdir(parents=True)
    (part / OLD / "release" / "rows").write_text("old and whole")
    (part / OLD / "other").mkdir()
    (part / OLD / "page.html").write_text("a second name of what was replaced")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "rows").write_text("new")
    clear_leftovers(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "release"]
    assert (tmp_path / "release" / "rows").read_text() == "old and whole"
    assert (tmp_path / "other" / "rows").read_text() == "new"


@pytest.mark.parametrize("folder", [False, True])
def test_a_part_is_never_cleared_away_while_it_is_made(tmp_path, folder):
    """Threads make parts while others clear the folder without pause: between making and locking lies a moment."""
    over = []

    def clear(_):
        while not over:
            clear_leftovers(tmp_path)

    def make(number):
        with make_part(tmp_path, folder=folder) as path:
            inner = path / "x" if folder else path
            inner.write_text(str(number))
            return inner.read_text() == str(number)

    with ThreadPoolExecutor(4) as pool:
        clearing = [pool.submit(clear, None) for _ in range(2)]
        try:
            assert all(pool.map(make, range(100)))
        finally:
            over.append(True)
        for one in clearing:
            one.result()
    assert list(tmp_path.iterdir()) == []
    assert not [part for part in UNFINISHED if part.parent == tmp_path]
