"""The first line of a published run: what was promised, by which noise, of which windows.

Whoever reads a release needs these numbers to know how far off it may be, and whoever verifies it needs them all.
"""

import hashlib
from dataclasses import dataclass
from typing import Any, Literal

from confide.core.errors import ConfideError, InputError
from confide.core.json_text import canonical_json, read_json
from confide.core.requirements import OutputPrivacy, Requirement

__all__ = ["KeyedLaws", "LawWeights", "StreamHeader", "chained", "unchained"]

_KIND = "stream"
_HASH_LENGTH = len(',"sha256":""}') + 64
_BOTH: dict[str, Any] = {
    "confide": str,
    "version": int,
    "run": str,
    "requirement": dict,
    "noise": dict,
    "scheme": str,
    "records": int | None,
    "seconds": float | int | None,
    "itemsets": str,
    "randomness": dict,
}
_FIELDS = {
    1: {**_BOTH, "lam": float | int | None, "depth": int | None, "epoch": int | None, "every": int},
    2: {**_BOTH, "every": int | None, "every_seconds": float | int | None},
}
_LAW = {"first", "weights"}
_KEYED = {"permanent", "block", "blocks", "draws", "factor", "reach", "key"}


@dataclass(frozen=True, kw_only=True)
class LawWeights:
    """A law over whole numbers: first + i with probability weights[i] / their sum."""

    first: int
    weights: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """As a line has it."""
        return {"first": self.first, "weights": list(self.weights)}

    @classmethod
    def from_dict(cls, found: Any) -> "LawWeights":
        """Read what `to_dict` gave; TypeError if it is something else."""
        if not isinstance(found, dict) or set(found) != _LAW or not isinstance(found["weights"], list):
            raise TypeError
        if type(found["first"]) is not int or not all(type(weight) is int for weight in found["weights"]):
            raise TypeError
        return cls(first=found["first"], weights=tuple(found["weights"]))


@dataclass(frozen=True, kw_only=True)
class KeyedLaws:
    """The noise of a run by blocks.

    `permanent` is drawn once for each itemset (None: nothing is); `block` for each block, release or node of a tree, of
    which a window of `blocks` blocks has `draws` at most. `factor` is kappa in thousandths, None where the promise has
    none. Noise is cut at `reach`. `key` names the key, and says nothing about it.
    """

    permanent: LawWeights | None
    block: LawWeights
    blocks: int
    draws: int
    factor: int | None
    reach: int
    key: str

    def to_dict(self) -> dict[str, Any]:
        """As a line has it."""
        return {
            "permanent": None if self.permanent is None else self.permanent.to_dict(),
            "block": self.block.to_dict(),
            "blocks": self.blocks,
            "draws": self.draws,
            "factor": self.factor,
            "reach": self.reach,
            "key": self.key,
        }

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> "KeyedLaws":
        """Read what `to_dict` gave; TypeError if it is something else."""
        if set(found) != _KEYED or not isinstance(found["key"], str):
            raise TypeError
        numbers = [found["blocks"], found["draws"], found["reach"], 0 if found["factor"] is None else found["factor"]]
        if not all(type(number) is int for number in numbers):
            raise TypeError
        permanent = None if found["permanent"] is None else LawWeights.from_dict(found["permanent"])
        return cls(**{**found, "permanent": permanent, "block": LawWeights.from_dict(found["block"])})


@dataclass(frozen=True, kw_only=True)
class StreamHeader:
    """How a run works.

    `run` names it; `noise` are the laws of its noise. `records` is the size of a window by count; `seconds` its span by
    time stamps; one of them is None. A release comes every `every` records or `every_seconds`, of "all" frequent
    itemsets or the "closed" ones. `lam`, `depth` and `epoch` are of the schemes of the paper, as in `Butterfly`.
    """

    run: str
    requirement: OutputPrivacy
    noise: LawWeights | KeyedLaws
    scheme: str
    lam: float | None = None
    depth: int | None = None
    epoch: int | None = None
    records: int | None
    seconds: float | None
    every: int | None
    every_seconds: float | None = None
    itemsets: Literal["all", "closed"]
    randomness: dict[str, Any]

    @property
    def version(self) -> int:
        """Of the line: 1 for the schemes of the paper, 2 for blocks."""
        return 2 if isinstance(self.noise, KeyedLaws) else 1

    def to_dict(self) -> dict[str, Any]:
        """As the line has it, without its hash."""
        ours = {
            "confide": _KIND,
            "version": self.version,
            "requirement": self.requirement.to_dict(),
            "noise": self.noise.to_dict(),
        }
        return {name: ours[name] if name in ours else getattr(self, name) for name in _FIELDS[self.version]}

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
        if not isinstance(found, dict) or found.get("confide") != _KIND:
            raise broken
        wanted = _FIELDS.get(found["version"]) if type(found.get("version")) is int else None
        if wanted is None:
            known = " and ".join(map(str, _FIELDS))
            raise InputError(
                f"is a run of version {str(found.get('version'))[:20]}; this Confide reads versions {known}",
                source=source,
            )
        if set(found) != {*wanted, "sha256"}:
            raise broken
        for name, kind in wanted.items():
            if not isinstance(found[name], kind) or isinstance(found[name], bool):
                raise InputError(f"{name}: of another type", source=source, line=1)
        try:
            requirement = Requirement.from_dict(found["requirement"])
        except ConfideError as error:
            raise InputError(f"requirement: {error}", source=source, line=1) from None
        if not isinstance(requirement, OutputPrivacy):
            raise broken
        reader: Any = LawWeights if found["version"] == 1 else KeyedLaws
        try:
            noise = reader.from_dict(found["noise"])
        except TypeError:
            raise InputError("noise: not laws over whole numbers", source=source, line=1) from None
        plain = {name: found[name] for name in wanted if name not in ("confide", "version", "requirement", "noise")}
        header = cls(requirement=requirement, noise=noise, **plain)
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
