"""Addresses of the web, as people and other servers write them."""

import ipaddress
from urllib.parse import SplitResult, urlsplit

__all__ = ["is_local", "web_address"]


def is_local(host: str) -> bool:
    """Whether who listens at this address can be reached from this machine only.

    >>> [is_local(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "a.example")]
    [True, True, True, False, False]
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def web_address(text: str) -> SplitResult | None:
    """The parts of an address that begins with http:// or https:// and names a host; None for anything else.

    >>> web_address("https://a.example:8443/x").hostname
    'a.example'
    >>> [web_address(text) for text in ("a.example", "http://", "http://[::1", "http://a.example:x", "file:///etc")]
    [None, None, None, None, None]
    """
    try:
        parts = urlsplit(text)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:  # a bracket that is not closed, a port that is none
        return None
    return parts if sound else None
