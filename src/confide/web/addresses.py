"""Addresses of the web, as people and other servers write them."""

import ipaddress
from urllib.parse import SplitResult, urlsplit

__all__ = ["is_local", "is_on_the_internet", "web_address"]

_UNICAST = ipaddress.ip_network("2000::/3")
"""The one part of IPv6 from which addresses on the internet are given out."""

_NO_MACHINES = [
    ipaddress.ip_network(block)
    for block in ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
]
"""Protocols, relays, tunnels (Teredo, 6to4) and examples: they stand for no machine, or for one reached elsewhere."""


def is_local(host: str) -> bool:
    """Whether who listens at this address can be reached from this machine only.

    >>> [is_local(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "a.example")]
    [True, True, True, False, False]
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_on_the_internet(address: str) -> bool:
    """Whether a numeric address is one that anybody on the internet can reach, and not of this machine or its network.

    Only what is known to be public is: of IPv6 the global unicast addresses without tunnels, of IPv4 what is neither
    private nor multicast nor reserved. An IPv4 address within IPv6 (::ffff:a.b.c.d) is judged as itself; one behind a
    translator (64:ff9b::a.b.c.d, site-local prefixes) is not public, since the translator may lead back inside.

    >>> [is_on_the_internet(address) for address in ("8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8")]
    [True, True, True]
    >>> [is_on_the_internet(address) for address in ("10.0.0.1", "224.0.0.1", "fec0::1", "64:ff9b::a00:1", "x")]
    [False, False, False, False, False]
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return is_on_the_internet(str(found.ipv4_mapped))
        if found not in _UNICAST:
            return False
    special = found.is_multicast or found.is_reserved or any(found in block for block in _NO_MACHINES)
    return found.is_global and not special


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
