"""Progress on a terminal: after a while, whatever works; nothing where it is quick, or nobody looks."""

import os
import pty
import subprocess
import sys

import pytest
from tests.patience import LONG

WORK = """
import sys, time
from confide.core.runtime import progress
progress.AFTER = float(sys.argv[1])
with progress.on_terminal():
    if sys.argv[2] == "task":
        with progress.task("mining", total=100) as step:
            step(50)
            time.sleep(0.6)
    else:
        time.sleep(float(sys.argv[2]))
print("done", file=sys.stderr)
"""


def seen(*arguments: str) -> str:
    """What stands on the terminal that is the standard error of a process."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80"}
    command = [sys.executable, "-c", WORK, *arguments]
    process = subprocess.Popen(command, stderr=theirs, stdout=subprocess.DEVNULL, env=environment)
    os.close(theirs)
    text = b""
    try:
        while part := os.read(ours, 4096):
            text += part
    except OSError:  # the other end was closed
        pass
    os.close(ours)
    assert process.wait(timeout=LONG) == 0
    return text.decode()


@pytest.mark.parametrize(("work", "word"), [("0.6", "working"), ("task", "mining")])
def test_what_takes_a_while_is_seen_to_be_at_work(work, word):
    text = seen("0.1", work)
    assert word in text
    assert ("50%" in text) == (word == "mining")
    assert text.endswith("done\r\n")
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")  # the cursor is back


def test_what_is_quick_shows_nothing():
    assert seen("100", "0") == "done\r\n"
