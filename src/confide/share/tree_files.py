"""Published trees from files, their passports checked."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.errors import InputError, UsageError, VerificationError
from confide.core.files import read_regular
from confide.core.release import verified_beside
from confide.core.trees.published import PublishedTree
from confide.share.generation.pseudo_data import published_tree

if TYPE_CHECKING:
    from confide.core.trees.rules import RuleSet

__all__ = ["CheckedTrees", "check_trees", "read_tree", "read_tree_or_rules", "read_trees"]

File = str | PathLike[str]
_HEAD = 200  # characters within which a file says its format


def read_tree(path: File) -> PublishedTree:
    """Read a tree's JSON file, or that of rules which are a tree. What is promised stands in its passport, which
    `confide verify` checks."""
    found = read_tree_or_rules(path)
    if isinstance(found, PublishedTree):
        return found
    with _of_file(Path(path)):
        return found.to_tree()


def read_tree_or_rules(path: File) -> "PublishedTree | RuleSet":
    """Read a JSON file that holds a tree or a set of disjoint rules: its field "format" says which."""
    from confide.core.trees.rules import FORMAT, RuleSet

    source = Path(path)
    with _of_file(source):
        try:
            text = bytes(read_regular(source)).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InputError("not UTF-8; a tree is a JSON file", source=source) from None
        # Only a file of rules says this word before it says anything of its own.
        if f'"{FORMAT}"' in text[:_HEAD]:
            return RuleSet.from_json(text)
        return PublishedTree.from_json(text)


@contextmanager
def _of_file(source: Path) -> Iterator[None]:
    """Faults that name a place within the file name the file, too."""
    try:
        yield
    except InputError as error:
        place = f"{error.source}: " if error.source not in (None, source) else ""
        raise InputError(f"{place}{error.what}", source=source, line=error.line) from None


def read_trees(paths: Sequence[File]) -> list[PublishedTree]:
    """Read several trees; the same file twice is refused, since an owner would count twice."""
    seen: set[Path] = set()
    for path in paths:
        if Path(path).resolve() in seen:
            raise UsageError(f"{path} is given twice; each owner's tree counts once")
        seen.add(Path(path).resolve())
    return [read_tree(path) for path in paths]


@dataclass(frozen=True, kw_only=True)
class CheckedTrees:
    """Trees whose passports hold, or that have none; `notes` name the latter."""

    trees: tuple[PublishedTree, ...]
    notes: tuple[str, ...]


def check_trees(sources: Sequence[Any]) -> CheckedTrees:
    """Read several trees from files; one whose passport does not hold is refused, one without a passport is named.

    What is in memory, a tree or its release, is taken as it is.
    """
    paths = [source for source in sources if isinstance(source, str | PathLike)]
    read = iter(read_trees(paths))
    notes = []
    for path in paths:
        found = verified_beside(path)
        if found is None:
            notes.append(f"warning: {path} has no passport, so nothing is promised of it")
        elif not found.ok:
            raise VerificationError(f"the passport of {path} does not hold: {found.summary()}")
    trees = tuple(next(read) if isinstance(source, str | PathLike) else published_tree(source) for source in sources)
    return CheckedTrees(trees=trees, notes=tuple(notes))
