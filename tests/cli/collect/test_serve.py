"""`confide collect serve`: what its operator reads."""

import pytest

from confide.cli.collect.serve import _exposed


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.8.0.1"])
def test_a_collector_on_this_machine_alone_needs_no_warning(host):
    assert _exposed(host, tls=False) == ()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "answers.example.org"])
def test_a_collector_that_others_can_reach_without_tls_warns_its_operator(host):
    assert "without TLS anyone on the way can change the page" in _exposed(host, tls=False)[0]
    assert _exposed(host, tls=True) == ()
