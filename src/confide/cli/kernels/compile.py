"""`confide compile`: compile every kernel now, on all cores, instead of each when it is first needed."""

import subprocess
import sys
import time

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
    from confide.cli.kernels.groups import all_groups
    from confide.core.errors import UsageError
    from confide.core.runtime.progress import on_terminal, task
    from confide.core.runtime.threads import in_threads

    began = time.perf_counter()
    note("compiling kernels for this machine (once, about a minute)")
    groups = all_groups()

    def one(name: str) -> None:
        command = [sys.executable, "-m", "confide.cli.kernels.groups", name]
        if subprocess.run(command, stderr=subprocess.DEVNULL).returncode:
            raise UsageError(f"compiling {name!r} failed; run: python -m confide.cli.kernels.groups {name!r}")

    with on_terminal(), task("compiling", total=len(groups)) as step:
        in_threads(one, groups, step=step)
    note(f"done in {time.perf_counter() - began:.0f} s")
