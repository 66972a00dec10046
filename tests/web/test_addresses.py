"""Which addresses are on the internet: only what is known to be."""

import pytest

from confide.web.addresses import is_on_the_internet

INSIDE = [
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:224.0.0.1",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a00:1",
    "64:ff9b::808:808",
    "64:ff9b:1::a00:1",
    "64:ff9b:1:ffff::1",
    "100::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:20::1",
    "2001:db8::1",
    "2002:a00:1::1",
    "2002:7f00:1::1",
    "2002:808:808::1",
    "3fff::1",
    "4000::1",
    "5f00::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "feff::1",
    "ff02::1",
    "ff0e::1",
]
OUTSIDE = ["1.1.1.1", "8.8.8.8", "93.184.216.34", "2606:4700:4700::1111", "2a00:1450:4001::1", "::ffff:8.8.8.8"]


@pytest.mark.parametrize("address", INSIDE)
def test_what_may_lead_inside_is_not_public(address):
    assert not is_on_the_internet(address)


@pytest.mark.parametrize("address", OUTSIDE)
def test_what_anybody_can_reach_is(address):
    assert is_on_the_internet(address)


def test_names_are_not_addresses():
    assert not any(map(is_on_the_internet, ["", "a.example", "localhost", "0x7f000001", "127.1", "1.1.1.1.1"]))
