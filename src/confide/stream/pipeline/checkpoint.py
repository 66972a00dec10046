"""The file a run goes on from: written, and synced, before the lines in it leave.

It holds how far the source was read, where the window began, where the chain stands, and
the lines that are about to leave. After a crash those that a sink does not hold yet are handed to it again: never drawn
again, never twice, never left out. By blocks there is no memory, only a digest of each block in the window; by the
paper's schemes it holds true supports: the owner's alone, better under a key.
"""

import hashlib
from dataclasses import dataclass
from os import PathLike
from typing import Any

from confide.core.errors import InputError
from confide.core.files import atomic_write, read_regular
from confide.core.json_text import canonical_json, read_json
from confide.stream.state_file import opened, sealed

__all__ = ["Checkpoint"]

_KIND, _VERSION = "stream checkpoint", 2
_MAX_BYTES = 1 << 30


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """Where a run stands.

    `parameters` are those of its header; `memory` what `Butterfly.to_bytes` gave; `offset` records were read and the
    next release is due at `due`. The window's records begin `skip` records after `place`, at record number `first`.
    `pending` are the last lines, numbers up to `releases`, of which some may have left. `blocks` are (number, digest)
    of the blocks whose noise is in use, `key_name` names the key, and `lost` records of blocks under way never came.
    """

    parameters: dict[str, Any]
    run: str
    memory: str
    offset: int
    due: int | None
    place: dict[str, Any] | None
    skip: int
    first: int
    releases: int
    sha256: str
    pending: tuple[str, ...]
    lost: int = 0
    blocks: tuple[tuple[int, str], ...] = ()
    key_name: str = ""

    def write(self, path: str | PathLike[str], *, key: bytes | None, sync: bool) -> None:
        """Whole or not at all, readable by its owner only."""
        body = canonical_json({"confide": _KIND, "version": _VERSION, **self.__dict__})
        digest = hashlib.sha256(body.encode()).hexdigest()
        text = f'{{"body":{body},"sha256":"{digest}"}}'.encode()
        with atomic_write(path, replace=True, private=True, sync=sync) as file:
            file.write(sealed(text, key))

    @classmethod
    def read(cls, path: str | PathLike[str], *, key: bytes | None) -> "Checkpoint":
        """Read what `write` wrote; a damaged file is refused."""
        text = opened(read_regular(path, max_bytes=_MAX_BYTES), key, path)
        found = read_json(text, what="the state of a stream", source=path)
        try:
            body = dict(found["body"])
            plain = canonical_json(body)
            whole = text == f'{{"body":{plain},"sha256":"{found["sha256"]}"}}'.encode()
            if not whole or hashlib.sha256(plain.encode()).hexdigest() != found["sha256"]:
                raise InputError("is damaged: it does not have the hash it says; restore it from a copy", source=path)
            if (body.pop("confide"), body.pop("version")) != (_KIND, _VERSION):
                raise InputError(f"is not a {_KIND} of version {_VERSION}", source=path)
            blocks = tuple((number, digest) for number, digest in body["blocks"])
            made = cls(**{**body, "pending": tuple(body["pending"]), "blocks": blocks})
            made.check()
            return made
        except (KeyError, TypeError, ValueError, AttributeError):
            raise InputError("is not the state of a stream", source=path) from None

    def check(self) -> None:
        """TypeError where a field is of another type, or fields contradict each other."""
        numbers = (self.offset, self.skip, self.first, self.releases, 0 if self.due is None else self.due)
        texts = (
            self.run,
            self.memory,
            self.sha256,
            self.key_name,
            *self.pending,
            *(digest for _, digest in self.blocks),
        )
        if type(self.lost) is not int or not all(type(number) is int for number, _ in self.blocks):
            raise TypeError
        if not all(type(x) is int and 0 <= x < 1 << 62 for x in numbers) or not all(isinstance(x, str) for x in texts):
            raise TypeError
        if not isinstance(self.parameters, dict) or not isinstance(self.place, dict | None):
            raise TypeError
        if len(self.pending) > self.releases or self.first > self.offset:
            raise TypeError

    def check_parameters(self, wanted: dict[str, Any], source: object) -> None:
        """Refuse a state that was made under other parameters."""
        other = sorted(x for x in {*wanted, *self.parameters} if wanted.get(x) != self.parameters.get(x))
        if other:
            raise InputError(
                f"was made under other parameters ({', '.join(other)[:120]}); use those again, or another file",
                source=source,
            )
