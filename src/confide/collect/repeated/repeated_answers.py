"""The same question asked again and again: an answer kept for ever, and fresh noise on top each time.

A device that drew anew each day would give itself away: gammas multiply, and the noise averages out. One that sent the
same answer each day could be recognised by it. RAPPOR (Erlingsson, Pihur, Korolova 2014) does both in turn:

    value --> permanent answer, drawn once and kept --> fresh answer, drawn each time --> sent

Both are unary here (see `answer_laws`): the permanent answer holds the true value with chance 1/2 and any other with
1/(gamma + 1), and each day every value's bit is kept with chance (1 + d)/2. Whatever number of days are put together,
they say no more than the permanent answer does: gamma. One day's answer alone says less: with

    d  =  (1/2 - 1/(each + 1))  /  (1/2 - 1/(gamma + 1))

it follows the law of `UnaryEncoding(gamma=each)` exactly, so that scheme's file, collector and estimates serve as they
are. With each = gamma nothing fresh is added and the kept answer is sent again (as dBitFlip does, Ding, Kulkarni,
Yekhanin 2017).

What this does not cover: a value that changes gets a permanent answer of its own, so a person with c different values
reveals up to gamma^c of which these were; and *that* a value changed, and when, can be seen in a long series.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from confide.collect.designs.block_scheme import check_bound
from confide.collect.designs.record_design import UnaryEncoding
from confide.collect.fields.fields import Fields
from confide.collect.schemes.scheme import exact
from confide.core.errors import InputError, RequirementError
from confide.core.files import read_bytes, write_text
from confide.core.json_text import read_json

if TYPE_CHECKING:
    from confide.core.randomness import Randomness

__all__ = ["RepeatedAnswers", "RepeatingDevice"]

_MOST_BYTES = 1 << 26


@dataclass(frozen=True, kw_only=True)
class RepeatedAnswers:
    """`gamma` for all answers about one value together, however many; `each` for one answer alone, at most gamma.

    `scheme` is what the collector serves and mines; `device()` answers by it again and again.

    >>> daily = RepeatedAnswers(domains={"mood": ["good", "fair", "bad"]}, gamma=19, each=4)
    >>> daily.scheme.amplification().gamma
    4.0
    >>> phone = daily.device()
    >>> week = [phone.answer({"mood": "good"}) for _ in range(7)]
    >>> phone.gamma  # of the whole week
    19.0
    """

    domains: Any
    gamma: float
    each: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "domains", Fields.of(self.domains))
        check_bound(self.gamma)
        check_bound(self.each)
        if exact(self.each) > exact(self.gamma):
            raise RequirementError(
                f"each={self.each} is more than gamma={self.gamma}, which covers all answers; use each={self.gamma} or "
                "less",
                parameter="each",
                value=self.each,
            )

    @cached_property
    def scheme(self) -> UnaryEncoding:
        """The scheme that every answer alone follows."""
        return UnaryEncoding(domains=self.domains, gamma=self.each)

    @cached_property
    def permanent(self) -> UnaryEncoding:
        """The scheme of what a device keeps."""
        return UnaryEncoding(domains=self.domains, gamma=self.gamma)

    @cached_property
    def stays(self) -> Fraction:
        """The chance that a bit of the permanent answer is sent as it is."""
        half = Fraction(1, 2)
        return half + (half - 1 / (exact(self.each) + 1)) / (half - 1 / (exact(self.gamma) + 1)) / 2

    def device(self, kept: "Mapping[str, Any] | None" = None) -> "RepeatingDevice":
        """One person's device; `kept` is what an earlier one of the same person kept (see `RepeatingDevice.kept`)."""
        made = RepeatingDevice(self)
        if kept is not None:
            made.restore(kept)
        return made

    def gamma_after(self, values: int) -> float:
        """What all answers of a person say who had so many different values: gamma to that power."""
        return float(exact(self.gamma) ** values)

    def standard_error(self, *, days: int, support: float, records: int) -> float:
        """Of the mean of so many days' estimates of one value, as a share, if people keep their values.

        Fresh noise averages out, the permanent answers' does not: the error falls to that of `permanent` and no lower.
        """
        if isinstance(days, bool) or not isinstance(days, int) or days < 1:
            raise RequirementError(
                f"days={days} is not a number of answers; use 1 or more", parameter="days", value=days
            )
        once, always = (
            scheme.blocks[0].law.moments.variance(1, support) - support * (1 - support)
            for scheme in (self.scheme, self.permanent)
        )
        return math.sqrt((always + (once - always) / days) / records)


@dataclass(eq=False)
class RepeatingDevice:
    """A device that keeps a permanent answer for each value it is given, and answers freshly from it."""

    question: RepeatedAnswers
    permanent: dict[int, list[int]] = field(default_factory=dict)

    def answer(self, record: Any, *, randomness: "Randomness | None" = None) -> list[int]:
        """One answer as it goes over the wire; the permanent answer is drawn first if this value is new.

        Write `kept` down before the answer leaves: a permanent answer that is lost and drawn anew adds to gamma.
        """
        from confide.core.randomness import Randomness

        source = Randomness.system() if randomness is None else randomness
        scheme = self.question.permanent
        (value,) = scheme.blocks[0].join(scheme.fields.sizes, scheme.encode_truth(record)).tolist()
        if value not in self.permanent:
            law = scheme.blocks[0].law
            bits = source.bernoulli(law.q, law.size)
            bits[value] = source.bernoulli(law.p, 1)[0]
            self.permanent[value] = np.flatnonzero(bits).tolist()
        sent = ~source.bernoulli(self.question.stays, scheme.fields.cells)  # what is turned over
        sent[self.permanent[value]] ^= True
        return [0, *np.flatnonzero(sent).tolist()]

    @property
    def gamma(self) -> float:
        """What all answers so far say together about the values, the times of their changes being known."""
        return self.question.gamma_after(len(self.permanent))

    @property
    def kept(self) -> dict[str, Any]:
        """What to keep, for JSON; it is as secret as the values themselves."""
        answers = [[value, self.permanent[value]] for value in sorted(self.permanent)]
        return {"confide": "permanent answers", "scheme": self.question.permanent.fingerprint, "answers": answers}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Take over what was kept under the same question."""
        if set(kept) != {"confide", "scheme", "answers"} or kept["confide"] != "permanent answers":
            raise InputError(f"not permanent answers that a device kept: it has {', '.join(map(str, kept))}")
        if kept["scheme"] != self.question.permanent.fingerprint:
            raise InputError("the permanent answers were kept for another question; ask that one, or begin anew")
        law = self.question.permanent.blocks[0].law
        for value, codes in kept["answers"]:
            law.check_one([value])
            law.check_one(codes)
            self.permanent[value] = list(codes)

    def write(self, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Write `kept` to a file of the person's own."""
        write_text(path, json.dumps(self.kept) + "\n", replace=replace)

    def read(self, path: str | PathLike[str]) -> None:
        """Read back what `write` wrote."""
        data = read_json(read_bytes(path, max_bytes=_MOST_BYTES), what="JSON, so no permanent answers", source=path)
        if not isinstance(data, dict):
            raise InputError("not permanent answers that a device kept", source=path)
        self.restore(data)
