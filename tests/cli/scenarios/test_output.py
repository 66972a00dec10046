"""What leaves the command: readers who leave early, full disks, quiet runs, labels that act on a terminal."""

import subprocess
import sys

import pytest

from confide import Transactions


def run(*arguments, cwd, shell_end=""):
    command = f"{sys.executable} -m confide {' '.join(map(str, arguments))} {shell_end}"
    return subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], cwd=cwd, capture_output=True, text=True)


@pytest.fixture
def desk(tmp_path):
    rows = [[f"i{n % 90}", f"j{n % 70}", f"k{n}"] for n in range(4000)]
    Transactions.from_lists(rows).write(tmp_path / "b.csv", format="basket")
    return tmp_path


def test_a_reader_who_leaves_is_not_a_broken_promise(desk):
    done = run("mine", "itemsets", "b.csv", "-s", "1", cwd=desk, shell_end="| head -1")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


def test_a_full_disk_is_one_line(desk):
    done = run("mine", "itemsets", "b.csv", "-s", "30", cwd=desk, shell_end="> /dev/full")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "confide: cannot write the output: No space left on device"
    assert "Traceback" not in done.stderr


def test_quiet_says_nothing_but_the_data(desk):
    done = run("-q", "mine", "itemsets", "b.csv", "-s", "50", cwd=desk)
    assert done.returncode == 0
    assert done.stdout
    assert [line for line in done.stderr.splitlines() if "compiling" not in line] == []


def test_labels_do_not_act_on_the_terminal(tmp_path):
    Transactions.from_lists([["tea\x1b[2J", "x\x9by"]] * 3).write(tmp_path / "b.jsonl")
    for form in ("--json", "--table"):
        done = run("mine", "itemsets", "b.jsonl", "-s", "1", form, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "\x1b[2J" not in done.stdout
        assert "\x9b" not in done.stdout
    (tmp_path / "evil\x1b[2J.csv").write_text("")
    done = run("verify", "'evil\x1b[2J.csv'", cwd=tmp_path)
    assert "\x1b" not in done.stderr
