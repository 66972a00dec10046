"""Who counts as one client: what a proxy says counts only from that proxy, and what its clients say does not."""

import pytest

from confide.core.errors import UsageError
from confide.web.clients import check_proxies, client_of

PROXIES = check_proxies(["192.0.2.1", "192.0.2.2", "2001:db8::0:5"])
XFF, FORWARDED = b"x-forwarded-for", b"forwarded"


@pytest.mark.parametrize(
    ("peer", "headers", "client"),
    [
        ("198.51.100.7", [], "198.51.100.7"),
        ("198.51.100.7", [(XFF, b"203.0.113.9")], "198.51.100.7"),
        ("198.51.100.7", [(FORWARDED, b"for=203.0.113.9")], "198.51.100.7"),
        ("::ffff:198.51.100.7", [], "198.51.100.7"),
        ("::1", [], "::1"),
        ("2001:db8:1:2:aaaa::1", [], "2001:db8:1:2::/64"),
        ("2001:db8:1:2:bbbb::2", [], "2001:db8:1:2::/64"),
        ("192.0.2.1", [], "192.0.2.1"),
        ("192.0.2.1", [(XFF, b"203.0.113.9")], "203.0.113.9"),
        ("2001:db8::5", [(XFF, b"203.0.113.9")], "203.0.113.9"),
        ("192.0.2.1", [(XFF, b"203.0.113.9:4711")], "203.0.113.9"),
        ("::ffff:192.0.2.1", [(XFF, b"203.0.113.9")], "203.0.113.9"),
        ("192.0.2.1", [(XFF, b"203.0.113.9, 2001:db8::5")], "203.0.113.9"),
        ("192.0.2.1", [(XFF, b"::ffff:203.0.113.9")], "203.0.113.9"),
        ("192.0.2.1", [(XFF, b"made-up, 10.0.0.1, 203.0.113.9, 192.0.2.2")], "203.0.113.9"),
        ("192.0.2.1", [(XFF, b"made-up"), (XFF, b"203.0.113.9")], "203.0.113.9"),
        ("192.0.2.1", [(XFF, b"[2001:db8:1:2:3::4]:80")], "2001:db8:1:2::/64"),
        ("192.0.2.1", [(FORWARDED, b'for="[2001:db8:1:2:3::4]:80";proto=https')], "2001:db8:1:2::/64"),
        ("192.0.2.1", [(FORWARDED, b"for=10.0.0.1, proto=https;For=203.0.113.9")], "203.0.113.9"),
        ("192.0.2.1", [(FORWARDED, b"for=203.0.113.9"), (XFF, b"203.0.113.9")], "203.0.113.9"),
        ("192.0.2.1", [(FORWARDED, b"for=203.0.113.9"), (XFF, b"203.0.113.8")], "unclear"),
        ("192.0.2.1", [(FORWARDED, b"by=203.0.113.9")], "unclear"),
        ("192.0.2.1", [(XFF, b"unknown")], "unclear"),
        ("192.0.2.1", [(XFF, b"\xff\x00, ,")], "unclear"),
        ("192.0.2.1", [(XFF, b"192.0.2.2")], "unclear"),
    ],
)
def test_which_client_a_request_counts_for(peer, headers, client):
    assert client_of(peer, headers, PROXIES) == client


def test_a_proxy_is_named_by_its_address():
    with pytest.raises(UsageError, match="IP address"):
        check_proxies(["proxy.example"])
