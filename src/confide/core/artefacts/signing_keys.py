"""Ed25519 keys that sign passports: made, and read from PEM files."""

import os
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from confide.core.errors import InputError, UsageError
from confide.core.files import read_regular, write_text

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

__all__ = ["make_keys", "read_private_key", "read_public_key"]

_LONGEST = 1 << 20


def make_keys(private: str | PathLike[str]) -> tuple[Path, Path]:
    """Make a key: `private` (for its owner only) and `private`.pub, which is handed out. A key is never overwritten."""
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    path = Path(private)
    key = Ed25519PrivateKey.generate()
    secret = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    public = key.public_key().public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo)
    beside = path.with_name(path.name + ".pub")
    if beside.exists():
        raise UsageError(f"{beside} exists; a key is never overwritten, choose another name")
    try:
        # Made with mode 600 from the start: no moment at which others could read it.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise UsageError(f"{path} exists; a key is never overwritten, choose another name") from None
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from None
    with open(descriptor, "wb") as file:
        file.write(secret)
    write_text(beside, public.decode())
    return path, beside


def read_private_key(path: str | PathLike[str]) -> "Ed25519PrivateKey":
    """An Ed25519 private key from a PEM file."""
    from cryptography.exceptions import InternalError, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(read_regular(path, max_bytes=_LONGEST), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm, InternalError):
        raise InputError("not a private key in PEM form without a password", source=path) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise InputError("the key is not an Ed25519 key; make one with: confide passport keys FILE", source=path)
    return key


def read_public_key(path: str | PathLike[str]) -> "Ed25519PublicKey":
    """An Ed25519 public key from a PEM file."""
    from cryptography.exceptions import InternalError, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(read_regular(path, max_bytes=_LONGEST))
    except (ValueError, UnsupportedAlgorithm, InternalError):
        raise InputError("not a public key in PEM form", source=path) from None
    if not isinstance(key, Ed25519PublicKey):
        raise InputError("the key is not an Ed25519 key", source=path)
    return key
