"""A hierarchy: its groups as a tree with their rows, and how they are gathered, renamed, split and levelled."""

from confide.core.errors import ConfideError, InputError, UsageError
from confide.core.tables.hierarchy import Hierarchy
from confide.studio.hierarchies.changes import (
    add_level,
    add_values,
    dissolve_groups,
    gather_groups,
    remove_level,
    rename_group,
)
from confide.studio.hierarchies.rulers import cut_level, read_cuts, rulers_of
from confide.studio.hierarchies.value_counts import described_column
from confide.studio.hierarchies.value_groups import label_at, tree_of
from confide.studio.visit import Answer, GoTo, Page, Visit, address

__all__ = ["show_hierarchy"]

_MOST_NODES = 3000


def show_hierarchy(visit: Visit) -> Answer:
    """The tree of the hierarchy `name`; posted, a change of it, which is saved as a version."""
    name = visit.text("name")
    if visit.form is None:
        return _tree_page(visit, name)
    do, versions = visit.text("do"), visit.studio.versions
    if do in ("undo", "redo"):
        versions.undo(name) if do == "undo" else versions.redo(name)
        return GoTo(address("hierarchy", name=name))
    try:
        changed = _change(visit, _read(visit, name), do)
        versions.save(name, changed.to_text(), base=visit.number("base", 0) or None)
    except ConfideError as error:
        return _tree_page(visit, name, fault=visit.studio.project.shorten(str(error)))
    return GoTo(address("hierarchy", name=name))


def _read(visit: Visit, name: str) -> Hierarchy:
    version = visit.studio.versions.current(name)
    if version is None:
        raise InputError("is not in the folder any more", source=name[:100])
    return Hierarchy.parse(version.text.encode(), source=name, pad=True)


def _change(visit: Visit, hierarchy: Hierarchy, do: str) -> Hierarchy:
    """The hierarchy after what was asked of the marked groups, or of a level."""
    if do in ("add-level", "remove-level"):
        level = visit.number("level")
        if level > hierarchy.height:
            raise UsageError("there is no such level; open the page again")
        return (add_level if do == "add-level" else remove_level)(hierarchy, level)
    if do == "cut":
        return cut_level(hierarchy, visit.number("level"), read_cuts(visit.text("cuts")))
    if do == "add-values":
        described = described_column(visit.studio, visit.text("name"))
        return add_values(hierarchy, (described.counts if described else None) or ())
    marked = [found for key in (visit.form or {}).get("marked", []) if (found := label_at(hierarchy, key))]
    levels = {level for level, _ in marked}
    labels = {label for _, label in marked}
    if len(levels) != 1:
        raise UsageError("mark groups first" if not marked else "mark groups of one level; these are of several")
    level, name = levels.pop(), visit.text("into").strip()
    if do == "gather":
        return gather_groups(hierarchy, level, labels, name)
    if do == "rename":
        if len(labels) > 1:
            raise UsageError("mark one group to rename it; to make several one, gather them")
        return rename_group(hierarchy, level, labels.pop(), name)
    if do == "split":
        return dissolve_groups(hierarchy, level, labels)
    raise UsageError("this page cannot do that; open it again")


def _tree_page(visit: Visit, name: str, *, fault: str = "") -> Page:
    hierarchy = _read(visit, name)
    described = described_column(visit.studio, name)
    counts = (described.counts if described else None) or {}
    levels = [(level, len({row[level] for row in hierarchy.rows})) for level in range(hierarchy.height + 1)]
    values = {
        "name": name,
        "version": visit.studio.versions.current(name),
        "tree": tree_of(hierarchy, counts),
        "levels": levels,
        "too_many": sum(number for _, number in levels) > _MOST_NODES,
        "described": described,
        "counted": bool(counts),
        "rulers": rulers_of(hierarchy, counts),
        "absent": sorted(set(counts) - set(hierarchy.values)),
        "fault": fault,
        "marked": set((visit.form or {}).get("marked", [])),
        "into": visit.text("into") if fault else "",
    }
    return Page(
        template="hierarchy.html.j2",
        title=name,
        values=values,
        owner=bool(counts),
        status=422 if fault else 200,
        again_after=1 if described is not None and described.counts is None else None,
    )
