"""Ctrl-C answered within a second, whatever runs.

Python hands an interrupt to the main thread, and only between two of its own steps: while that thread is in a kernel,
or waits for threads that are, nothing happens. The system's signal itself arrives at once and writes a byte where
another thread waits for it. That thread gives the main one a moment to end by itself, and then ends the process: files
under way are removed first, finished ones are whole.

Services end in their own time: where a command has taken over the signal, this one stays out of it. So it does where
the signal ended a search, whose best answer is then released.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from confide.core.runtime.threads import searches_stopped

__all__ = ["INTERRUPTED", "STATUS", "answering_interrupts", "leave"]

INTERRUPTED = "confide: interrupted; no file was left half-written"
STATUS = 130
_PATIENCE = 0.6  # seconds for the main thread to end by itself


@contextmanager
def answering_interrupts() -> Iterator[None]:
    """In this block, end the process within a second of Ctrl-C. For the main thread; what was set before comes back."""
    heard, sent = os.pipe()
    os.set_blocking(sent, False)
    before = signal.set_wakeup_fd(sent, warn_on_full_buffer=False)
    waiting = threading.Thread(target=_wait, args=(heard,), daemon=True, name="confide-interrupts")
    waiting.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(sent)  # the thread reads its end, and ends
        waiting.join(_PATIENCE)


def _wait(heard: int) -> None:
    interrupts, before = 0, searches_stopped()
    while number := os.read(heard, 1):
        if number[0] == signal.SIGINT and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            interrupts += 1
            time.sleep(_PATIENCE)
            if searches_stopped() - before < interrupts:
                _end()
    os.close(heard)


def _end() -> None:
    with suppress(OSError, ValueError):
        print(INTERRUPTED, file=sys.stderr, flush=True)
    leave()


def leave() -> NoReturn:
    """End without waiting for threads that are in a kernel."""
    from confide.core.runtime.unfinished import UNFINISHED, remove_folder

    for part in list(UNFINISHED):
        with suppress(OSError):
            remove_folder(part) if part.is_dir() else part.unlink()
    os._exit(STATUS)
