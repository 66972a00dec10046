"""The first line of a published run: what was promised, by which noise, of which windows.

Whoever reads a release needs these numbers to know how far off it may be, and whoever verifies it needs them all.
"""

import hashlib
from dataclasses import dataclass
from typing import Any, Literal

from confide.core.errors import ConfideError, InputError
from confide.core.json_text import canonical_json, read_json
from confide.core.requirements import OutputPrivacy, Requirement

__all__ = ["StreamHeader", "chained", "unchained"]

_KIND, _VERSION = "stream", 1
_HASH_LENGTH = len(',"sha256":""}') + 64
_FIELDS = {
    "confide": str,
    "version": int,
    "run": str,
    "requirement": dict,
    "noise": dict,
    "scheme": str,
    "lam": float | int | None,
    "depth": int | None,
    "epoch": int | None,
    "records": int | None,
    "seconds": float | int | None,
    "every": int,
    "itemsets": str,
    "randomness": dict,
}


@dataclass(frozen=True, kw_only=True)
class StreamHeader:
    """How a run works.

    `run` names it; `first` and `weights` are the law of the noise: first + i with probability weights[i] / their sum.
    `records` is the size of a window by count; `seconds` its span by time stamps; one of them is None. A release comes
    every `every` records, of "all" frequent itemsets or the "closed" ones. `epoch` as in `Butterfly`.
    """

    run: str
    requirement: OutputPrivacy
    first: int
    weights: tuple[int, ...]
    scheme: str
    lam: float | None
    depth: int | None
    epoch: int | None
    records: int | None
    seconds: float | None
    every: int
    itemsets: Literal["all", "closed"]
    randomness: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """As the line has it, without its hash."""
        return {
            "confide": _KIND,
            "version": _VERSION,
            "run": self.run,
            "requirement": self.requirement.to_dict(),
            "noise": {"first": self.first, "weights": list(self.weights)},
            "scheme": self.scheme,
            "lam": self.lam,
            "depth": self.depth,
            "epoch": self.epoch,
            "records": self.records,
            "seconds": self.seconds,
            "every": self.every,
            "itemsets": self.itemsets,
            "randomness": self.randomness,
        }

    @property
    def line(self) -> bytes:
        """The line of the file, with its newline."""
        return chained(canonical_json(self.to_dict()))[0]

    @property
    def sha256(self) -> str:
        """Where the chain begins."""
        return chained(canonical_json(self.to_dict()))[1]

    @classmethod
    def from_line(cls, line: bytes, *, source: object = None) -> "StreamHeader":
        """Read a first line, strictly: it must be as `line` writes it."""
        broken = InputError("is not the first line of a published run", source=source, line=1)
        found = read_json(line, what="a published run", source=source)
        if not isinstance(found, dict) or found.get("confide") != _KIND or set(found) != {*_FIELDS, "sha256"}:
            raise broken
        if found["version"] != _VERSION:
            raise InputError(
                f"is a run of version {str(found['version'])[:20]}; this Confide reads {_VERSION}", source=source
            )
        for name, kind in _FIELDS.items():
            if not isinstance(found[name], kind) or isinstance(found[name], bool):
                raise InputError(f"{name}: of another type", source=source, line=1)
        try:
            requirement = Requirement.from_dict(found["requirement"])
        except ConfideError as error:
            raise InputError(f"requirement: {error}", source=source, line=1) from None
        noise = found["noise"]
        weights = noise.get("weights")
        if (
            set(noise) != {"first", "weights"}
            or not isinstance(weights, list)
            or not isinstance(requirement, OutputPrivacy)
        ):
            raise broken
        if type(noise["first"]) is not int or not all(type(w) is int for w in weights):
            raise InputError("noise: not whole numbers", source=source, line=1)
        header = cls(
            run=found["run"],
            requirement=requirement,
            first=noise["first"],
            weights=tuple(weights),
            scheme=found["scheme"],
            lam=found["lam"],
            depth=found["depth"],
            epoch=found["epoch"],
            records=found["records"],
            seconds=found["seconds"],
            every=found["every"],
            itemsets=found["itemsets"],
            randomness=found["randomness"],
        )
        if header.line != line:
            raise InputError("is not as Confide writes it, or its hash is not its own", source=source, line=1)
        return header


def chained(body: str) -> tuple[bytes, str]:
    """A JSON object with the hash of its own text as a last field, as a line; and the hash."""
    digest = hashlib.sha256(body.encode()).hexdigest()
    return f'{body[:-1]},"sha256":"{digest}"}}\n'.encode(), digest


def unchained(line: bytes) -> tuple[bytes, str]:
    """The text that a line's hash is of, and the hash the line says."""
    text = line.removesuffix(b"\n")
    return text[:-_HASH_LENGTH] + b"}", text[-66:-2].decode(errors="replace")
