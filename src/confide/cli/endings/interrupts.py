"""Ctrl-C answered within a second, whatever runs.

Python hands an interrupt to the main thread, and only between two of its own steps: while that thread is in a kernel,
or waits for threads that are, nothing happens. The system's signal itself arrives at once and writes a byte where
another thread waits for it. That thread gives the main one a moment to end by itself, and then ends the process: files
under way are removed first, finished ones are whole.

Services end in their own time: where a command has taken over the signal, this one stays out of it.
"""

import os
import shutil
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import NoReturn

__all__ = ["INTERRUPTED", "STATUS", "answer_interrupts", "leave"]

INTERRUPTED = "confide: interrupted; no file was left half-written"
STATUS = 130
_PATIENCE = 0.6  # seconds for the main thread to end by itself


def answer_interrupts() -> None:
    """From now on, end this process within a second of Ctrl-C. To be called in the main thread, once."""
    heard, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    threading.Thread(target=_wait, args=(heard,), daemon=True, name="confide-interrupts").start()


def _wait(heard: int) -> None:
    while number := os.read(heard, 1):
        if number[0] == signal.SIGINT and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            time.sleep(_PATIENCE)
            _end()


def _end() -> None:
    with suppress(OSError, ValueError):
        print(INTERRUPTED, file=sys.stderr, flush=True)
    leave()


def leave() -> NoReturn:
    """End without waiting for threads that are in a kernel."""
    from confide.core.files import UNFINISHED

    for part in list(UNFINISHED):
        with suppress(OSError):
            shutil.rmtree(part) if part.is_dir() else part.unlink()
    os._exit(STATUS)
