"""Labels that people list: one per line in a file, or every label with a prefix."""

from collections.abc import Iterable, Sequence
from os import PathLike

from confide.core.errors import InputError, UsageError

__all__ = ["private_labels", "read_labels"]


def read_labels(path: str | PathLike[str]) -> list[str]:
    """The labels in a text file, one per line; blank lines and blanks around a label are dropped."""
    return [label for _, label in _numbered(path)]


def private_labels(
    labels: Sequence[str],
    *,
    listed: Iterable[str] = (),
    file: str | PathLike[str] | None = None,
    prefixes: Iterable[str] = (),
    advice: str = "",
) -> list[str]:
    """Which of the `labels` of the data are private, in the order of the data.

    Private are the labels that are `listed`, those in a `file` (one per line), and those that start with one of the
    `prefixes`. A listed label that never occurs is an error, since a misspelt one would stay public; a prefix may match
    nothing while something is private, but prefixes that leave nothing private are an error, too. `advice` ends the
    line about a listed label.

    >>> private_labels(["bread", "s:insulin", "tea"], listed=["tea"], prefixes=["s:"])
    ['s:insulin', 'tea']
    """
    for name, given in (("listed", listed), ("prefixes", prefixes)):
        if isinstance(given, str):
            raise UsageError(f"{name} takes a list of texts, not one text; write [{given!r}]")
    known = set(labels)
    starts = tuple(prefixes)
    chosen = {label for label in labels if label.startswith(starts)}
    for label in listed:
        if label not in known:
            raise UsageError(f"private item {label!r} never occurs in the data; check the spelling{advice}")
        chosen.add(label)
    for line, label in [] if file is None else _numbered(file):
        if label not in known:
            told = f"private item {label!r} never occurs in the data; check the spelling{advice}"
            raise InputError(told, source=file, line=line)
        chosen.add(label)
    if starts and not chosen:
        raise UsageError(f"no item starts with {starts[0]!r}, so nothing would be private; check the private prefix")
    return [label for label in labels if label in chosen]


def _numbered(path: str | PathLike[str]) -> list[tuple[int, str]]:
    """(line number, label) for each line that is not blank."""
    from confide.core.files import read_bytes

    try:
        lines = bytes(read_bytes(path)).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InputError("not UTF-8; save the file as UTF-8", source=path) from None
    return [(number, line.strip()) for number, line in enumerate(lines, start=1) if line.strip()]
