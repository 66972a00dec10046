"""Several sources at once, each switched on by naming it; a source that cannot be read at all ends the build."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from os import PathLike

from confide.search.profile.documents import Document
from confide.search.sources.bookmarks import read_bookmarks
from confide.search.sources.folder import read_folder
from confide.search.sources.history import read_history
from confide.search.sources.mail import read_mail
from confide.search.sources.skipping import Skipped, ignore

__all__ = ["Sources"]

Places = Iterable[str | PathLike[str]]


@dataclass(frozen=True, kw_only=True)
class Sources:
    """What a profile is built from: paths of folders, mail, browser histories and bookmarks.

    `documents` are folders of text, Markdown, HTML and PDF; `mail` mbox files, Maildirs, .eml files or folders of
    these; `history` and `bookmarks` a browser's profile folder or the file in it.
    """

    documents: Places = ()
    mail: Places = ()
    history: Places = ()
    bookmarks: Places = ()

    def read(self, *, skipped: Skipped = ignore) -> Iterator[Document]:
        """Every document of every source; `skipped` gets a line for each that cannot be read."""
        readers: tuple[tuple[Callable[..., Iterator[Document]], Places], ...] = (
            (read_folder, self.documents),
            (read_mail, self.mail),
            (read_history, self.history),
            (read_bookmarks, self.bookmarks),
        )
        for reader, places in readers:
            for place in places:
                yield from reader(place, skipped=skipped)
