"""A perturbation scheme: what client, server and auditor agree on, in one frozen object that travels with the data.

scheme file --> read_scheme --> Scheme --> .perturb(record)   at the client, before anything leaves the device
                                       --> .mine(perturbed)   at the server, which never sees a true record
                                       --> .amplification()   what the client may rely on

Numbers in a scheme are decimals and mean exactly what is written: p = 0.1 is one tenth, not the nearest binary number.
"""

import hashlib
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from confide.collect.estimating.miner_questions import MinedLevels, Question
from confide.collect.estimating.reconstruction import mine
from confide.collect.fields.fields import Fields
from confide.collect.numbered import NumberedRecords
from confide.collect.wording.languages import DeviceSentence
from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.figures import Shown, ShownFields
from confide.core.files import read_bytes, write_text
from confide.core.itemsets.container import Itemsets
from confide.core.json_text import canonical_json, read_json
from confide.core.numbers import PlainNumbers, python_number
from confide.core.runtime.threads import answers_ctrl_c
from confide.mining.counting.supports import CandidateCounter
from confide.mining.rules.association import Rules

if TYPE_CHECKING:
    from confide.core.randomness import Randomness

__all__ = ["VERSION", "Amplified", "Scheme", "exact", "read_scheme"]

VERSION = 1
"""Of the scheme file. Another version is refused: client and server must mean the same."""

KINDS = {
    "mask": "confide.collect.schemes.mask:Mask",
    "emask": "confide.collect.schemes.mask:Emask",
    "cut-and-paste": "confide.collect.schemes.cut_and_paste:CutAndPaste",
    "gamma-diagonal": "confide.collect.schemes.gamma_diagonal:GammaDiagonal",
    "matrix": "confide.collect.schemes.matrix_scheme:MatrixScheme",
    "randomized-response": "confide.collect.designs.randomized_response:RandomizedResponse",
    "unary-encoding": "confide.collect.designs.record_design:UnaryEncoding",
    "local-hashing": "confide.collect.designs.record_design:LocalHashing",
    "subset-selection": "confide.collect.designs.record_design:SubsetSelection",
    "sampled-design": "confide.collect.designs.sampled_design:SampledDesign",
    "basket-question": "confide.collect.baskets.basket_question:BasketQuestion",
}
"""The word of a scheme file -> where its class lives."""

_MOST_BYTES = 1 << 28

LENGTHS = (1, 2, 3, 4)
"""Of itemsets, for which a passport has condition numbers."""

_LARGEST_LOG = 709.0  # of a number that a double can hold

Rate = float | NDArray[np.float64]
"""A chance, or one for each item."""


def exact(value: float) -> Fraction:
    """The decimal as written: 0.6 is 3/5."""
    return Fraction(repr(python_number(value)))


