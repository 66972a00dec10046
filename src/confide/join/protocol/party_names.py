"""Names of parties: what stands in a certificate, a configuration and a file name."""

import re

from confide.core.errors import UsageError

__all__ = ["NAME", "check_name"]

NAME = r"^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$"
"""A label of the domain name system: TLS compares names by its rules."""


def check_name(name: str) -> str:
    """The name, if a party may have it.

    >>> check_name("hospital-2")
    'hospital-2'
    """
    if not re.fullmatch(NAME, name):
        raise UsageError(f"{name!r} is not a valid party name; use letters, digits and inner hyphens, at most 63")
    return name
