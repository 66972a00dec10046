"""The traced chains of files in CONTRIBUTING are what the commands enter now."""

import json
import re
import subprocess
import sys
from pathlib import Path

from tests.patience import LONG

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from flows import BEGIN, END, FLOWS, PAGE, chain_text  # noqa: E402 - tools are no package


def test_the_traced_chains_are_fresh():
    """In a process of its own: what other tests have imported or cached would be missing from the trace."""
    code = "import json, flows; print(json.dumps(flows.trace_flows()))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT / "tools", capture_output=True, text=True, timeout=10 * LONG, check=True)
    section = PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    traced = json.loads(done.stdout.splitlines()[-1])
    assert list(traced) == list(FLOWS)
    # Threads enter files in an order of their own, so the files are compared, and not their order.
    assert files_in(section) == files_in(chain_text(traced)), "write it again: python tools/flows.py"


def files_in(section):
    """The files of each flow, by the command that begins its paragraph."""
    flows = {}
    for part in re.split(r"^\*\*`", section, flags=re.MULTILINE)[1:]:
        command, _, steps = part.partition("`**")
        steps = " ".join(steps.partition(":")[2].split()).removesuffix(".").split("; ")
        flows[command] = {f"{folder}{name}" for step in steps for folder, name in split_step(step)}
    return flows


def split_step(step):
    folder, _, names = step.partition(" ")
    return [(folder.strip("`"), name) for name in names.split(", ")]
