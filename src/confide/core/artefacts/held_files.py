"""A file that one process at a time works on."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from confide.core.errors import UsageError

__all__ = ["hold_file"]


@contextmanager
def hold_file(path: Path, *, by: str = "another run") -> Iterator[None]:
    """Hold a file that is replaced again and again: two processes that each change it would undo each other's work.

    The lock is a file beside it, since the file itself is replaced. The system lets go of it when a process ends,
    however that happens; the file is removed at a clean end.
    """
    try:
        import fcntl
    except ImportError:  # a system without such locks
        yield
        return
    if not path.parent.is_dir():
        raise UsageError(f"the folder {path.parent} does not exist; make it first")
    lock = path.with_name(f".{path.name}.lock")
    try:
        descriptor = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise UsageError(f"cannot write beside {path}: {error.strerror}") from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            ours = os.path.samestat(os.fstat(descriptor), lock.stat())  # not one that its holder has just removed
        except OSError:
            ours = False
        if not ours:
            raise UsageError(f"{path} is in use by {by}; wait until that ends")
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)
    finally:
        os.close(descriptor)
