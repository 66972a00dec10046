"""What a passport says beside its promise: compared with what the auditor found, and the rest named as unchecked.

    figures of the loss that the auditor counted too    must be equal, in the same unit
    limits beyond those of the requirement              of a closed list, or found by the auditor; else unchecked
    headline, algorithm, other figures, parameters ...  unchecked, unless the stage's verifier settles them

Pages and commands show what was found; what is unchecked stands apart, as the word of whoever made the release.
"""

import math
from collections.abc import Iterable, Iterator
from typing import Any

from confide.core.checks import Check, Findings, Verification
from confide.core.passport import Passport
from confide.core.requirements import Requirement

__all__ = ["check_figures", "unchecked_parts"]

_NOISE = 1e-9  # relative: another order of the same sums
_PARTS = {  # what a passport may say without anybody who can check it
    "algorithm": "the algorithm",
    "parameters": "its parameters",
    "context": "what the checks take as given (roles, labels, a scheme)",
    "randomness": "how chance was drawn",
    "versions": "the software",
    "created": "when it was made",
}


def check_figures(passport: Passport, checks: Iterable[Check]) -> Iterator[Check]:
    """Whether the figures of the passport that the auditor counted too are what it counted."""
    found = Verification.of(checks).findings.figures
    both = [name for name in found if name in passport.loss]
    wrong = [name for name in both if not _same(passport.loss[name], found[name])]
    wrong += [name for name in both if name not in wrong and passport.units.get(name) != found.unit(name)]
    detail = f"not so: {', '.join(wrong)}" if wrong else ""
    yield Check(name="no figure that it gives contradicts the file", ok=not wrong, detail=detail)


def unchecked_parts(passport: Passport, requirement: Requirement, findings: Findings) -> Iterator[str]:
    """The parts of a passport that are the word of whoever made the release, in words of ours."""
    if requirement.not_kept:
        yield f"its promise: {requirement.not_kept}"
    if requirement.unproved and "population" not in findings.settled:
        yield f"its promise: {requirement.unproved}"
    if passport.headline and passport.headline != findings.sentence:
        yield "its headline"
    figures = sum(name not in findings.figures for name in passport.loss)
    if figures:
        yield f"{figures} figure{'s' * (figures != 1)} of what it cost"
    more = len(passport.unknown_caveats(requirement, findings.caveats))
    if more:
        yield f"{more} further limit{'s' * (more != 1)}"
    yield from (words for part, words in _PARTS.items() if getattr(passport, part) and part not in findings.settled)


def _same(said: Any, found: Any) -> bool:
    """Whole numbers, texts and tables must be equal; other numbers nearly so."""
    if type(found) is float:
        return type(said) in (int, float) and math.isclose(said, found, rel_tol=_NOISE)
    return bool(said == found) and isinstance(said, bool) == isinstance(found, bool)
