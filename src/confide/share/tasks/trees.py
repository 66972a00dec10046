"""Published trees from files."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from confide.core.errors import InputError, UsageError
from confide.core.files import read_regular
from confide.core.trees.published import PublishedTree

if TYPE_CHECKING:
    from confide.core.trees.rules import RuleSet

__all__ = ["read_tree", "read_tree_or_rules", "read_trees"]

File = str | PathLike[str]


def read_tree(path: File) -> PublishedTree:
    """Read a tree's JSON file. What is promised of it stands in its passport, which `confide verify` checks."""
    source = Path(path)
    try:
        return PublishedTree.from_json(bytes(read_regular(source)).decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InputError("not UTF-8; a tree is a JSON file", source=source) from None
    except InputError as error:
        place = f"{error.source}: " if error.source not in (None, source) else ""
        raise InputError(f"{place}{error.what}", source=source, line=error.line) from None


def read_tree_or_rules(path: File) -> "PublishedTree | RuleSet":
    """Read a JSON file that holds a tree or a set of disjoint rules: its field "format" says which."""
    import json

    from confide.core.trees.rules import FORMAT, RuleSet

    source = Path(path)
    try:
        plain = json.loads(bytes(read_regular(source)).decode("utf-8-sig"))
    except (UnicodeDecodeError, ValueError, RecursionError):
        return read_tree(path)  # which says what is wrong
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        return read_tree(path)
    try:
        return RuleSet.from_json(json.dumps(plain))
    except InputError as error:
        place = f"{error.source}: " if error.source is not None else ""
        raise InputError(f"{place}{error.what}", source=source) from None


def read_trees(paths: Sequence[File]) -> list[PublishedTree]:
    """Read several trees; the same file twice is refused, since an owner would count twice."""
    seen: set[Path] = set()
    for path in paths:
        if Path(path).resolve() in seen:
            raise UsageError(f"{path} is given twice; each owner's tree counts once")
        seen.add(Path(path).resolve())
    return [read_tree(path) for path in paths]
