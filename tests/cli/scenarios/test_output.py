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


def test_text_is_read_as_it_is_said_to_be(tmp_path):
    (tmp_path / "b.csv").write_bytes("Tee; grün\nNuß\nTee; grün\n".encode("latin-1"))
    done = run(
        "mine", "itemsets", "b.csv", "-s", "2", "--delimiter", "semicolon", "--encoding", "latin-1", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert '{"items": ["Tee", "grün"], "support": 2}' in done.stdout
    wrong = run("mine", "itemsets", "b.csv", "-s", "2", "--delimiter", "pipe", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "comma, semicolon, tab" in wrong.stderr
    unknown = run("mine", "itemsets", "b.csv", "-s", "2", "--encoding", "klingon", cwd=tmp_path)
    assert "no encoding is called 'klingon'" in unknown.stderr


def test_records_may_come_by_standard_input(tmp_path):
    command = f"printf 'tea,nuts\\ntea\\n' | {sys.executable} -m confide mine itemsets - -s 2"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == '{"items": ["tea"], "support": 2}\n', done.stderr