def probability(name: str, value: object) -> None:
    """Refuse anything but a number strictly between 0 and 1."""
    value = python_number(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
        raise RequirementError(f"{name}={value} must lie strictly between 0 and 1", parameter=name, value=value)


@dataclass(frozen=True, kw_only=True)
class Amplified(ShownFields):
    """What a scheme promises: a perturbed record is at most `gamma` times likelier for one truth than another.

    `epsilon` is ln(gamma), exact enough even where gamma is too large for a number (then gamma is infinite). Where
    the promise depends on how much two records may differ, `per_item` is gamma for one item swapped for another, and
    `max_length` the longest true record that gamma covers; None where it does not depend on length.
    """

    gamma: float
    epsilon: float
    per_item: float | None = None
    max_length: int | None = None

    @classmethod
    def of(cls, gamma: Fraction, *, max_length: int | None = None) -> "Amplified":
        """From the exact number."""
        return cls.from_log(log(gamma), gamma=gamma, per_item=None, max_length=max_length)

    @classmethod
    def from_log(
        cls, epsilon: float, *, gamma: Fraction | None, per_item: Fraction | None, max_length: int | None
    ) -> "Amplified":
        """From ln(gamma) and, where it is small enough to be written out, gamma itself."""
        return cls(
            gamma=math.inf if gamma is None or epsilon > _LARGEST_LOG else float(gamma),
            epsilon=epsilon,
            per_item=None if per_item is None else math.inf if log(per_item) > _LARGEST_LOG else float(per_item),
            max_length=max_length,
        )


def log(value: Fraction) -> float:
    """ln of an exact number of any size; close to 1 as exact as elsewhere."""
    if Fraction(1, 2) < value < 2:
        return math.log1p(float(value - 1))
    return math.log(value.numerator) - math.log(value.denominator)


@dataclass(frozen=True, kw_only=True)
class Scheme(PlainNumbers, Shown, ABC):
    """What all schemes share: perturbing, mining, numbers about themselves, and their form as JSON."""

    kind: ClassVar[str]

    # -- what it is for -------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def fields(self) -> Fields | None:
        """The fields of a categorical record, in order; None for plain items."""

    @property
    @abstractmethod
    def universe(self) -> tuple[str, ...] | None:
        """The items, or "name=value", that a perturbed record may hold; None if the scheme does not say."""

    @property
    @abstractmethod
    def sends_items(self) -> bool:
        """Whether a perturbed record is a set of items; else it has one value in each field."""

    @property
    @abstractmethod
    def longest(self) -> int | None:
        """The length of the longest true record, if the scheme says it."""

    def bound_to(self, records: Any, *, max_length: int | None = None) -> "Scheme":
        """This scheme; one that names no items, or no longest record, bound to those given."""
        return self

    # -- at the client --------------------------------------------------------------------------------------------

    @abstractmethod
    def perturb(self, records: Any, *, randomness: "Randomness | None" = None) -> Any:
        """One record or a batch, perturbed; the same type back. Draws exactly, by default from the system."""

    @abstractmethod
    def encode(self, record: Any) -> list[int]:
        """A perturbed record as it goes over the wire: a list of whole numbers."""

    @abstractmethod
    def check_wire(self, wire: Any) -> None:
        """Raise InputError unless this is a perturbed record of this scheme, as `encode` gives it."""

    # -- about itself ---------------------------------------------------------------------------------------------

    @abstractmethod
    def condition_number(self, length: int) -> float:
        """How much reconstruction magnifies the noise for itemsets of this length; 1 is best."""

    @abstractmethod
    def amplification(self, max_length: int | None = None) -> Amplified:
        """gamma and epsilon, exactly as the scheme's own law gives them."""

    def caveats(self) -> tuple[str, ...]:
        """What a passport must add to the scheme's gamma."""
        return ()

    @abstractmethod
    def loss(self, perturbed: Any) -> dict[str, Any]:
        """What reconstruction has to cope with; the true records count only through the perturbed ones."""

    @abstractmethod
    def compared(self, records: Any, perturbed: Any) -> dict[str, int]:
        """How the true records fared, for their owner alone."""

    def posterior_ranges(self, priors: Sequence[float]) -> list[dict[str, float]]:
        """What posteriors would be for the smallest and largest secret a client may have drawn; none without one."""
        return []

    def length_notes(self, records: Any = None) -> tuple[str, ...]:
        """What to know of the lengths of records before anybody answers; `records` are true ones, if there are any."""
        return ()

    def mining_notes(self) -> tuple[str, ...]:
        """What a miner of perturbed records must know."""
        return ()

    def item_rates(self, data: Any = None) -> tuple[Rate, Rate]:
        """(p, q) as if each item were perturbed alone: the chances that its 1 and its 0 are kept.

        One number each, or one for each "name=value" in label order. `data` are the true records as transactions, over
        whose 1s a p is averaged that depends on the length of the record.
        """
        raise UsageError(f"basic privacy of a {self.kind} scheme depends on the whole record; use its gamma")

    def standard_error_at(self, gamma: float, *, length: int, support: float, records: int) -> float:
        """The standard error of a support, as a share, if such a scheme over these fields kept another gamma.

        For itemsets over `length` fields; nan if no such scheme is planned for a gamma. Raises CannotMeetError if it
        cannot keep this one.
        """
        return math.nan

    @abstractmethod
    def numbered(self) -> NumberedRecords:
        """The scheme over its domain, for an auditor who samples it; refuses a domain that is too large."""

    @abstractmethod
    def smaller(self) -> "Scheme":
        """The same law over a domain small enough for `numbered`; the scheme itself if its own is."""

    # -- in words -------------------------------------------------------------------------------------------------

    @abstractmethod
    def question(self) -> DeviceSentence:
        """What people are asked, as a sentence."""

    @abstractmethod
    def device_steps(self) -> tuple[DeviceSentence, ...]:
        """What a person's device does, with the scheme's own chances."""

    # -- at the server --------------------------------------------------------------------------------------------

    @abstractmethod
    def unpack(self, lengths: NDArray[np.int32], codes: NDArray[np.int32]) -> Any:
        """Records that came over the wire, end to end in `codes`, in the form in which they are mined."""

    def released(self, records: Any) -> Any:
        """What `unpack` gave, in the form in which it is handed out."""
        return records

    @abstractmethod
    def search(self, perturbed: Any, question: Question) -> MinedLevels:
        """Search perturbed records for itemsets that are frequent among the true ones."""

    def covariances(self, rules: Rules, *, record_length: int | None = None) -> NDArray[np.float64] | None:
        """For each rule, how its two estimated supports vary together; None where that is unknown."""
        return None

    def kept_regions(self) -> tuple[float, Fields]:
        """The chance that a whole record is kept, else drawn uniformly, and the fields: what a tree is learned by."""
        raise UsageError(f"a tree is learned from records of a gamma-diagonal scheme, not of a {self.kind} scheme")

    @answers_ctrl_c
    def mine(
        self,
        perturbed: Any,
        *,
        min_support: int | float,
        max_length: int | None = None,
        keep_near: float = 0.0,
        consistent: bool = False,
        population: bool = False,
        confidence: float = 0.95,
        record_length: int | None = None,
        counter: CandidateCounter | None = None,
    ) -> Itemsets:
        """Frequent itemsets of the true records, estimated from perturbed ones; see `collect.estimating`."""
        return mine(
            self,
            perturbed,
            min_support=min_support,
            max_length=max_length,
            keep_near=keep_near,
            consistent=consistent,
            population=population,
            confidence=confidence,
            record_length=record_length,
            counter=counter,
        )

    # -- as JSON --------------------------------------------------------------------------------------------------

    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """What follows the three common entries in the scheme file."""

    @classmethod
    @abstractmethod
    def from_parameters(cls, data: Mapping[str, Any]) -> "Scheme":
        """Read back what `parameters` gave."""

    def to_dict(self) -> dict[str, Any]:
        """As in a scheme file."""
        return {"confide": "scheme", "version": VERSION, "scheme": self.kind, **self.parameters()}

    def to_json(self) -> str:
        """The scheme file."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    @cached_property
    def fingerprint(self) -> str:
        """sha256 of the scheme with sorted keys and no blanks: the same for everyone who means the same scheme."""
        return hashlib.sha256(canonical_json(self.to_dict()).encode()).hexdigest()

    def write(self, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Write the scheme file, atomically."""
        write_text(path, self.to_json(), replace=replace)

    @staticmethod
    def from_dict(data: Any, *, source: object = None) -> "Scheme":
        """Read back what `to_dict` gave, whichever scheme it is."""
        try:
            return _from_dict(_as_whole(data))
        except RecursionError:
            raise InputError("not a scheme: it is nested too deeply", source=source) from None
        except InputError as error:
            raise InputError(error.what, source=source, line=error.line, column=error.column) from None

    @staticmethod
    def from_json(text: str | bytes | bytearray, *, source: object = None) -> "Scheme":
        """Read a scheme file's text."""
        return Scheme.from_dict(read_json(text, what="JSON, so not a scheme", source=source), source=source)

    @staticmethod
    def read(path: str | PathLike[str]) -> "Scheme":
        """Read a scheme file."""
        return Scheme.from_json(read_bytes(path, max_bytes=_MOST_BYTES), source=path)


def read_scheme(source: "str | PathLike[str] | Mapping[str, Any] | Scheme") -> Scheme:
    """A scheme from a file, or from the dict that a scheme file holds."""
    if isinstance(source, Scheme):
        return source
    return Scheme.from_dict(source) if isinstance(source, Mapping) else Scheme.read(source)


def _as_whole(data: Any) -> Any:
    """3.0 as 3, wherever it stands: JSON does not tell them apart, so neither may two readers of a scheme."""
    if isinstance(data, Mapping):
        return {name: _as_whole(part) for name, part in data.items()}
    if isinstance(data, list):
        return [_as_whole(part) for part in data]
    return int(data) if isinstance(data, float) and data.is_integer() else data


def _from_dict(data: Any) -> Scheme:
    if not isinstance(data, Mapping) or data.get("confide") != "scheme":
        raise InputError('not a scheme: a scheme file begins with {"confide": "scheme", "version": 1, ...')
    version = data.get("version")
    if version != VERSION or isinstance(version, bool):
        raise InputError(
            f"a scheme of version {version}; this Confide reads version {VERSION}, so ask the collector for one or "
            "bring both sides to the same Confide"
        )
    kind = data.get("scheme")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(f"unknown scheme {kind!r}; schemes are: {', '.join(KINDS)}")
    module, _, name = KINDS[kind].partition(":")
    cls: type[Scheme] = getattr(import_module(module), name)
    return cls.from_parameters({k: v for k, v in data.items() if k not in ("confide", "version", "scheme")})


def only(data: Mapping[str, Any], kind: str, required: Sequence[str], optional: Sequence[str] = ()) -> None:
    """Refuse a scheme file with entries missing or unknown."""
    missing = [name for name in required if name not in data]
    unknown = [name for name in data if name not in required and name not in optional]
    if missing:
        raise InputError(f"a {kind} scheme needs {missing[0]!r}")
    if unknown:
        raise InputError(f"a {kind} scheme has no {unknown[0]!r}; it has: {', '.join([*required, *optional])}")


def singular_ratio(matrix: NDArray[np.float64]) -> float:
    """The condition number in the 2-norm: largest over smallest singular value."""
    values = np.linalg.svd(matrix, compute_uv=False)
    return float(values[0] / values[-1]) if values[-1] > 0 else math.inf
