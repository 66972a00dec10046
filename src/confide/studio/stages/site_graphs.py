"""The sites of a join as their configurations have them: who joins whom by what, and what each owner allows."""

from dataclasses import dataclass
from typing import Any

from confide.core.errors import ConfideError, InputError
from confide.core.files import read_toml
from confide.join.configuration.config_files import JoinConfig, SiteConfig
from confide.studio.project.project_folder import Project

__all__ = ["DrawnSite", "SiteGraphDrawing", "draw_sites", "find_joins", "policy_lines"]

_WIDE, _HIGH, _BOX = 190, 96, (140, 46)


@dataclass(frozen=True, kw_only=True)
class DrawnSite:
    """A site and where its box stands. `config` is None where the folder has none, with `fault` saying why."""

    name: str
    x: int
    y: int
    is_target: bool
    table: str = ""
    config: SiteConfig | None = None
    fault: str = ""


@dataclass(frozen=True, kw_only=True)
class SiteGraphDrawing:
    """Boxes and lines between them, each with the columns that join; `width` by `height`."""

    name: str
    target: str
    sites: tuple[DrawnSite, ...]
    lines: tuple[tuple[DrawnSite, DrawnSite, str], ...]
    width: int
    height: int
    box: tuple[int, int] = _BOX


def find_joins(project: Project, names: list[str]) -> list[str]:
    """Those of these TOML files that describe a join of several sites."""
    found = []
    for name in names:
        try:
            plain = read_toml(project.place(name))
        except ConfideError:
            continue
        if isinstance(plain.get("sites"), dict) and isinstance(plain.get("edges"), list):
            found.append(name)
    return found


def draw_sites(project: Project, name: str) -> SiteGraphDrawing:
    """The graph of a join: the site with the class on the left, its neighbours beside it, and so on."""
    path = project.place(name)
    if not path.exists():
        raise InputError("is not in the folder any more", source=name[:100])
    config = JoinConfig.read(path)
    depth, waiting = {config.target: 0}, [config.target]
    while waiting:
        one = waiting.pop(0)
        near = [b if a == one else a for a, b in config.edges if one in (a, b)]
        for other in near:
            if other not in depth:
                depth[other] = depth[one] + 1
                waiting.append(other)
    ranks: dict[int, int] = {}
    sites: dict[str, DrawnSite] = {}
    for site in depth:
        rank = ranks.get(depth[site], 0)
        ranks[depth[site]] = rank + 1
        x, y = depth[site] * _WIDE + 8, rank * _HIGH + 8
        sites[site] = _site(project, config, site, x=x, y=y)
    lines = tuple((sites[a], sites[b], _joined_by(sites[a], b)) for a, b in config.edges)
    width, height = (max(depth.values()) + 1) * _WIDE - 40, max(ranks.values()) * _HIGH - 30
    return SiteGraphDrawing(
        name=config.name, target=config.target, sites=tuple(sites.values()), lines=lines, width=width, height=height
    )


def _site(project: Project, config: JoinConfig, name: str, *, x: int, y: int) -> DrawnSite:
    known: dict[str, Any] = {"name": name, "x": x, "y": y, "is_target": name == config.target}
    place = config.sites[name].config
    if place is None:
        return DrawnSite(**known, fault="its configuration is with its owner")
    try:
        own = config.path(place)
        project.name_of(own)
        found = SiteConfig.read(own)
        found.effective_policy()
    except ConfideError as error:
        return DrawnSite(**known, fault=project.shorten(str(error)))
    table = "" if found.table is None else found.table.file or "a database"
    return DrawnSite(**known, table=table, config=found)


def _joined_by(site: DrawnSite, other: str) -> str:
    if site.config is None or other not in site.config.neighbours:
        return ""
    return ", ".join(site.config.neighbours[other].on)


def policy_lines(site: SiteConfig) -> list[str]:
    """What the owner of a site allows, in a sentence each."""
    policy = site.effective_policy()
    certain = policy.certain_classes
    lines = [
        f"every figure that leaves stands for at least {policy.min_records:,} of its records",
        "a neighbour may be able to tell the class of "
        + ("nobody for certain" if certain == 0 else f"up to {certain:.0%} of the people for certain"),
    ]
    if policy.forbid:
        lines.append(f"the tree may not split on {', '.join(policy.forbid)}")
    asked = {"none": "nothing", "size": "how many join values both have", "values": "which join values both have"}
    lines.append(f"outside a run a neighbour may ask {asked[policy.intersections]}")
    limits = [
        (policy.max_depth, "trees of at most {} levels"),
        (policy.max_runs, "at most {} runs"),
        (policy.max_intersections, "at most {} such questions"),
        (policy.max_predictions, "at most {} branches for predictions"),
    ]
    lines += [text.format(f"{value:,}") for value, text in limits if value is not None]
    if policy.min_leaf > 1:
        lines.append(f"leaves of at least {policy.min_leaf:,} records")
    return lines
