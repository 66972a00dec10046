"""What a passport says, as facts for a page: how the release was made, and which one it is."""

import re
from collections.abc import Mapping
from typing import Any

from confide.core.bounds import at_most
from confide.core.errors import VerificationError
from confide.core.passport import Passport
from confide.report.blocks import Fact, Text, block, facts
from confide.report.formats import scalar

__all__ = ["identity", "making", "said_making"]

_PLAIN = {  # parameters that bear a paper's word
    "nugget_support": "support of an itemset worth keeping",
    "nugget_length": "longest itemset worth keeping",
}
_BOUNDS = frozenset({"epsilon", "gamma", "per_item"})
_SOURCES = {
    "none": "none was used",
    "system": "drawn from the operating system",
    "seeded": "seeded: for experiments, protects nobody",
}


def making(passport: Passport, settled: frozenset[str]) -> list[tuple[str, list[Fact]]]:
    """How the release was made, as far as its files say so: the parts that are `settled`, each with its heading."""
    return [group for part, group in _making(passport) if part in settled and group[1]]


def said_making(passport: Passport, settled: frozenset[str]) -> list[tuple[str, list[Fact]]]:
    """How the release was made, where only whoever made it can say so."""
    versions = block([f"{name} {version}" for name, version in passport.versions.items()])
    made = re.sub(r"^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\dZ$", r"\1, \2 UTC", passport.created)
    plain = [] if "algorithm" in settled else [Fact("Algorithm", block(passport.algorithm))]
    plain += [Fact("Made", block(made)), Fact("Versions", versions)]
    groups = [("How and when", plain), *(group for part, group in _making(passport) if part not in settled)]
    return [(name, group) for name, group in groups if group]


def _making(passport: Passport) -> list[tuple[str, tuple[str, list[Fact]]]]:
    """The parts of a passport that say how a release was made: each with its heading and facts."""
    randomness = dict(passport.randomness)
    source = randomness.pop("source", "none")
    drawn = _SOURCES.get(source, scalar(source)) if isinstance(source, str) else scalar(source)
    given = passport.parameters
    return [
        (
            "parameters",
            ("Parameters", facts({_PLAIN.get(name, name): _bounded(name, value) for name, value in given.items()})),
        ),
        ("context", ("What the checks take as given", facts(passport.context))),
        ("randomness", ("Chance", [Fact("Randomness", Text(drawn)), *facts(randomness)])),
    ]


def _bounded(name: str, value: Any) -> Any:
    """A parameter that is a bound is rounded to the safe side."""
    return at_most(value) if name in _BOUNDS and isinstance(value, float) else value


def identity(passport: Passport, settled: frozenset[str]) -> list[Fact]:
    """Which release this is: stage, requirement, file and signature; the algorithm where the files settle it."""
    named: dict[str, Any] = {"Stage": passport.stage, "Requirement": _requirement(passport.requirement)}
    if "algorithm" in settled:
        named["Algorithm"] = passport.algorithm
    if passport.artefact is not None:
        artefact = passport.artefact
        named["File"] = artefact.name
        named["Kind of file"] = f"{artefact.type}, {artefact.format}" if artefact.format else artefact.type
        named["Size"] = f"{artefact.bytes:,} bytes"
        named["SHA-256"] = artefact.sha256
    named["Signature"] = _signature(passport)
    return [Fact(name, block(value)) for name, value in named.items()]


def _requirement(requirement: Mapping[str, Any]) -> str:
    """A kind with its numbers; of several joined ones, each."""
    inner = requirement.get("parts", [requirement["of"]] if "of" in requirement else None)
    if (
        isinstance(inner, list | tuple)
        and inner
        and all(isinstance(part, Mapping) and "kind" in part for part in inner)
    ):
        joined = " and ".join(_requirement(part) for part in inner)
        return joined if "parts" in requirement else f"{requirement['kind']}: {joined}"
    values = ", ".join(
        f"{name} = {f'{value:.15g}' if isinstance(value, float) else scalar(value)}"  # as given, not rounded
        for name, value in requirement.items()
        if name != "kind"
    )
    return f"{requirement['kind']} ({values})"


def _signature(passport: Passport) -> str:
    if passport.signature is None:
        return "not signed"
    try:
        return f"Ed25519, fits this passport; public key {passport.check_signature()}"
    except VerificationError as error:
        return f"does not hold: {error}"
