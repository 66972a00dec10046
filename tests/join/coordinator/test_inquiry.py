"""Asking several sites: a start that fails leaves no site behind that takes itself for busy."""

import threading
import time

import pytest
from tests.join.sites import FIGURE_2, FIGURE_2_JOINS, graph_of_sites, sites_of
from tests.patience import PROMPT

from confide.core.errors import UnreachableError
from confide.join.coordinator.simulation import simulated
from confide.join.network.links import Hall


def test_a_site_that_is_slow_to_begin_is_stopped_after_it_has_begun(monkeypatch):
    sites = sites_of(FIGURE_2, FIGURE_2_JOINS, ("T1", "class"))
    coordinator = simulated(graph_of_sites(FIGURE_2, FIGURE_2_JOINS, ("T1", "class")), sites)
    hall = coordinator.link.hall
    assert isinstance(hall, Hall)
    slow, gone = sites[0], hall.parties.pop("T3")
    begin, stopped = slow._begin, threading.Event()

    def after_a_while(terms):
        stopped.wait(0.6)  # the refusal of T3 is known long before
        return begin(terms)

    monkeypatch.setattr(slow, "_begin", after_a_while)
    with pytest.raises(UnreachableError, match="T3 does not answer"):
        coordinator.train()
    assert slow.runs.current is not None
    assert slow.runs.current.over, "it has given the run up"

    monkeypatch.undo()
    hall.enter(gone)
    started = time.monotonic()
    again = simulated(graph_of_sites(FIGURE_2, FIGURE_2_JOINS, ("T1", "class")), sites)
    assert again.train().nodes, "and takes part in the next at once"
    assert time.monotonic() - started < PROMPT
