"""`verify`: from a passport to an answer, every step a named check.

    passport --> well-formed? --> artefact there? --> size, sha256 --> signature --> as we write it? --> the promise
                                                                                                  (the stage's entry)

An answer is always given: a hostile passport or artefact fails a check, it does not crash the auditor.
"""

import hashlib
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.audit.claims import check_figures, unchecked_parts
from confide.core.artefacts.exact import Released
from confide.core.artefacts.kinds import open_released
from confide.core.artefacts.released_parts import PARTS, read_released_parts
from confide.core.checks import Check, Verification
from confide.core.datasets.manifest import Manifest
from confide.core.errors import ConfideError, UsageError
from confide.core.files import read_regular
from confide.core.passport import Passport
from confide.core.release import passport_path
from confide.core.requirements import Requirement
from confide.core.requirements.earlier_releases import JOINT_PROOF, earlier_releases
from confide.core.requirements.version_2 import overstated
from confide.core.runtime.memory import MemoryBudget
from confide.core.runtime.threads import answers_ctrl_c
from confide.core.stages import Stage, stage_named

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

__all__ = ["verify"]


@answers_ctrl_c
def verify(
    passport: str | PathLike[str] | Passport,
    *,
    artefact: str | PathLike[str] | None = None,
    key: "Ed25519PublicKey | None" = None,
    evidence: Any = None,
) -> Verification:
    """Re-check a release: file unchanged, signature, and the promise itself as far as it can be proved.

    `passport` is a file, or a `Passport`, which then needs `artefact`; by default the artefact is the file the
    passport names, beside it. With `key` the passport must be signed by that very key. Without, a signature shows
    only that nothing was changed since someone signed. `evidence` is what only the owner of some releases has (for an
    exposed profile: the profile, as `Profile.evidence` gives it); with it more can be proved.
    """
    if not isinstance(passport, Passport):
        _refuse_artefact(Path(passport))
    if artefact is not None:
        path = Path(artefact)
    elif isinstance(passport, Passport):
        raise UsageError(
            "a Passport object does not know its folder; pass artefact=, or the passport's path",
            parameter="artefact",
            value=artefact,
        )
    else:
        path = Path(passport).parent
    read, checks = _read(passport)
    if read is None:
        return Verification.of(checks)
    known, requirement, stage = read
    data = None
    if known.artefact is None:
        checks.append(Check(name="artefact is there", ok=False, detail="the passport names no file: never written"))
    else:
        path = path if artefact is not None else path / known.artefact.name
        data, found = _file_checks(known, path)
        checks += found
    checks.append(_words_check(known, requirement))
    checks += _signature_checks(known, key)
    if data is not None:
        checks += _promise_checks(known, stage, requirement, data, path, evidence)
    unchecked = unchecked_parts(known, requirement, Verification.of(checks).findings)
    return Verification.of(checks, not_provable=_not_provable(known, stage, requirement), unchecked=unchecked)


def _refuse_artefact(path: Path) -> None:
    """The released file in place of its passport is a slip, not a forgery."""
    beside = passport_path(path)
    if path.suffix != ".json" and beside.is_file():
        raise UsageError(f"{path} is the released file; verify its passport: {beside}")


def _read(passport: str | PathLike[str] | Passport) -> tuple[tuple[Passport, Requirement, Stage] | None, list[Check]]:
    name = "passport is well-formed"
    try:
        known = passport if isinstance(passport, Passport) else Passport.read(passport)
        requirement = Requirement.from_dict(known.requirement)
        stage = stage_named(known.stage)
        stage.verifier(requirement.kind)
        if known.artefact is not None:
            stage.check_artefact(known.artefact.type)
        # In our words, not in the passport's: its own sentence could say more than its numbers.
        claims = known.words_of(requirement).promise
    except ConfideError as error:
        return None, [Check(name=name, ok=False, detail=str(error))]
    return (known, requirement, stage), [Check(name=name, ok=True, detail=f"it claims: {claims}")]


def _words_check(passport: Passport, requirement: Requirement) -> Check:
    """The sentences of a passport must be those of its requirement: more caveats are welcome, more promises are not."""
    words = passport.words_of(requirement)
    same = (passport.promise, passport.protects_against) == (words.promise, words.stops)
    ok = same and set(words.does_not_stop) <= set(passport.does_not_protect_against)
    return Check(name="its words fit its numbers", ok=ok, detail="" if ok else "promise or limits were reworded")


def _file_checks(passport: Passport, path: Path) -> tuple[bytes | None, list[Check]]:
    """The bytes of the file, read once: what is hashed here is what is verified below."""
    wanted = passport.artefact
    assert wanted is not None
    try:
        data = Manifest.read(path)[1] if path.is_dir() else read_regular(path)
    except ConfideError as error:
        return None, [Check(name="artefact is there", ok=False, detail=str(error))]
    digest = hashlib.sha256(data).hexdigest()
    same_size, same_digest = len(data) == wanted.bytes, digest == wanted.sha256
    return data, [
        Check(name="artefact is there", ok=True),
        Check(
            name="size of the artefact",
            ok=same_size,
            detail=f"{len(data):,} bytes" + ("" if same_size else f", the passport says {wanted.bytes:,}"),
        ),
        Check(
            name="sha256 of the artefact",
            ok=same_digest,
            detail=f"{digest[:16]}..."
            + ("" if same_digest else f", the passport says {wanted.sha256[:16]}...: another or a changed file"),
        ),
    ]


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


def _promise_checks(
    passport: Passport, stage: Stage, requirement: Requirement, data: bytes, path: Path, evidence: Any
) -> list[Check]:
    wanted = passport.artefact
    assert wanted is not None
    form = "artefact is as Confide writes it"
    spelled = passport.version > 2  # writers of version 2 left NaN and -0.0 as they were
    try:
        if path.is_dir():
            manifest = Manifest.of(data, path)
            held = MemoryBudget.for_file(sum(part.bytes for part in manifest.parts))
            parts = read_released_parts(path, manifest, type=wanted.type, budget=held, spelled=spelled)
            found = Released(data=parts, format=PARTS)
        else:
            found = open_released(data, path.name, type=wanted.type, spelled=spelled)
    except Exception as error:  # whatever a hostile file provokes in a reader is an answer about the file
        return [Check(name=form, ok=False, detail=_reason(error))]
    if found.format != wanted.format:
        said = f"the passport calls it {wanted.format}, by its name and content it is {found.format}"
        return [Check(name=form, ok=False, detail=said)]
    try:
        shown = () if evidence is None else (evidence,)
        checks = list(stage.verifier(requirement.kind)(found.data, passport, *shown))
        checks += check_figures(passport, checks) if checks else ()
    except Exception as error:  # likewise a hostile context in a verifier
        checks = [Check(name=requirement.kind, ok=False, detail=f"could not be checked: {_reason(error)}")]
    checks = checks or [Check(name=requirement.kind, ok=False, detail="there was nothing to check")]
    return [Check(name=form, ok=True), *checks]


def _reason(error: Exception) -> str:
    """Our own errors name no values; of others only the kind is named."""
    return str(error) if isinstance(error, ConfideError) else f"{type(error).__name__} in the reader"


def _not_provable(passport: Passport, stage: Stage, requirement: Requirement) -> tuple[str, ...]:
    unsigned = ("who issued it: the passport is not signed",) if passport.signature is None else ()
    older = overstated(requirement, stage.name) if passport.version == 2 else ()
    joint = (JOINT_PROOF,) if earlier_releases(passport.context) else ()
    return (*stage.not_provable, *older, *joint, *unsigned)
