"""The whole record as one value of many, answered by everybody: unary encoding, local hashing, subset selection.

At the same gamma they beat `GammaDiagonal` (k-ary over whole records) as soon as a record has many possible values: its
noise grows with their number, theirs for a single combination does not. Margins of few fields are sums over many
combinations, and there `SampledDesign` is better.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from confide.collect.answers.answer_law import AnswerLaw
from confide.collect.answers.answer_laws import PRIME, Hashing, SubsetLaw, Unary, is_prime
from confide.collect.designs.block_scheme import BlockScheme
from confide.collect.designs.field_blocks import Block, cells_of, law_for
from confide.collect.fields.field import plain
from confide.collect.fields.fields import Fields
from confide.collect.schemes.scheme import exact, only
from confide.core.errors import InputError

__all__ = ["LocalHashing", "SubsetSelection", "UnaryEncoding"]


@dataclass(frozen=True, kw_only=True)
class _WholeRecord(BlockScheme):
    """One block of all fields."""

    def __post_init__(self) -> None:
        super().__post_init__()
        cells_of(self.fields, range(len(self.fields)))
        self._law()

    def _law(self) -> AnswerLaw:
        raise NotImplementedError

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        return (Block(tuple(range(len(self.fields))), self._law()),)

    def _at(self, gamma: float) -> BlockScheme:
        return replace(self, gamma=gamma)

    def _over(self, fields: Fields) -> BlockScheme:
        return replace(self, domains=fields)


@dataclass(frozen=True, kw_only=True)
class UnaryEncoding(_WholeRecord):
    """Sends a set of combinations of values: the true one with chance 1/2, any other with 1/(gamma + 1).

    `symmetric=True` keeps and drops with the same chance, root of gamma to 1, as basic RAPPOR does; it errs more. An
    answer holds about n/(gamma + 1) numbers, n being the number of combinations: `LocalHashing` errs as much and sends
    three.

    >>> UnaryEncoding(domains=[2, 3], gamma=19).amplification().gamma
    19.0
    """

    kind = "unary-encoding"

    symmetric: bool = False

    def _law(self) -> AnswerLaw:
        return Unary(size=self.fields.cells, gamma=exact(self.gamma), symmetric=self.symmetric)

    def parameters(self) -> dict[str, Any]:
        return {"fields": self.fields.to_list(), "gamma": plain(self.gamma), "symmetric": self.symmetric}

    @classmethod
    def from_parameters(cls, data: Mapping[str, Any]) -> "UnaryEncoding":
        only(data, cls.kind, ["fields", "gamma"], ["symmetric"])
        symmetric = data.get("symmetric", False)
        if not isinstance(symmetric, bool):
            raise InputError(f"symmetric must be true or false, not {type(symmetric).__name__}")
        return cls(domains=Fields.from_list(data["fields"]), gamma=data["gamma"], symmetric=symmetric)


@dataclass(frozen=True, kw_only=True)
class LocalHashing(_WholeRecord):
    """Sends a hash function drawn for this answer and a bucket: the true combination's own, or another.

    `buckets` is by default gamma + 1 rounded, which errs least. Answers are short and as good as unary encoding's, but
    counting them costs people times combinations.

    >>> LocalHashing(domains=[2, 3], gamma=19).buckets
    20
    """

    kind = "local-hashing"

    buckets: int | None = None
    prime: int = PRIME

    def __post_init__(self) -> None:
        if self.buckets is None:
            BlockScheme.__post_init__(self)
            usual = law_for("hashing", size=2, gamma=self.gamma)
            object.__setattr__(self, "buckets", usual.parameters()["buckets"])
        super().__post_init__()

    def _law(self) -> AnswerLaw:
        assert self.buckets is not None
        return Hashing(size=self.fields.cells, gamma=exact(self.gamma), buckets=self.buckets, prime=self.prime)

    def _over(self, fields: Fields) -> BlockScheme:
        prime = next(n for n in range(max(fields.cells, 5), PRIME + 1) if is_prime(n))
        return replace(self, domains=fields, prime=min(prime, self.prime))

    def _at(self, gamma: float) -> BlockScheme:
        return replace(self, gamma=gamma, buckets=None)

    def parameters(self) -> dict[str, Any]:
        return {
            "fields": self.fields.to_list(),
            "gamma": plain(self.gamma),
            "buckets": self.buckets,
            "prime": self.prime,
        }

    @classmethod
    def from_parameters(cls, data: Mapping[str, Any]) -> "LocalHashing":
        only(data, cls.kind, ["fields", "gamma", "buckets", "prime"])
        _check_whole(data, "buckets", "prime")
        return cls(
            domains=Fields.from_list(data["fields"]), gamma=data["gamma"], buckets=data["buckets"], prime=data["prime"]
        )


@dataclass(frozen=True, kw_only=True)
class SubsetSelection(_WholeRecord):
    """Sends `chosen` of all combinations, by default n/(gamma + 1) of them rounded; with 1 it is k-ary.

    No scheme errs less for single combinations; margins of few fields gain from a smaller number.

    >>> SubsetSelection(domains=[10, 10], gamma=19).chosen
    5
    """

    kind = "subset-selection"

    chosen: int | None = None

    def __post_init__(self) -> None:
        if self.chosen is None:
            BlockScheme.__post_init__(self)
            law = law_for("subset-selection", size=cells_of(self.fields, range(len(self.fields))), gamma=self.gamma)
            object.__setattr__(self, "chosen", law.parameters().get("chosen", 1))
        super().__post_init__()

    def _law(self) -> AnswerLaw:
        assert self.chosen is not None
        return SubsetLaw(size=self.fields.cells, gamma=exact(self.gamma), chosen=self.chosen)

    def _at(self, gamma: float) -> BlockScheme:
        return replace(self, gamma=gamma, chosen=None)

    def _over(self, fields: Fields) -> BlockScheme:
        return replace(self, domains=fields, chosen=min(self.chosen or 1, fields.cells - 1, 3))

    def parameters(self) -> dict[str, Any]:
        return {"fields": self.fields.to_list(), "gamma": plain(self.gamma), "chosen": self.chosen}

    @classmethod
    def from_parameters(cls, data: Mapping[str, Any]) -> "SubsetSelection":
        only(data, cls.kind, ["fields", "gamma", "chosen"])
        _check_whole(data, "chosen")
        return cls(domains=Fields.from_list(data["fields"]), gamma=data["gamma"], chosen=data["chosen"])


def _check_whole(data: Mapping[str, Any], *names: str) -> None:
    for name in names:
        if type(data[name]) is not int:
            raise InputError(f"{name} must be a whole number")
