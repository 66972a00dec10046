"""Documents as sets of terms, out of what people have.

    texts                        ["Sunday's ride was ...", ...]             cut into terms by `Words`
    lists of terms               [["sports", "badminton"], ...]             taken as they are, as in Figure 30
    `Document`s                  a name, a text, and the source it is from
    pandas, polars, Arrow        a column `text` (`name` and `source` if there are), or one column of lists
    a `Transactions`, a path     a file of transactions; a folder or another source of `confide.search.sources`

Only which terms a document holds is kept, never its text.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.core.runtime.progress import task
from confide.core.transactions.container import Transactions
from confide.core.transactions.intake import as_transactions, is_table
from confide.search.words import Words

__all__ = ["Collection", "Document", "collect_documents"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text of the person's: `name` says where it is (a path, an address), `source` what kind it is from."""

    text: str
    name: str = ""
    source: str = "documents"


@dataclass(frozen=True, eq=False, kw_only=True)
class Collection:
    """D: for each document its terms; `forms` gives for a term the word it is shown as.

    `names` and `sources` are empty where the documents came without.
    """

    data: Transactions
    forms: Mapping[str, str]
    names: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.data)

    def without(self, documents: Iterable[int]) -> "Collection":
        """The same without the documents at these positions, and without terms that only they held."""
        keep = np.ones(len(self), dtype=np.bool_)
        keep[list(documents)] = False
        data = self.data.take(keep).without_unused()
        return Collection(
            data=data,
            forms={term: self.forms[term] for term in data.labels if term in self.forms},
            names=tuple(name for name, kept in zip(self.names, keep, strict=True) if kept) if self.names else (),
            sources=tuple(s for s, kept in zip(self.sources, keep, strict=True) if kept) if self.sources else (),
        )

    def holding(self, terms: Iterable[str]) -> NDArray[np.bool_]:
        """Which documents hold one of these terms."""
        codes = [self.data.codes[term] for term in terms if term in self.data.codes]
        found = np.zeros(len(self), dtype=np.bool_)
        if codes:
            rows = np.repeat(np.arange(len(self)), self.data.lengths)
            found[rows[np.isin(self.data.indices, codes)]] = True
        return found


_FORMS = (
    "give texts, lists of terms, Documents, a frame with a column text or a column of lists, or the path of a folder"
)


def collect_documents(documents: Any, words: Words) -> Collection:
    """The documents as sets of terms; see this module for the forms they may have."""
    if isinstance(documents, Collection):
        return documents
    if isinstance(documents, Transactions) or hasattr(documents, "tocsr"):
        return Collection(data=as_transactions(documents), forms={})
    if isinstance(documents, str | PathLike):
        return _from_path(documents, words)
    if is_table(documents):
        return _from_frame(documents, words)
    if not isinstance(documents, Iterable) or isinstance(documents, bytes | bytearray | Mapping):
        raise InputError(f"documents cannot be read from {type(documents).__name__}; {_FORMS}")
    rows = iter(documents)
    first = next(rows, None)
    if first is None:
        return Collection(data=Transactions.from_lists([]), forms={})
    whole = _chain(first, rows)
    if isinstance(first, str | Document):
        return _from_texts(whole, words)
    if isinstance(first, Iterable) and not isinstance(first, bytes | bytearray | Mapping):
        return Collection(data=Transactions.from_lists(whole), forms={})
    raise InputError(f"a document cannot be a {type(first).__name__}; {_FORMS}")


def _chain(first: Any, rest: Iterable[Any]) -> Iterable[Any]:
    yield first
    yield from rest


def _from_path(path: str | PathLike[str], words: Words) -> Collection:
    from pathlib import Path

    place = Path(path)
    if place.is_dir():
        from confide.search.sources.folder import read_folder

        return _from_texts(read_folder(place), words)
    return Collection(data=Transactions.read(place), forms={})


def _from_frame(frame: Any, words: Words) -> Collection:
    from confide.core.tables.frames import to_table

    if not hasattr(frame, "columns") and not hasattr(frame, "column_names"):  # a series or an array of texts
        return collect_documents(list(frame.to_pylist() if hasattr(frame, "to_pylist") else frame), words)
    table = to_table(frame)
    if "text" not in table.column_names:
        return Collection(data=as_transactions(frame), forms={})
    columns = {name: table[name].to_pylist() for name in ("text", "name", "source") if name in table.column_names}
    empty = [""] * table.num_rows
    rows = zip(columns["text"], columns.get("name", empty), columns.get("source", empty), strict=True)
    return _from_texts(
        (Document(text=text or "", name=str(name), source=str(source or "documents")) for text, name, source in rows),
        words,
    )


def _from_texts(documents: Iterable[str | Document], words: Words) -> Collection:
    """Texts cut into terms; each term is later shown as the word it was cut from most often."""
    terms: list[list[str]] = []
    names: list[str] = []
    sources: list[str] = []
    seen: Counter[tuple[str, str]] = Counter()
    with task("reading documents") as step:
        for number, given in enumerate(documents, start=1):
            if not isinstance(given, str | Document):
                raise InputError(f"document {number} is not a text; {_FORMS}")
            document = given if isinstance(given, Document) else Document(text=given)
            found = words.forms(document.text)
            seen.update(found)
            terms.append(list({stem for stem, _ in found}))
            names.append(document.name)
            sources.append(document.source)
            step(1)
    forms: dict[str, str] = {}
    for (stem, word), _ in sorted(seen.items(), key=lambda entry: (-entry[1], entry[0])):
        forms.setdefault(stem, word)
    return Collection(data=Transactions.from_lists(terms), forms=forms, names=tuple(names), sources=tuple(sources))
