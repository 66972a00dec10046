"""One draw per person: the perturbed record is kept in a file and sent again as it is.

gamma holds for one draw. Two draws about the same person, put side by side, have the product of their gammas; the same
record sent twice has the gamma of one. So a record is drawn once, kept before it is sent, and a fresh draw is made only
for someone who has seen its price.
"""

import json
import math
import re
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from confide.collect.schemes.promise import gamma_and_epsilon
from confide.core.errors import CannotMeetError, InputError, RequirementError
from confide.core.files import read_bytes, write_text
from confide.core.json_text import read_json

if TYPE_CHECKING:
    from confide.collect.schemes.scheme import Scheme
    from confide.core.randomness import Randomness

__all__ = ["Draw", "Kept", "check_gamma", "draw", "keep_record"]

VERSION = 1
_LARGEST = 1e300
_ROUNDING = 1e-9  # what logarithms may add to a gamma that is exactly the one allowed


@dataclass(frozen=True, kw_only=True)
class Draw:
    """One draw about a person: the fingerprint of its scheme, and what that promises."""

    scheme: str
    gamma: float
    epsilon: float

    @classmethod
    def by(cls, scheme: "Scheme") -> "Draw":
        """A draw by this scheme."""
        promised = scheme.amplification()
        return cls(scheme=scheme.fingerprint, gamma=promised.gamma, epsilon=promised.epsilon)


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A perturbed record as it goes over the wire, the id it is sent under, and every draw made so far, its own last.

    `gamma` and `epsilon` are those of all draws together: gammas multiply.
    """

    scheme: str
    submission: UUID
    record: tuple[int, ...]
    draws: tuple[Draw, ...]

    @property
    def epsilon(self) -> float:
        """ln of the gamma of all draws together."""
        return math.fsum(draw.epsilon for draw in self.draws)

    @property
    def gamma(self) -> float:
        """The gamma of all draws together; infinite where it is too large for a number."""
        return math.prod(draw.gamma for draw in self.draws)

    def write(self, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Write the file, atomically."""
        data = {
            "confide": "kept record",
            "version": VERSION,
            "scheme": self.scheme,
            "submission": str(self.submission),
            "record": list(self.record),
            "draws": [
                {"scheme": one.scheme, "gamma": one.gamma if math.isfinite(one.gamma) else None, "epsilon": one.epsilon}
                for one in self.draws
            ],
        }
        write_text(path, json.dumps(data) + "\n", replace=replace)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> "Kept":
        """Read it back; a file that is anything else is refused, never overwritten."""
        written = bytes(read_bytes(path, max_bytes=1 << 26))
        try:
            return cls._of(read_json(written))
        except (InputError, ValueError, TypeError, KeyError, AttributeError):
            raise InputError("not a kept record; name another file", source=path) from None

    @classmethod
    def _of(cls, data: Any) -> "Kept":
        if data["confide"] != "kept record" or data["version"] != VERSION:
            raise ValueError
        draws = tuple(
            Draw(
                scheme=_fingerprint(one["scheme"]),
                gamma=math.inf if one["gamma"] is None else _at_least(1, one["gamma"]),
                epsilon=_at_least(0, one["epsilon"]),
            )
            for one in data["draws"]
        )
        if not draws or draws[-1].scheme != data["scheme"] or any(type(code) is not int for code in data["record"]):
            raise ValueError
        return cls(
            scheme=data["scheme"], submission=UUID(data["submission"]), record=tuple(data["record"]), draws=draws
        )


def _fingerprint(text: Any) -> str:
    if not isinstance(text, str) or not re.fullmatch("[0-9a-f]{64}", text):
        raise ValueError
    return text


def _at_least(least: float, number: Any) -> float:
    """A number that sums of draws can hold; a file may hold whole numbers of any size."""
    if isinstance(number, bool) or not isinstance(number, int | float) or not least <= number <= _LARGEST:
        raise ValueError
    return float(number)


def draw(scheme: "Scheme", record: Any, *, randomness: "Randomness | None" = None) -> tuple[int, ...]:
    """One perturbed record as it goes over the wire: drawn here, by default from the system's randomness."""
    return tuple(scheme.encode(scheme.perturb(record, randomness=randomness)))


def keep_record(
    scheme: "Scheme", record: Any, keep: str | PathLike[str], *, fresh: bool = False, accepted: bool = False
) -> Kept:
    """The record kept in the file `keep`; drawn and kept first, if there is none.

    `fresh=True` draws anew although one is kept, and needs `accepted=True` once its price is known: the gammas of all
    draws about a person multiply. A kept record of another scheme is refused for the same reason.
    """
    path = Path(keep)
    kept = Kept.read(path) if path.exists() else None
    if kept is not None and not fresh:
        if kept.scheme != scheme.fingerprint:
            raise CannotMeetError(
                f"the collector's scheme has changed since your record in {path} was drawn; a second draw adds to what "
                f"can be learned about you: {_price(kept, scheme)}",
                advice="send nothing, or accept that with fresh= and accepted=",
            )
        return kept
    if kept is not None and not accepted:
        raise CannotMeetError(
            f"a fresh draw is draw {len(kept.draws) + 1} about you: {_price(kept, scheme)}",
            advice="send the kept record again (without fresh=), or accept that with fresh= and accepted=",
        )
    drawn = Kept(
        scheme=scheme.fingerprint,
        submission=uuid4(),
        record=draw(scheme, record),
        draws=(*(kept.draws if kept else ()), Draw.by(scheme)),
    )
    drawn.write(path, replace=kept is not None)
    return drawn


def check_gamma(scheme: "Scheme", most: float | None) -> None:
    """Refuse a scheme that protects less than the sender wants, no matter who published it.

    One that names neither items nor fields is refused too: what may be sent is not settled.
    """
    if scheme.universe is None:
        raise RequirementError("the scheme names neither items nor fields, so nothing can be drawn by it")
    found = scheme.amplification()
    if most is not None and not most > 1:
        raise RequirementError(
            f"max_gamma={most} bounds nothing; use a number above 1, such as 19", parameter="max_gamma", value=most
        )
    if most is not None and found.epsilon > math.log(most) + _ROUNDING:
        raise CannotMeetError(
            f"the scheme's gamma is {gamma_and_epsilon(found.epsilon)}, above the {most:g} you allow; nothing was "
            "drawn or sent",
            advice="use another scheme, or a higher max_gamma=",
        )


def _price(kept: Kept, scheme: "Scheme") -> str:
    then = kept.epsilon + scheme.amplification().epsilon
    return f"gamma rises from {gamma_and_epsilon(kept.epsilon)} to {gamma_and_epsilon(then)}"
