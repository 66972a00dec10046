"""`verify`: from a passport to an answer, every step a named check.

    passport --> well-formed? --> artefact there? --> size, sha256 --> signature --> can be read? --> the promise itself
                                                                                                  (the stage's entry)

An answer is always given: a hostile passport or artefact fails a check, it does not crash the auditor.
"""

import hashlib
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from confide.core.artefacts import load
from confide.core.checks import Check, Verification
from confide.core.errors import ConfideError, UsageError
from confide.core.passport import Passport, sha256_of
from confide.core.requirements import Requirement
from confide.core.stages import Stage, stage_named

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

__all__ = ["verify"]


def verify(
    passport: str | PathLike[str] | Passport,
    *,
    artefact: str | PathLike[str] | None = None,
    key: "Ed25519PublicKey | None" = None,
) -> Verification:
    """Re-check a release: file unchanged, signature, and the promise itself as far as it can be proved.

    `passport` is a file, or a `Passport`, which then needs `artefact`; by default the artefact is the file the
    passport names, beside it. With `key` the passport must be signed by that very key. Without, a signature shows
    only that nothing was changed since someone signed.
    """
    if artefact is not None:
        path = Path(artefact)
    elif isinstance(passport, Passport):
        raise UsageError("a Passport object does not know its folder; pass artefact=, or the passport's path")
    else:
        path = Path(passport).parent
    read, checks = _read(passport)
    if read is None:
        return Verification.of(checks)
    known, requirement, stage = read
    if known.artefact is None:
        checks.append(Check(name="artefact is there", ok=False, detail="the passport names no file: never written"))
    else:
        path = path if artefact is not None else path / known.artefact.name
        checks += _file_checks(known, path)
    checks.append(_words_check(known, requirement))
    checks += _signature_checks(known, key)
    if checks[1].ok and known.artefact is not None:
        checks += _promise_checks(known, stage, requirement, path)
    return Verification.of(checks, not_provable=_not_provable(known, stage))


def _read(passport: str | PathLike[str] | Passport) -> tuple[tuple[Passport, Requirement, Stage] | None, list[Check]]:
    name = "passport is well-formed"
    try:
        known = passport if isinstance(passport, Passport) else Passport.read(passport)
        requirement = Requirement.from_dict(known.requirement)
        stage = stage_named(known.stage)
        stage.verifier(requirement.kind)
        if known.artefact is not None:
            stage.check_artefact(known.artefact.type)
    except ConfideError as error:
        return None, [Check(name=name, ok=False, detail=str(error))]
    # In our words, not in the passport's: its own sentence could say more than its numbers.
    return (known, requirement, stage), [Check(name=name, ok=True, detail=f"it claims: {requirement.promise()}")]


def _words_check(passport: Passport, requirement: Requirement) -> Check:
    """The sentences of a passport must be those of its requirement: more caveats are welcome, more promises are not."""
    ok = (
        passport.promise == requirement.promise()
        and passport.protects_against == requirement.stops
        and set(requirement.does_not_stop) <= set(passport.does_not_protect_against)
    )
    return Check(name="its words fit its numbers", ok=ok, detail="" if ok else "promise or limits were reworded")


def _file_checks(passport: Passport, path: Path) -> Iterator[Check]:
    assert passport.artefact is not None
    there = path.is_file()
    yield Check(name="artefact is there", ok=there, detail="" if there else f"no file {path}")
    if not there:
        return
    try:
        size, digest = path.stat().st_size, sha256_of(path)
    except OSError as error:
        yield Check(name="sha256 of the artefact", ok=False, detail=f"cannot be read: {error.strerror}")
        return
    wanted = passport.artefact
    yield Check(
        name="size of the artefact",
        ok=size == wanted.bytes,
        detail=f"{size:,} bytes" + ("" if size == wanted.bytes else f", the passport says {wanted.bytes:,}"),
    )
    yield Check(
        name="sha256 of the artefact",
        ok=digest == wanted.sha256,
        detail=f"{digest[:16]}..."
        + (
            "" if digest == wanted.sha256 else f", the passport says {wanted.sha256[:16]}...: another or a changed file"
        ),
    )


def _signature_checks(passport: Passport, key: "Ed25519PublicKey | None") -> Iterator[Check]:
    if passport.signature is None and key is None:
        return
    try:
        signer = fingerprint(passport.check_signature(key))
    except (ConfideError, ValueError) as error:  # ValueError: contents that no JSON can hold, so nobody signed them
        detail = str(error) if isinstance(error, ConfideError) else "the passport holds what cannot be signed"
        yield Check(name="signature", ok=False, detail=detail)
        return
    trust = "the key you trust" if key is not None else "not compared with a key you trust"
    yield Check(name="signature", ok=True, detail=f"signed by key {signer[:16]}; {trust}")


def fingerprint(public_key: str) -> str:
    """Hex SHA-256 of a raw public key that is given in base64."""
    import base64

    return hashlib.sha256(base64.b64decode(public_key)).hexdigest()


def _promise_checks(passport: Passport, stage: Stage, requirement: Requirement, path: Path) -> list[Check]:
    assert passport.artefact is not None
    try:
        artefact = load(path, type=passport.artefact.type, format=passport.artefact.format)
    except Exception as error:  # whatever a hostile file provokes in a reader is an answer about the file
        return [Check(name="artefact can be read", ok=False, detail=_reason(error))]
    try:
        checks = list(stage.verifier(requirement.kind)(artefact, passport))
    except Exception as error:  # likewise a hostile context in a verifier
        return [Check(name=requirement.kind, ok=False, detail=f"could not be checked: {_reason(error)}")]
    return checks or [Check(name=requirement.kind, ok=False, detail="there was nothing to check")]


def _reason(error: Exception) -> str:
    """Our own errors name no values; of others only the kind is told."""
    return str(error) if isinstance(error, ConfideError) else f"{type(error).__name__} in the reader"


def _not_provable(passport: Passport, stage: Stage) -> tuple[str, ...]:
    unsigned = ("who issued it: the passport is not signed",) if passport.signature is None else ()
    return (*stage.not_provable, *unsigned)
