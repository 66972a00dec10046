"""The command `confide` in a test: in this process, or in one of its own as a user starts it.

Another process imports and loads all it needs anew, which takes seconds: only tests about processes start one.
"""

import contextlib
import io
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from confide.cli import main

__all__ = ["Done", "confide", "confide_process"]


@dataclass(frozen=True)
class Done:
    """How a command ended, under the names that `subprocess` has for it."""

    returncode: int
    stdout: str
    stderr: str


def confide(*arguments: object, cwd: Path) -> Done:
    """`confide ARGUMENTS` in the folder `cwd`, in this process."""
    out, err = io.StringIO(), io.StringIO()
    status = 0
    with (
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        patch.object(sys, "argv", ["confide", *map(str, arguments)]),
    ):
        try:
            main()
        except SystemExit as ended:
            assert isinstance(ended.code, int)
            status = ended.code
    return Done(status, out.getvalue(), err.getvalue())


def confide_process(*arguments: object, cwd: Path) -> Done:
    """`confide ARGUMENTS` in the folder `cwd`, in a process of its own."""
    command = [sys.executable, "-m", "confide", *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=600)
    return Done(done.returncode, done.stdout, done.stderr)
