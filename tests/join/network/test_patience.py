"""Accepted connections lose gRPC's limit of 20 seconds; other sockets of the process keep what they have."""

import socket

import pytest

from confide.join.network.patience import Patience

pytestmark = pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="no such option on this system")


def limit(link):
    return link.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)


def test_only_accepted_connections_of_the_port_are_let_wait_and_each_peer_once():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_server(("127.0.0.1", 0)) as other:
        links = []
        for listening in (server, other):
            links.append(socket.create_connection(listening.getsockname()))
            links.append(listening.accept()[0])
        for link in links:
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 20_000)
        patience = Patience(server.getsockname()[1])
        patience.with_peer("ipv4:127.0.0.1:1")
        assert [limit(link) for link in links] == [20_000, 0, 20_000, 20_000]
        links[1].setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 20_000)
        patience.with_peer("ipv4:127.0.0.1:1")
        assert limit(links[1]) == 20_000, "a known peer is not looked for again"
        patience.with_peer("ipv4:127.0.0.1:2")
        assert limit(links[1]) == 0
        for link in links:
            link.close()
