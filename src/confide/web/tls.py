"""A certificate and its private key, checked before anybody connects.

A handshake that fails says little. What would make it fail is looked for beforehand: a key of somebody else, a key
that others can read, dates that have passed.
"""

import os
from datetime import UTC, datetime
from pathlib import Path

from confide.core.errors import InputError
from confide.core.files import read_bytes

__all__ = ["check_pair", "check_valid", "read_pem"]


def read_pem(path: Path, holds: str) -> bytes:
    """The bytes of a PEM file that must hold a `holds` ("CERTIFICATE", "PRIVATE KEY")."""
    data = bytes(read_bytes(path, max_bytes=1 << 20))
    if holds.encode() not in data:
        raise InputError(f"holds no {holds.lower()} in PEM form", source=path)
    return data


def check_pair(certificate: Path, key: Path) -> None:
    """Refuse a private key that others can read, that is not a key, or that belongs to another certificate."""
    from cryptography import x509
    from cryptography.exceptions import InternalError, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    pem = read_pem(key, "PRIVATE KEY")
    if os.name == "posix" and key.stat().st_mode & 0o077:
        raise InputError("others can read this private key; chmod 600 it first", source=key)
    try:
        public = load_pem_private_key(pem, password=None).public_key()
    except (ValueError, TypeError, UnsupportedAlgorithm, InternalError):
        raise InputError("is not a private key that can be read without a password", source=key) from None
    check_valid(certificate)
    try:
        certified = x509.load_pem_x509_certificate(read_pem(certificate, "CERTIFICATE")).public_key()
    except (ValueError, UnsupportedAlgorithm, InternalError):
        raise InputError("its public key is of a kind that cannot be read", source=certificate) from None
    if public != certified:
        raise InputError(f"this private key does not belong to the certificate {certificate}", source=key)


def check_valid(certificate: Path) -> None:
    """Refuse a certificate that cannot be read, has expired, or is not valid yet."""
    from cryptography import x509
    from cryptography.exceptions import InternalError, UnsupportedAlgorithm

    try:
        found = x509.load_pem_x509_certificate(read_pem(certificate, "CERTIFICATE"))
    except (ValueError, UnsupportedAlgorithm, InternalError):
        raise InputError("holds no certificate that can be read", source=certificate) from None
    now = datetime.now(UTC)
    if found.not_valid_after_utc < now:
        raise InputError(f"expired on {found.not_valid_after_utc:%Y-%m-%d %H:%M} UTC", source=certificate)
    if found.not_valid_before_utc > now:
        raise InputError(f"is not valid before {found.not_valid_before_utc:%Y-%m-%d %H:%M} UTC", source=certificate)
