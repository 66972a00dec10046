"""Who counts as one client: an address, or of IPv6 the network that one customer is given; behind a proxy, its word.

A proxy names the client in X-Forwarded-For or in Forwarded, and clients can write these, too. So they are read only
where the connection comes from a proxy that the operator named, and from the right: the last address that is not such a
proxy's is the one that the proxy saw. Where both are there and differ, one of them was made up by the client.
"""

import ipaddress
import re
from collections.abc import Collection, Iterable

from confide.core.errors import UsageError

__all__ = ["UNCLEAR", "check_proxies", "client_of", "plain_address"]

UNCLEAR = "unclear"
"""The client of a request whose proxy names none, or two."""

_IPV6_CUSTOMER = 64
_FOR = re.compile(r'(?:^|;)\s*for\s*=\s*"?([^";]*)"?', re.IGNORECASE)


def check_proxies(addresses: Iterable[str]) -> frozenset[str]:
    """The addresses of trusted proxies in the form that connections have; UsageError if one is not an address."""
    try:
        return frozenset(plain_address(str(ipaddress.ip_address(one))) for one in addresses)
    except ValueError:
        raise UsageError("a trusted proxy is named by its IP address, such as 127.0.0.1 or 2001:db8::5") from None


def client_of(peer: str, headers: Iterable[tuple[bytes, bytes]] = (), trusted: Collection[str] = ()) -> str:
    """The client that a request counts for, given where its connection comes from and its headers.

    >>> client_of("192.0.2.7", [(b"x-forwarded-for", b"198.51.100.1")])
    '192.0.2.7'
    >>> client_of("192.0.2.7", [(b"x-forwarded-for", b"made up, 198.51.100.1")], {"192.0.2.7"})
    '198.51.100.1'
    >>> client_of("2001:db8:1:2:3:4:5:6")
    '2001:db8:1:2::/64'
    """
    peer = plain_address(peer)
    if peer not in trusted:
        return _group(peer)
    lists: dict[bytes, list[str]] = {b"x-forwarded-for": [], b"forwarded": []}
    for name, value in headers:
        if name in lists:
            lists[name] += value.decode("latin-1").split(",")
    lists[b"forwarded"] = [found[1] if (found := _FOR.search(hop)) else "" for hop in lists[b"forwarded"]]
    named = {_last(hops, trusted) for hops in lists.values() if hops}
    return named.pop() if len(named) == 1 else UNCLEAR if named else _group(peer)


def plain_address(text: str) -> str:
    """An address in its one form: IPv4 as itself also where it comes as IPv6, without the name of an interface."""
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return UNCLEAR
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return str(mapped or found)


def _last(hops: list[str], trusted: Collection[str]) -> str:
    """The last address that is not a trusted proxy's."""
    for hop in reversed(hops):
        address = plain_address(_without_port(hop.strip()))
        if address not in trusted:
            return _group(address)
    return UNCLEAR


def _without_port(text: str) -> str:
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text


def _group(address: str) -> str:
    if ":" not in address or address == "::1":
        return address
    return str(ipaddress.ip_network((address, _IPV6_CUSTOMER), strict=False))
