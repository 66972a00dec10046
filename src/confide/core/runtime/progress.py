"""Progress of long work: silent by default, a callback for libraries, a bar on a terminal.

with task("mining", total=100) as step:      inside a stage
    step(10)

with reporting(callback): ...                a library hears (label, done, total)
with on_terminal(): ...                      the command line shows a bar when stderr is a terminal
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["Callback", "on_terminal", "reporting", "task"]

Callback = Callable[[str, float, float | None], None]
"""Called with (label, work done so far, total or None when unknown). `done == total` closes a task."""

_listener: ContextVar[Callback | None] = ContextVar("confide_progress", default=None)


@contextmanager
def reporting(callback: Callback) -> Iterator[None]:
    """Send the progress of everything in this block to `callback`."""
    token = _listener.set(callback)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def task(label: str, *, total: float | None = None) -> Iterator[Callable[[float], None]]:
    """Announce a piece of work; call what it yields with the amount done since the last call."""
    listener = _listener.get()
    if listener is None:
        yield lambda amount: None
        return
    done = 0.0
    listener(label, 0.0, total)

    def step(amount: float) -> None:
        nonlocal done
        done += amount
        listener(label, done, total)

    yield step
    end = done if total is None else total
    listener(label, end, end)


@contextmanager
def on_terminal() -> Iterator[None]:
    """Show a bar per task on stderr if that is a terminal; else stay silent."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
    )
    bars: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:

        def show(label: str, done: float, total: float | None) -> None:
            if label not in bars:
                bars[label] = progress.add_task(label, total=total)
            progress.update(bars[label], completed=done, total=total)

        with reporting(show):
            yield
