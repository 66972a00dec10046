"""What a key was used for: beside the key, FILE.stream keeps which promise its noise was drawn for, and a digest of
every block it was drawn for.

A state knows the blocks of its window. Without one, or with another one, a run over other records would meet block
numbers again under the same noise: two such runs, subtracted, show the difference of their records. And a second
promise over the same records is a second reading: the two average out. Both are refused.

    the promise, as one line of JSON        then, for each block as it is completed:  number, 8 bytes | digest, 16 bytes

Blocks are added before their noise leaves, whole, under a lock: runs of one key at the same time see each other's. A
run that releases nothing leaves nothing.
"""

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from confide.core.errors import InputError, UsageError
from confide.core.json_text import canonical_json, read_json

__all__ = ["UsedBlocks"]

_KIND, _VERSION = "blocks of a key", 1
_BLOCK = np.dtype([("number", "<i8"), ("digest", "V16")])
_LONGEST_LINE = 1 << 12
_AT_ONCE = 1 << 24


class UsedBlocks:
    """The blocks that a key file was used for, under `promise`: plain values that decide the noise.

    With `optional` (there is a state), a folder that cannot be written to is no reason to stop.
    """

    def __init__(self, key_file: Path, promise: Mapping[str, Any], *, optional: bool):
        self.path, self._promise = key_file.with_name(f"{key_file.name}.stream"), dict(promise)
        self._optional = optional
        self._numbers, self._digests = np.zeros(0, dtype=np.int64), np.zeros(0, dtype="V16")
        self._added: dict[int, bytes] = {}  # by runs that go on at the same time
        self._waiting: list[tuple[int, bytes]] = []  # blocks of which nothing has left
        self._read_to = 0
        self._file: int | None = None
        if os.path.lexists(self.path):
            self._open(0)

    def check(self, number: int, digest: str) -> None:
        """See that a complete block held the same records before, if it was used; InputError otherwise. A run asks for
        ascending numbers."""
        found = bytes.fromhex(digest)
        known = self._known(number)
        if known is None:
            self._waiting.append((number, found))
        elif known != found:
            raise self._other_records(number)

    def keep(self, *, sync: bool) -> None:
        """Keep the digests of all blocks that were checked: their noise is about to leave."""
        if self._waiting and self._file is None:
            self._open(os.O_CREAT)
        if not self._waiting or self._file is None:
            return
        with _lock(self._file):
            self._read_new()
            known = {number: self._known(number) for number, _ in self._waiting}
            for number, found in self._waiting:
                if known[number] not in (None, found):
                    raise self._other_records(number)
            fresh = np.array([x for x in self._waiting if known[x[0]] is None], dtype=_BLOCK).tobytes()
            os.pwrite(self._file, fresh, self._read_to)
            self._read_to += len(fresh)
        self._waiting = []
        if sync:
            os.fsync(self._file)

    def find_again(self, first: int, digests: Sequence[str]) -> int | None:
        """Find neighbouring blocks with these digests among those the key was used for before this run; return the
        number of the first one, None if there are none, or if they are blocks `first` and on themselves."""
        wanted = [bytes.fromhex(digest) for digest in digests]
        for number in self._numbers[self._digests == np.array(wanted[:1], dtype="V16")].tolist():
            if number != first and all(self._known(number + i) == digest for i, digest in enumerate(wanted)):
                return int(number)
        return None

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _other_records(self, number: int) -> InputError:
        return InputError(
            f"block {number} held other records when this key was used before, and noise used twice cancels: a key "
            "is for one stream; give the same records, another key file, or the state that this stream goes on from",
            source=self.path.with_suffix(""),
        )

    # -- the file ---------------------------------------------------------------------------------------------------

    def _open(self, create: int) -> None:
        """Open the file, and take up what it holds; with os.O_CREAT, begin it where there is none."""
        try:
            flags = os.O_RDWR | create | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
            self._file = os.open(self.path, flags | getattr(os, "O_NONBLOCK", 0), 0o600)
        except OSError as error:
            if self._optional:
                return
            raise UsageError(
                f"cannot write {self.path}, which says what the key beside it was used for: {error.strerror}; name a "
                "key in a folder of yours"
            ) from None
        try:
            if not stat.S_ISREG(os.fstat(self._file).st_mode):
                raise InputError("is not a regular file", source=self.path)
            with _lock(self._file):
                empty = not os.fstat(self._file).st_size
                if empty and not create:  # it is being made
                    self.close()
                    return
                if empty:
                    line = canonical_json({"confide": _KIND, "version": _VERSION, **self._promise}) + "\n"
                    os.pwrite(self._file, line.encode(), 0)
                self._check_promise()
                stored = np.concatenate([np.zeros(0, dtype=_BLOCK), *self._stored()])
        except BaseException:
            self.close()
            raise
        order = np.argsort(stored["number"], kind="stable")
        self._numbers, self._digests = stored["number"][order], stored["digest"][order]

    def _check_promise(self) -> None:
        """Read the first line; InputError where it is of another promise."""
        assert self._file is not None
        line = os.pread(self._file, _LONGEST_LINE, 0).partition(b"\n")[0]
        found = read_json(line, what="what a key was used for", source=self.path)
        wanted = {"confide": _KIND, "version": _VERSION, **self._promise}
        if not isinstance(found, dict) or any(found.get(x) != wanted[x] for x in ("confide", "version")):
            raise InputError("does not say what the key beside it was used for; restore it", source=self.path)
        other = sorted(x for x in {*found, *wanted} if found.get(x) != wanted.get(x))
        if other:
            was = ", ".join(f"{name}={found.get(name)}" for name in other)
            raise InputError(
                f"this key's noise was drawn for another promise ({was}), and a second reading of the same records "
                f"averages out with the first: give that promise again; if nothing of it left, delete {self.path.name}",
                source=self.path.with_suffix(""),
            )
        self._read_to = len(line) + 1

    def _stored(self) -> Iterator["np.ndarray[Any, Any]"]:
        """All whole blocks from where reading has come to; a last one that a crash cut off is written over."""
        assert self._file is not None
        size = os.fstat(self._file).st_size
        while size - self._read_to >= _BLOCK.itemsize:
            whole = min(size - self._read_to, _AT_ONCE) // _BLOCK.itemsize * _BLOCK.itemsize
            part = os.pread(self._file, whole, self._read_to)
            part = part[: len(part) // _BLOCK.itemsize * _BLOCK.itemsize]
            if not part:
                return
            self._read_to += len(part)
            yield np.frombuffer(part, dtype=_BLOCK)

    def _read_new(self) -> None:
        """Take up what other runs have added."""
        for part in self._stored():
            self._added.update((int(number), bytes(digest)) for number, digest in part.tolist())

    def _known(self, number: int) -> bytes | None:
        if number in self._added:
            return self._added[number]
        at = int(np.searchsorted(self._numbers, number))
        return bytes(self._digests[at]) if at < len(self._numbers) and self._numbers[at] == number else None


@contextmanager
def _lock(descriptor: int) -> Iterator[None]:
    """Hold a file for a moment; no lock where the system has none."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        with suppress(OSError):  # closed meanwhile, which lets go of it
            fcntl.flock(descriptor, fcntl.LOCK_UN)
