"""The join graph that files describe, for someone who has all of them: a check or a trial beforehand."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from confide.core.errors import UsageError
from confide.core.tables.reading import PLAIN, Reading
from confide.core.tables.sources import load_table
from confide.join.configuration.config_files import File, JoinConfig, SiteConfig
from confide.join.graph.join_graph import JoinGraph, Reference

if TYPE_CHECKING:
    import pyarrow as pa

    from confide.join.graph.forecast import JoinCheck

__all__ = ["check_allowed", "check_join", "forbidden_of", "graph_of", "graph_of_files", "labels_of"]


def check_join(config: JoinConfig | File, reading: Reading = PLAIN) -> "JoinCheck":
    """Look at the tables and joins of a run, by its join.toml and every site's configuration: nothing is joined."""
    read = JoinConfig.of(config)
    return graph_of(read, reading).check(categorical=labels_of(read), exclude=forbidden_of(read))


def check_allowed(config: JoinConfig | File, found: "JoinCheck") -> None:
    """Refuse a run in which a neighbour could tell more for certain than the sites' policies allow, as they would.

    What splits of the tree add to this only a run can show.
    """
    read = JoinConfig.of(config)
    policies = {
        name: SiteConfig.read(read.path(place.config)).effective_policy()
        for name, place in read.sites.items()
        if place.config is not None
    }
    allowed = {read.target: policies[read.target].allowed_classes(None)}
    for counted in found.certain:  # in the order in which class summaries first go
        bound = allowed.setdefault(counted.sender, 0.0)
        at_target = counted.sender == read.target
        policies[counted.sender].check_certain(counted, classes=bound, at_target=at_target)
        if counted.receiver not in allowed:
            allowed[counted.receiver] = policies[counted.receiver].allowed_classes(bound)


def graph_of(config: JoinConfig, reading: Reading = PLAIN) -> JoinGraph:
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
        tables={name: _table(site, reading) for name, site in sites.items()},
        joins=joins,
        target=f"{config.target}.{target.class_column}",
    )


def labels_of(config: JoinConfig) -> list[str]:
    """Columns of numbers that the sites declare to be labels, as "site.column"."""
    found = []
    for name, place in config.sites.items():
        table = None if place.config is None else SiteConfig.read(config.path(place.config)).table
        found += [] if table is None else [f"{name}.{column}" for column in table.categorical]
    return found


def forbidden_of(config: JoinConfig) -> list[str]:
    """Join columns that the sites' policies forbid to split on, as "site.column"; `graph_of` drops the others."""
    found = []
    for name, place in config.sites.items():
        if place.config is not None:
            site = SiteConfig.read(config.path(place.config))
            joining = {column for neighbour in site.neighbours.values() for column in neighbour.on}
            found += [f"{name}.{column}" for column in sorted(joining & set(site.effective_policy().forbid))]
    return found


def graph_of_files(
    files: Mapping[str, File],
    *,
    joins: Iterable[tuple[Reference, Reference]],
    target: str,
    types: Mapping[str, str] | None = None,
    reading: Reading = PLAIN,
) -> JoinGraph:
    """Load tables from CSV or Parquet files, {name: file}, as one graph; `joins` and `target` as in `JoinGraph`.

    A column of a CSV file is numbers if all its cells are, unless it joins or is the class; `types` says otherwise:
    {"table.column": "text", "integer", "number" or "date"}.
    """
    declared: dict[str, dict[str, str]] = {name: {} for name in files}
    for column, kind in (types or {}).items():
        table = max((name for name in files if column.startswith(f"{name}.")), key=len, default=None)
        if table is None:
            raise UsageError(f"a type is given for {column!r}, which is in no table; tables are: {', '.join(files)}")
        declared[table][column[len(table) + 1 :]] = kind
    pairs = list(joins)
    compared = {target} | {
        name for pair in pairs for side in pair for name in ([side] if isinstance(side, str) else side)
    }
    tables = {}
    for name, path in files.items():
        text = {column.removeprefix(f"{name}.") for column in compared if column.startswith(f"{name}.")}
        tables[name] = load_table(file=path, types=declared[name], text=text, reading=reading)
    return JoinGraph(tables=tables, joins=pairs, target=target)


def _table(site: SiteConfig, reading: Reading) -> "pa.Table":
    loaded = site.load_table(reading)
    joining = {column for neighbour in site.neighbours.values() for column in neighbour.on}
    forbidden = set(site.effective_policy().forbid) - joining
    return loaded.select([name for name in loaded.column_names if name not in forbidden])
