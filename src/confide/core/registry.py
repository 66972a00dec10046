"""Who verifies what, by name only: stages and auditors never import each other.

A verifier is a function `(artefact, passport) -> iterable of Check`. It is given as a dotted path and imported when it
is first needed, so that this module knows `confide.audit` without importing it.
"""

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from confide.core.checks import Check
from confide.core.errors import VerificationError

if TYPE_CHECKING:
    from confide.core.passport import Passport

__all__ = ["VERIFIERS", "Verifier", "verifier_for"]

Verifier = Callable[[Any, "Passport"], Iterable[Check]]

VERIFIERS: dict[str, str] = {
    "amplification": "confide.audit.verifiers.amplification:verify_amplification",
    "coherence": "confide.audit.verifiers.coherence:verify_coherence",
    "k-anonymity": "confide.audit.verifiers.tables:verify_k_anonymity",
    "limited-exchange": "confide.audit.verifiers.exchange:verify_exchange",
    "simple-diversity": "confide.audit.verifiers.tables:verify_simple_diversity",
    "recursive-diversity": "confide.audit.verifiers.tables:verify_recursive_diversity",
}
"""Requirement kind -> "module:function". A new stage adds its line here."""


def verifier_for(kind: str) -> Verifier:
    """The verifier of a kind of requirement, or an error: what nobody can check, nobody may release."""
    try:
        module, _, name = VERIFIERS[kind].partition(":")
    except KeyError:
        raise VerificationError(f"no verifier is known for {kind!r}, so nothing can be released under it") from None
    return getattr(import_module(module), name)  # type: ignore[no-any-return]
