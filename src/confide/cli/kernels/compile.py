"""`confide compile`: compile every kernel now, on all cores, instead of each when it is first needed."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import click

from confide.cli.options import note

__all__ = ["compile_kernels"]


@click.command(
    "compile",
    epilog="""\b
Example:
  confide compile
""",
)
def compile_kernels() -> None:
    """Compile every kernel now, on all cores. Without it, each is compiled when it is first needed."""
    import os

    from confide.cli.kernels.groups import GROUPS
    from confide.core.errors import UsageError
    from confide.core.runtime.progress import on_terminal, task

    began = time.perf_counter()
    note("compiling kernels for this machine (once, about a minute)")
    with on_terminal(), task("compiling", total=len(GROUPS)) as step, ThreadPoolExecutor(os.cpu_count() or 1) as pool:

        def one(name: str) -> tuple[str, int]:
            command = [sys.executable, "-m", "confide.cli.kernels.groups", name]
            return name, subprocess.run(command, stderr=subprocess.DEVNULL).returncode

        for name, status in pool.map(one, GROUPS):
            step(1)
            if status:
                raise UsageError(f"compiling {name!r} failed; run: python -m confide.cli.kernels.groups {name!r}")
    note(f"done in {time.perf_counter() - began:.0f} s")
