"""The folder in which a party keeps what a run needs: for its owner's eyes only."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from confide.core.errors import UsageError
from confide.core.runtime.terminal import safe_json

__all__ = ["append_line", "hold_folder", "make_private_folder"]


def make_private_folder(folder: Path, *, own: bool = False) -> Path:
    """Make the folder, if it is not there, so that only its owner can look into it. One that is there stays as it is,
    unless it is our `own`.

    Split lists and shared join values are what the protocol keeps from the others; other users of the machine are
    others too. Files are written for the owner only in any case.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if own and folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
    except OSError as error:
        raise UsageError(f"cannot make the state folder {folder}: {error.strerror}") from None
    return folder


@contextmanager
def hold_folder(folder: Path | None) -> Iterator[bool]:
    """Hold a folder as long as the block takes; whether nobody else, in this or another process, holds it already.

    The system lets go of it when a process ends, however that happens.
    """
    try:
        import fcntl
    except ImportError:  # a system without such locks
        folder = None
    if folder is None:
        yield True
        return
    descriptor = os.open(make_private_folder(folder) / "lock", os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            alone = True
        except OSError:
            alone = False
        yield alone
    finally:
        os.close(descriptor)


def append_line(file: Path, text: str) -> None:
    """Add a line to a file that only its owner can read, also if it was made otherwise; no terminal acts on it."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    if hasattr(os, "fchmod") and os.fstat(descriptor).st_mode & 0o077:
        os.fchmod(descriptor, 0o600)
    with open(descriptor, "a", encoding="utf-8") as lines:
        lines.write(safe_json(text) + "\n")
