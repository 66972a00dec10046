"""Addresses of the web, as people and other servers write them."""

from urllib.parse import SplitResult, urlsplit

__all__ = ["web_address"]


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
