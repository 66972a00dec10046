"""A scheme as the likelihood auditor wants it: true records and answers are numbers, drawn by the scheme itself."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.collect.schemes.scheme import Scheme

if TYPE_CHECKING:
    from confide.core.randomness import Randomness

__all__ = ["AuditedLaw", "law_to_audit", "perturber_of"]


def perturber_of(
    scheme: Scheme, *, randomness: "Randomness | None" = None
) -> tuple[Callable[[int, int], NDArray[np.int64]], int, int]:
    """(draw, number of true records, number of answers) of a scheme over a small domain.

    `draw(truth, times)` perturbs that record so often, through `scheme.perturb`; `scheme.numbered()` says what the
    numbers stand for, and `scheme.smaller()` is the same law over a domain that is small enough.
    """
    domain = scheme.numbered()

    def draw(truth: int, times: int) -> NDArray[np.int64]:
        return domain.draw(truth, times, randomness)

    return draw, domain.truths, domain.answers


@dataclass(frozen=True, kw_only=True)
class AuditedLaw:
    """What an auditor samples: `draw`, `truths` and `outputs` as `perturber_of` gives them, the `gamma` the scheme
    claims, `named` to say what numbers stand for, and notes for whoever reads the answer."""

    draw: Callable[[int, int], NDArray[np.int64]]
    truths: int
    outputs: int
    gamma: float
    named: Callable[[tuple[int, int, int]], Any]
    notes: tuple[str, ...] = ()


def law_to_audit(scheme: Scheme, *, randomness: "Randomness | None" = None) -> AuditedLaw:
    """The scheme itself or, where its domain is too large to try answer by answer, the same law over a small one."""
    audited = scheme.smaller()
    draw, truths, outputs = perturber_of(audited, randomness=randomness)
    notes: tuple[str, ...] = ()
    if audited is not scheme:
        notes = (
            "the domain is too large to audit answer by answer: the same law is audited over a few items or fields",
        )
    return AuditedLaw(
        draw=draw,
        truths=truths,
        outputs=outputs,
        gamma=audited.amplification().gamma,
        named=audited.numbered().named,
        notes=notes,
    )
