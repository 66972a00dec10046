"""`sign_release`: nobody signs a passport that does not hold."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from confide.audit.verify import fingerprint, verify
from confide.core.errors import VerificationError
from confide.core.passport import Passport

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["sign_release"]


def sign_release(path: str | PathLike[str], key: "Ed25519PrivateKey") -> str:
    """Sign a passport in place, after verifying it with the file it names, beside it; the signer's fingerprint."""
    file = Path(path)
    known = Passport.read(file)  # read once: what is verified is what is signed
    if known.artefact is None:
        raise VerificationError("not signed: the passport names no file")
    outcome = verify(known, artefact=file.parent / known.artefact.name)
    if not outcome.ok:
        raise VerificationError(f"not signed, since the passport does not hold: {outcome.summary()}")
    signed = known.sign(key)
    signed.write(file, replace=True)
    assert signed.signature is not None
    return fingerprint(signed.signature.public_key)
