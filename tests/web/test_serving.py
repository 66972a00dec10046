"""Addresses to listen on: said in one line when they cannot be had."""

import socket

import pytest

from confide.core.errors import ConfideError, UsageError
from confide.web.serving import check_address, listen, url_of


def test_a_port_in_use_is_said_before_serving():
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {port}"):
            listen("127.0.0.1", port)
        with pytest.raises(UsageError, match="another program"):
            check_address(f"127.0.0.1:{port}")


def test_an_address_that_is_not_here_is_refused():
    with pytest.raises(ConfideError, match="cannot serve"):
        check_address("192.0.2.1:0")


def test_the_url_of_an_ipv6_address_has_brackets():
    if not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    try:
        with listen("::1", 0) as listening:
            assert url_of(listening, tls=True) == f"https://[::1]:{listening.getsockname()[1]}/"
    except UsageError:
        pytest.skip("no IPv6 address here")
