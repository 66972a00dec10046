"""Sites and coordinators as configuration files describe them."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from confide.core.errors import InputError, UsageError
from confide.join.configuration.config_files import File, JoinConfig, SiteConfig, TlsConfig
from confide.join.coordinator.coordinator import Coordinator
from confide.join.coordinator.site_graph import SiteGraph
from confide.join.graph.split_columns import check_columns, infinite_of
from confide.join.hidden.helper import Helper
from confide.join.network.links import Hall, Link
from confide.join.network.transport import Credentials, FlightLink, FlightServer
from confide.join.protocol.ledger import Ledger
from confide.join.site.site import Site

__all__ = ["asking_site", "coordinator_of", "credentials_of", "hosting", "start_server", "simulation_of", "site_of"]

Heard = Callable[[str, str, str, bytes], None]


def credentials_of(tls: TlsConfig | None, folder: Path, name: str) -> Credentials:
    """A party's certificates; its configured name must be the one in its certificate."""
    if tls is None:
        raise UsageError("sites speak by mutual TLS only; add a [tls] section (see confide join keys)")
    found = Credentials(ca=folder / tls.ca, certificate=folder / tls.certificate, key=folder / tls.key)
    if found.name != name:
        raise InputError(f"the certificate is of {found.name!r}, but the configuration of {name!r}")
    return found


def site_of(config: SiteConfig, *, state: bool = True) -> Site:
    """A site with its table loaded; not yet connected. Without `state` nothing is written down."""
    loaded, table = config.load_table(), config.table
    assert table is not None
    site = Site(
        config.name,
        loaded,
        neighbours={name: neighbour.on for name, neighbour in config.neighbours.items()},
        coordinator=config.coordinator,
        class_column=table.class_column,
        categorical=table.categorical,
        id_column=table.id,
        policy=config.effective_policy(),
        state=config.path(config.state) if state else None,
        step_deadline=config.step_deadline,
        held_out=config.load_held_out(),
    )
    site.own.check()
    if site.held_out is not None:
        site.held_out.check()
    fault = infinite_of(check_columns(loaded, site.attributes, categorical=table.categorical))
    if fault is not None:  # none yet: records that join nothing may have such numbers
        logging.getLogger("confide.join").warning("%s: %s; a run stops if one of these joins", config.name, fault)
    return site


def start_server(config: SiteConfig, *, heard: Heard | None = None) -> FlightServer:
    """Load a site (or a helper) and serve it at its address."""
    credentials = credentials_of(config.tls, config.folder, config.name)
    party = Helper(config.name, coordinator=config.coordinator) if config.table is None else site_of(config)
    party.comparing.host = config.listen.rpartition(":")[0].strip("[]")
    party.comparing.credentials = credentials.for_comparisons()
    party.connect(_to_neighbours(config, party, credentials, heard))
    return FlightServer(party, config.listen, credentials=credentials)


@contextmanager
def hosting(paths: Sequence[File], parties: Sequence[str]) -> Iterator[None]:
    """Serve sites from this process for as long as the block takes; each must be one of the parties, given once."""
    sites = [SiteConfig.read(path) for path in paths]
    for place, site in enumerate(sites):
        if site.name not in parties:
            raise UsageError(
                f"{paths[place]} is of {site.name!r}, which is not a site of this join: {', '.join(parties)}"
            )
        if any(other.name == site.name for other in sites[:place]):
            raise UsageError(f"with_sites names {site.name!r} twice; give each site once")
    servers: list[FlightServer] = []
    try:
        for site in sites:
            servers.append(start_server(site))
        yield
    finally:
        for server in servers:
            server.close()


def asking_site(config: SiteConfig, *, heard: Heard | None = None) -> Site:
    """A site with its table loaded that speaks to its neighbours, and is not served itself."""
    site = site_of(config)
    site.connect(_to_neighbours(config, site, credentials_of(config.tls, config.folder, config.name), heard))
    return site


def _to_neighbours(config: SiteConfig, party: Site | Helper, credentials: Credentials, heard: Heard | None) -> Link:
    return FlightLink(
        config.name,
        party.ledger,
        credentials=credentials,
        addresses={name: neighbour.address for name, neighbour in config.neighbours.items()},
        policy=party.policy,
        heard=heard,
    )


def coordinator_of(config: JoinConfig, *, heard: Heard | None = None) -> Coordinator:
    """A coordinator that speaks to its sites by network."""
    credentials = credentials_of(config.tls, config.folder, config.name)
    addresses = {name: place.address for name, place in config.sites.items()}
    if config.helper is not None:
        addresses[config.helper.name] = config.helper.address
    link = FlightLink(config.name, Ledger(config.name), credentials=credentials, addresses=addresses, heard=heard)
    made = _coordinator(config, link, state=config.path(config.state))
    made.comparing.credentials = credentials.for_comparisons()
    return made


def simulation_of(config: JoinConfig, *, heard: Heard | None = None) -> tuple[Coordinator, list[Site]]:
    """The same run with all sites in this process; every site's configuration must be there."""
    hall = Hall(heard)
    sites = []
    for name, place in config.sites.items():
        if place.config is None:
            raise UsageError(f'a simulation needs every site\'s configuration; add config = "..." to [sites.{name}]')
        found = SiteConfig.read(config.path(place.config))
        if found.name != name or found.coordinator != config.name:
            raise UsageError(f"{place.config} is of site {found.name!r} under coordinator {found.coordinator!r}")
        site = site_of(found, state=False)
        site.connect(hall.link(name, site.ledger, site.policy))
        hall.enter(site)
        sites.append(site)
    if config.helper is not None:
        hall.enter(Helper(config.helper.name, coordinator=config.name))
    return _coordinator(config, hall.link(config.name, Ledger(config.name)), state=None), sites


def _coordinator(config: JoinConfig, link: Link, *, state: Path | None) -> Coordinator:
    return Coordinator(
        SiteGraph(list(config.sites), config.edges, config.target),
        link,
        criterion=config.tree.criterion,
        min_leaf=config.tree.min_leaf,
        min_branch=config.tree.min_branch,
        max_depth=config.tree.max_depth,
        confidence=config.tree.confidence or None,
        hide_gains=config.hide_gains,
        third=config.third,
        state=state,
        deadline=config.deadline,
        step_deadline=config.step_deadline,
    )
