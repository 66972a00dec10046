"""Which stream a key is for: beside the key, FILE.stream keeps a digest of the first block that its noise was used for.

A state says which records the blocks of a window held. Without one, a run over other records would begin at the same
block numbers, under the same noise: two such runs, subtracted, show the difference of their records.
"""

import os
from pathlib import Path

from confide.core.errors import ConfideError, InputError
from confide.core.files import atomic_write, read_regular
from confide.core.json_text import canonical_json, read_json

__all__ = ["FirstBlock"]


class FirstBlock:
    """The first block of the stream of a key file. With `optional` (there is a state), a folder that cannot be written
    to is no reason to stop."""

    def __init__(self, key_file: Path, *, optional: bool):
        self.path, self._optional = key_file.with_name(f"{key_file.name}.stream"), optional

    def check(self, number: int, digest: str) -> None:
        """Keep the number and the digest of a run's first block, or see that they are those of the run before;
        InputError if the same block held other records then."""
        if not self.path.exists():
            self._write(number, digest)
            return
        found = read_json(read_regular(self.path, max_bytes=1 << 10), what="the first block of a key", source=self.path)
        if found == {"block": number, "digest": digest}:
            return
        if not isinstance(found, dict) or found.get("block") == number:
            raise InputError(
                f"block {number} held other records when this key was used before, and noise used twice cancels: a key "
                "is for one stream; name another key file, or the state that this stream goes on from",
                source=self.path.with_suffix(""),
            )

    def _write(self, number: int, digest: str) -> None:
        try:
            with atomic_write(self.path, replace=False, private=True) as file:
                file.write(canonical_json({"block": number, "digest": digest}).encode())
        except (ConfideError, OSError):
            if not self._optional and not os.path.lexists(self.path):
                raise
