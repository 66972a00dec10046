"""The join graph that configuration files describe, for whoever has all of them: a check or a trial beforehand."""

from typing import TYPE_CHECKING

from confide.core.errors import UsageError
from confide.join.configuration.files import JoinConfig, SiteConfig
from confide.join.graph.join_graph import JoinGraph

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["graph_of"]


def graph_of(config: JoinConfig) -> JoinGraph:
    """Load every site's table as one graph, without columns its policy forbids, but with all that join."""
    sites: dict[str, SiteConfig] = {}
    for name, place in config.sites.items():
        if place.config is None:
            raise UsageError(f"[sites.{name}] names no config; a check looks into every site's table")
        sites[name] = SiteConfig.read(config.path(place.config))
    target = sites[config.target].table
    if target is None or target.class_column is None:
        raise UsageError(f"the target {config.target} names no class column; add class = NAME to its [table]")
    joins = []
    for left, right in config.edges:
        for one, other in ((left, right), (right, left)):
            if other not in sites[one].neighbours:
                raise UsageError(f"{one} and {other} join, but {one} has no [neighbours.{other}]")
        columns = [[f"{a}.{name}" for name in sites[a].neighbours[b].on] for a, b in ((left, right), (right, left))]
        joins.append((columns[0], columns[1]))
    return JoinGraph(
        tables={name: _table(site) for name, site in sites.items()},
        joins=joins,
        target=f"{config.target}.{target.class_column}",
    )


def _table(site: SiteConfig) -> "pa.Table":
    loaded = site.load_table()
    joining = {column for neighbour in site.neighbours.values() for column in neighbour.on}
    forbidden = set(site.effective_policy().forbid) - joining
    return loaded.select([name for name in loaded.column_names if name not in forbidden])
