"""All sites of a join in one process, speaking through the same Arrow messages as by network."""

from collections.abc import Callable, Iterable
from typing import Any

from confide.join.coordinator.coordinator import Coordinator
from confide.join.coordinator.site_graph import SiteGraph
from confide.join.network.links import Hall
from confide.join.protocol.ledger import Ledger
from confide.join.site.site import Site

__all__ = ["simulated"]


def simulated(
    graph: SiteGraph,
    sites: Iterable[Site],
    *,
    name: str = "coordinator",
    heard: Callable[[str, str, str, bytes], None] | None = None,
    **parameters: Any,
) -> Coordinator:
    """A coordinator over sites of this process; `.train()` it. `parameters` are those of `Coordinator`.

    `heard` is called with (sender, receiver, verb, bytes) of every message, as it would go to the wire.
    """
    hall = Hall(heard)
    for site in sites:
        site.connect(hall.link(site.name, site.ledger, site.policy))
        hall.enter(site)
    return Coordinator(graph, hall.link(name, Ledger(name)), **parameters)
