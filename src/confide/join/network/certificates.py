"""Certificates for a trial: an authority of our own, and one certificate for each party.

A party's name is the first name (DNS subject alternative name) in its certificate; that is what the other side of a
connection sees and checks. In production use your own authority; nothing here is needed but the names. It must sign
only names it has checked, of whatever kind: gRPC reports a caller by its first alternative name, be it DNS, URI or
email, or by its common name where there is none, and does not say which of these it was.
"""

import ipaddress
import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from confide.core.errors import UsageError
from confide.join.protocol.party_names import check_name

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

__all__ = ["make_certificates"]


_HOST = re.compile(r"[0-9A-Za-z*](?:[0-9A-Za-z.-]*[0-9A-Za-z])?|[0-9A-Fa-f:.]{2,45}")


def make_certificates(
    folder: str | os.PathLike[str],
    names: Sequence[str],
    *,
    addresses: Sequence[str] = (),
    days: int = 30,
) -> list[Path]:
    """Write `ca.pem`, and NAME.pem and NAME.key for each name; returns the paths. Nothing is overwritten.

    `addresses` are further IP addresses or host names every certificate is good for, beside the loopback ones; parties
    check each other by name, so they matter to other tools only. Private keys can be read by their owner only. The
    authority's own key is not kept: a party that comes later needs a new set.
    """
    from cryptography.hazmat.primitives import serialization

    given = list(names)
    for name in given:
        check_name(name)
    if len({name.lower() for name in [*given, "ca"]}) <= len(given):
        raise UsageError("two parties have the same name, or one is called ca, which is the authority's")
    for address in addresses:
        if not _HOST.fullmatch(address):
            raise UsageError(f"{address!r} is neither a host name nor an IP address")
    home = Path(folder)
    home.mkdir(parents=True, exist_ok=True)
    planned = [home / "ca.pem", *(home / f"{name}{end}" for name in given for end in (".pem", ".key"))]
    for path in planned:
        if os.path.lexists(path):
            raise UsageError(f"{path} exists; certificates are never overwritten, choose another folder")
    authority, authority_key = _authority(days)
    _write(planned[0], authority.public_bytes(serialization.Encoding.PEM), secret=False)
    for name in given:
        certificate, key = _certificate(name, authority, authority_key, addresses, days)
        _write(home / f"{name}.pem", certificate.public_bytes(serialization.Encoding.PEM), secret=False)
        plain = serialization.NoEncryption()
        pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
        _write(home / f"{name}.key", pem, secret=True)
    return planned


def _authority(days: int) -> "tuple[x509.Certificate, EllipticCurvePrivateKey]":
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Confide trial authority")])
    usage = x509.KeyUsage(
        digital_signature=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )
    built = (
        _valid(x509.CertificateBuilder(), days)
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
    )
    return built.sign(key, hashes.SHA256()), key


def _certificate(
    name: str,
    authority: "x509.Certificate",
    authority_key: "EllipticCurvePrivateKey",
    addresses: Sequence[str],
    days: int,
) -> "tuple[x509.Certificate, EllipticCurvePrivateKey]":
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    # The first name must be the party's: it is the identity the other side reads.
    also: list[x509.GeneralName] = [x509.DNSName(name)]
    for address in ("localhost", "127.0.0.1", "::1", *addresses):
        try:
            also.append(x509.IPAddress(ipaddress.ip_address(address)))
        except ValueError:
            also.append(x509.DNSName(address))
    built = (
        _valid(x509.CertificateBuilder(), days)
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(authority.subject)
        .public_key(key.public_key())
        .add_extension(x509.SubjectAlternativeName(also), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False
        )
    )
    return built.sign(authority_key, hashes.SHA256()), key


def _valid(builder: "x509.CertificateBuilder", days: int) -> "x509.CertificateBuilder":
    from cryptography import x509

    now = datetime.now(UTC)
    return (
        builder.serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))  # clocks of two machines differ
        .not_valid_after(now + timedelta(days=days))
    )


def _write(path: Path, data: bytes, *, secret: bool) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if secret else 0o644)
    with open(descriptor, "wb") as file:
        file.write(data)
