"""Progress of long work: silent by default, a callback for libraries, a bar on a terminal.

with task("mining", total=100) as step:      inside a stage
    step(10)

with reporting(callback): ...                a library hears (label, done, total)
with on_terminal(): ...                      the command line shows a bar when stderr is a terminal
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["Callback", "on_terminal", "reporting", "task"]

Callback = Callable[[str, float, float | None], None]
"""Called with (label, work done so far, total or None when unknown). `done == total` closes a task."""

AFTER = 2.0  # seconds before anything is shown: most commands are done by then

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
    """Show a bar per task on stderr if that is a terminal, and work has taken two seconds; else stay silent.

    What announces no task, in whatever engine it runs, is seen to be at work all the same.
    """
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    bars: dict[str, TaskID] = {}
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    working = progress.add_task("working", total=None)
    begun, ended = threading.Lock(), threading.Event()

    def begin() -> None:
        with begun:
            if not ended.is_set():
                progress.start()

    def show(label: str, done: float, total: float | None) -> None:
        if label not in bars:
            bars[label] = progress.add_task(label, total=total)
        progress.update(bars[label], completed=done, total=total)
        progress.update(working, visible=all(progress.tasks[bar].finished for bar in bars.values()))

    timer = threading.Timer(AFTER, begin)
    timer.daemon = True
    timer.start()
    try:
        with reporting(show):
            yield
    finally:
        ended.set()
        timer.cancel()
        with begun:
            progress.stop()
