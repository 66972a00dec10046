"""Traces real commands and writes which files they enter, in order, into CONTRIBUTING: `python tools/flows.py`.

Each flow is run in this process on invented data. A file is entered when a function in it is first called; running a
module's own text when it is imported does not count, nor do kernels, whose compiled code no trace sees. Files of
one folder that follow each other stand together. A test runs the same traces and compares the page with them.
"""

import contextlib
import inspect
import io
import os
import shlex
import sys
import tempfile
import threading
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from textwrap import fill
from types import FrameType
from typing import Any

__all__ = ["FLOWS", "PAGE", "chain_text", "page_with", "trace_flows"]

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src" / "confide"
PAGE = ROOT / "CONTRIBUTING.md"
os.environ.setdefault("CONFIDE_KERNELS", "compiled")  # as in the tests, whatever is compiled here already
CARRIED = "core/carried/wheel.py"  # entered only where a kernel is not on disk yet: not the same everywhere
BEGIN, END = "<!-- written by tools/flows.py: begin -->", "<!-- end -->"

# What a flow needs, then the command that is traced.
FLOWS: dict[str, tuple[tuple[str, ...], str]] = {
    "itemsets": (("sample baskets -o b.csv --records 300",), "mine itemsets b.csv --min-support 5% -o sets.csv"),
    "transactions": ((), "publish transactions b.csv -o p.csv --k 3 --h 0.8 --p 1 --private-prefix s:"),
    "table": (
        ("sample people -o r.csv --rows 300",),
        "publish table r.csv --schema r.schema.toml --k 5 --method mondrian -o t.csv",
    ),
    "verify": ((), "verify t.csv.passport.json"),
    "attack": ((), "attack table r.csv --schema r.schema.toml --release t.csv"),
    "collect": (
        (
            "collect plan --gamma 19 --values sex=female,male -o s.json",
            "collect perturb r.csv --columns sex --scheme s.json -o n.csv",
        ),
        "collect mine n.csv --scheme s.json --min-support 10%",
    ),
    "share": (
        ("share domains r.csv --class diagnosis --leave-out id --leave-out name -o d.toml",),
        "share train r.csv --domains d.toml --k 5 -o tree.json",
    ),
    "join": (("sample chain chain",), "join simulate chain/join.toml -o j.json"),
    "stream": (
        ("sample baskets -o w.jsonl --records 600",),
        "stream release w.jsonl -o run.jsonl --min-support 25 --window 400 --seed 1",
    ),
    "search": (
        ("sample documents notes --texts 60", "search profile build --documents notes -o me.profile"),
        "search profile expose me.profile --min-detail 5%",
    ),
}


def trace_flows() -> dict[str, list[str]]:
    """The files that each flow enters, relative to the package, in the order in which they are first entered."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        entered = {}
        for name, (before, command) in FLOWS.items():
            for words in before:
                _run(words)
            with _tracing() as files:
                _run(command)
            entered[name] = files
    return entered


def _run(words: str) -> None:
    from confide.cli.root import confide

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            confide.main(shlex.split(words), prog_name="confide", standalone_mode=False)
        except Exception as error:
            raise RuntimeError(f"confide {words}: {error}; {said.getvalue()[-300:]}") from error


@contextlib.contextmanager
def _tracing() -> Iterator[list[str]]:
    """Note, in every thread, each file of the package in which a function is called for the first time."""
    files: dict[str, None] = {}
    prefix = f"{SRC}{os.sep}"

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        is_function = code.co_flags & inspect.CO_OPTIMIZED  # neither a module's text nor a class's
        if event == "call" and is_function and code.co_filename.startswith(prefix):
            files.setdefault(Path(code.co_filename).relative_to(SRC).as_posix())

    entered: list[str] = []
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield entered
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
        entered += [name for name in files if "kernels" not in name and name != CARRIED]


def chain_text(entered: dict[str, list[str]]) -> str:
    """The section of CONTRIBUTING: the files of each flow in order, those of one folder together."""
    parts = []
    for name, files in entered.items():
        steps = []
        for folder, group in groupby(files, key=os.path.dirname):
            names = ", ".join(os.path.basename(file).removesuffix(".py") for file in group)
            steps.append(f"`{folder or '.'}/` {names}")
        parts.append(f"**`confide {FLOWS[name][1]}`**, {len(files)} files:\n\n{'; '.join(steps)}.\n")
    return "\n".join(
        fill(part, 140, break_long_words=False, break_on_hyphens=False) if part.startswith("`") else part
        for text in parts
        for part in text.split("\n")
    )


def page_with(section: str, page: str) -> str:
    """The page with its traced section replaced."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{section}\n{END}{after}"


if __name__ == "__main__":
    traced = trace_flows()
    PAGE.write_text(page_with(chain_text(traced), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    for flow, entered_files in traced.items():
        print(f"{flow:<14}{len(entered_files):>5} files")
