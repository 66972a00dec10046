"""What is being written, under a hidden name until it is whole: a part, and what killed processes left of theirs.

A part is a file or a folder `.confide-RANDOM.part` beside its target. Its writer holds a lock on it, which the system
ends with the process, however that ends. So a part that nobody has locked was left behind, and one that another process
still writes is never taken for such. The first part that a process makes in a folder clears away what was left there:

    our name, our own user, a file or a folder, nobody's lock   -->   removed
    in it, a folder that was about to be replaced               -->   first put back, if nothing stands in its place
"""

import os
import re
import secrets
import shutil
import stat
from contextlib import suppress
from pathlib import Path

__all__ = ["OLD", "UNFINISHED", "PartFile", "clear_leftovers", "make_part", "remove_folder"]

OLD = "old"
"""Within a part that is a folder: the folder that holds what its files replace, so that it can be put back."""

UNFINISHED: set[Path] = set()
"""Parts that this process is writing now."""

_NAME = re.compile(r"\.confide-[0-9a-f]{12}\.part")
_CLEARED: set[str] = set()


class PartFile:
    """A part and its lock. `path` is there until it is moved to its name, or dropped; a `with` block drops it."""

    def __init__(self, path: Path, lock: int | None):
        self.path = path
        self._lock = lock
        UNFINISHED.add(path)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.drop()

    def drop(self) -> None:
        """Remove what is still there of it, and let go of the lock; no harm if it was moved, or dropped before."""
        with suppress(OSError):
            remove_folder(self.path) if self.path.is_dir() else self.path.unlink(missing_ok=True)
        UNFINISHED.discard(self.path)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def make_part(home: Path, *, folder: bool = False, private: bool = False) -> PartFile:
    """Make an empty file, or a folder, in the folder `home`; a `private` file can be read by its owner only."""
    if (place := os.path.abspath(home)) not in _CLEARED:
        clear_leftovers(home)
        _CLEARED.add(place)
    while True:
        path = home / f".confide-{secrets.token_hex(6)}.part"
        if folder:
            path.mkdir(mode=0o700)
        else:
            # O_EXCL with mode 666: the user's umask decides, as for any file the user makes.
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666))
        try:
            return PartFile(path, _lock(path))
        except (FileNotFoundError, BlockingIOError):  # somebody clears it away just now: leave it, and make another
            with suppress(OSError):
                path.rmdir() if folder else path.unlink()
        except OSError:  # a file system without such locks: nobody can lock it to clear it away either
            return PartFile(path, None)


def clear_leftovers(folder: Path) -> None:
    """Remove the parts that processes of this user left in a folder when they were killed."""
    if not hasattr(os, "geteuid"):
        return  # without such locks nobody can tell what is in use
    with suppress(OSError), os.scandir(folder) as entries:
        names = [entry.name for entry in entries if _NAME.fullmatch(entry.name)]
        for name in names:
            with suppress(OSError):  # in use, or somebody else's
                _clear(folder / name)


def _clear(path: Path) -> None:
    found = os.lstat(path)
    whole = stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)
    if not whole or found.st_uid != os.geteuid():
        return
    lock = _lock(path)
    try:
        if path.is_dir():
            _put_back(path)
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()
    finally:
        if lock is not None:
            os.close(lock)


def _put_back(part: Path) -> None:
    """A kill between two renames leaves the folder that was to be replaced without its name."""
    kept = part / OLD
    for old in list(kept.iterdir()) if kept.is_dir() else []:
        target = part.parent / old.name
        if old.is_dir() and not old.is_symlink() and not os.path.lexists(target):
            os.rename(old, target)


def _lock(path: Path) -> int | None:
    """Lock a file or folder; BlockingIOError if somebody else has, FileNotFoundError if it is gone.

    None on systems that have no such locks, where nothing is ever cleared away either.
    """
    try:
        import fcntl
    except ImportError:
        return None
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(descriptor), os.lstat(path)):
            raise FileNotFoundError(path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def remove_folder(folder: Path) -> None:
    """Remove a folder in which threads may still write: under its name nothing can be made once it has another."""
    gone = folder.with_name(f".confide-{secrets.token_hex(6)}.part")
    try:
        os.rename(folder, gone)
    except OSError:
        gone = folder
    shutil.rmtree(gone, ignore_errors=True)
