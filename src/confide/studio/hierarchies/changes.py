"""Changes of a hierarchy, each from rows to rows. Level 0 are the values of the data, and the top is `*`: both stay.

20;20-24;20-29;*        gather 20-24 and 25-29 (level 1) under "twenties"      20;20-24;twenties;*
25;25-29;20-29;*   -->  rename, dissolve: of one group; a level: of all   -->  25;25-29;twenties;*
"""

from collections.abc import Collection, Iterable, Sequence

from confide.core.errors import UsageError
from confide.core.tables.hierarchy import TOP, Hierarchy

__all__ = ["add_level", "add_values", "dissolve_groups", "gather_groups", "remove_level", "rename_group"]

Rows = Sequence[Sequence[str]]


def gather_groups(hierarchy: Hierarchy, level: int, labels: Collection[str], into: str) -> Hierarchy:
    """Put groups (or values) of a level under one group of the next, called `into`, which may be there already.

    A group that is there keeps its place above; a new one takes that of the first that is put into it. Where the next
    level is the top, a level is added first.
    """
    _check_name(into)
    if level == hierarchy.height:
        raise UsageError("everything is one group at the top already; mark groups below it")
    if level + 1 == hierarchy.height:
        hierarchy = add_level(hierarchy, level)
    moved = [row for row in hierarchy.rows if row[level] in labels]
    there = [row for row in hierarchy.rows if row[level + 1] == into]
    above = (there or moved)[0][level + 2 :]
    return Hierarchy.from_rows(
        (*row[: level + 1], into, *above) if row[level] in labels else row for row in hierarchy.rows
    )


def rename_group(hierarchy: Hierarchy, level: int, label: str, name: str) -> Hierarchy:
    """Call a group otherwise."""
    _check_name(name)
    _check_inner(hierarchy, level, "renamed")
    if any(row[level] == name for row in hierarchy.rows):
        raise UsageError(
            f"there is a group called {name!r} at this level; mark what belongs together and gather it there"
        )
    return Hierarchy.from_rows(
        (*row[:level], name, *row[level + 1 :]) if row[level] == label else row for row in hierarchy.rows
    )


def dissolve_groups(hierarchy: Hierarchy, level: int, labels: Collection[str]) -> Hierarchy:
    """Let what is in these groups stand alone at their level, under its own names."""
    _check_inner(hierarchy, level, "split")
    others = {row[level] for row in hierarchy.rows if row[level] not in labels}
    freed = {row[level - 1] for row in hierarchy.rows if row[level] in labels}
    if taken := sorted(others & freed):
        raise UsageError(f"another group of this level is called {taken[0]!r}; rename it first")
    return Hierarchy.from_rows(
        (*row[:level], row[level - 1], *row[level + 1 :]) if row[level] in labels else row for row in hierarchy.rows
    )


def add_level(hierarchy: Hierarchy, level: int) -> Hierarchy:
    """Add a level above this one, with the same groups, to be gathered further."""
    if level == hierarchy.height:
        raise UsageError("nothing stands above the top; choose a lower level")
    return Hierarchy.from_rows((*row[: level + 1], *row[level:]) for row in hierarchy.rows)


def remove_level(hierarchy: Hierarchy, level: int) -> Hierarchy:
    """Leave a level between the values and the top out."""
    _check_inner(hierarchy, level, "removed")
    return Hierarchy.from_rows((*row[:level], *row[level + 1 :]) for row in hierarchy.rows)


def add_values(hierarchy: Hierarchy, values: Iterable[str]) -> Hierarchy:
    """Add values, each alone up to the top."""
    known = set(hierarchy.values)
    added = [(*[value] * hierarchy.height, TOP) for value in dict.fromkeys(values) if value not in known]
    for level in range(1, hierarchy.height):
        taken = {row[level] for row in hierarchy.rows}
        if clash := next((row[0] for row in added if row[0] in taken), None):
            raise UsageError(
                f"a group of level {level} is called {clash!r} like a value that is added; rename it first"
            )
    return Hierarchy.from_rows((*hierarchy.rows, *added))


def _check_inner(hierarchy: Hierarchy, level: int, word: str) -> None:
    if level == 0:
        raise UsageError(f"values of the data cannot be {word}; mark a group above them")
    if level == hierarchy.height:
        raise UsageError(f"the top cannot be {word}; mark a group below it")


def _check_name(name: str) -> None:
    if not name.strip() or name != name.strip() or not name.isprintable() or len(name) > 100:
        raise UsageError("give the group a name of 1 to 100 characters, without blanks around it")
    if name == TOP:
        raise UsageError(f"{TOP} is the name of the top; choose another")
