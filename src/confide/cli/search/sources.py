"""The options that name a person's own files; each source is on only if it is named."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from confide.search import Sources

__all__ = ["named_sources", "source_options"]

C = TypeVar("C", bound=Callable[..., Any])
_PLACE = click.Path(path_type=Path)


def source_options(command: C) -> C:
    """`--documents`, `--mail`, `--history`, `--bookmarks`: each may be given several times."""
    helps = (
        ("--bookmarks", "A browser's profile folder, its bookmarks file, or an exported .html."),
        ("--history", "A browser's profile folder, or the database in it."),
        ("--mail", "An mbox, a Maildir, an .eml file, or a folder of these."),
        ("--documents", "A folder of text, Markdown, HTML and PDF files."),
    )
    for name, text in helps:
        command = click.option(name, type=_PLACE, multiple=True, metavar="PATH", help=text)(command)
    return command


def named_sources(
    documents: tuple[Path, ...], mail: tuple[Path, ...], history: tuple[Path, ...], bookmarks: tuple[Path, ...]
) -> "Sources":
    """The sources, or an error if none is named."""
    from confide.core.errors import UsageError
    from confide.search import Sources

    if not (documents or mail or history or bookmarks):
        raise UsageError("name what to read: --documents, --mail, --history or --bookmarks")
    return Sources(documents=documents, mail=mail, history=history, bookmarks=bookmarks)
