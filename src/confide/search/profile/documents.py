"""Documents as sets of terms, out of what people have.

    texts                        ["Sunday's ride was ...", ...]             cut into terms by `Words`
    lists of terms               [["sports", "badminton"], ...]             taken as they are, as in Figure 30
    `Document`s                  a name, a text, and the source it is from
    pandas, polars, Arrow        a column `text` (`name` and `source` if there are), or one column of lists
    a `Transactions`, a path     a file of transactions; a folder or another source of `confide.search.sources`

Only which terms a document holds is kept, never its text. Of mail and of texts, only the person's own words count
(`sources.own_words`), without lines that stand in many documents, and without the names of people who write or are
written to.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.core.runtime.progress import task
from confide.core.transactions.container import Transactions
from confide.core.transactions.intake import as_transactions, is_table
from confide.search.evidence.background import Background, with_index
from confide.search.evidence.snippets import Snippets
from confide.search.sources.own_words import keep_own_words
from confide.search.words import Form, Words

__all__ = ["Collection", "Document", "collect_documents"]

_PROSE = frozenset(("documents", "mail"))  # a title in a browser's history is nobody's own words
_MANY, _FEW_LINES = 5, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text of the person's: `name` says where it is (a path, an address), `source` what kind it is from.

    `people` are names of those who wrote it or got it, as a message's From, To and Cc have them.
    """

    text: str
    name: str = ""
    source: str = "documents"
    people: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class Collection:
    """D: for each document its terms; `forms` gives for a term the word it is shown as.

    `names` and `sources` are empty where the documents came without. `usual` says how many other texts hold each of
    the terms: those of an index, beside which informative terms stand out.
    """

    data: Transactions
    forms: Mapping[str, str]
    names: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    usual: Snippets = field(default_factory=Snippets)

    def __len__(self) -> int:
        return len(self.data)

    def beside(self, engine: object) -> "Collection":
        """The same beside what the documents of an index hold; without change for an engine that is none."""
        found = with_index(Background(), engine)
        if not found.texts:
            return self
        counts = {term: found.counts[term] for term in self.data.labels if found.counts.get(term)}
        return replace(self, usual=Snippets(found.texts, counts))

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
            usual=self.usual,
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


def collect_documents(documents: Any, words: Words, *, names: bool = False) -> Collection:
    """The documents as sets of terms; see this module for the forms they may have, and for `names`."""
    if isinstance(documents, Collection):
        return documents
    if isinstance(documents, Transactions) or hasattr(documents, "tocsr"):
        return Collection(data=as_transactions(documents), forms={})
    if isinstance(documents, str | PathLike):
        return _from_path(documents, words, names=names)
    if is_table(documents):
        return _from_frame(documents, words, names=names)
    if not isinstance(documents, Iterable) or isinstance(documents, bytes | bytearray | Mapping):
        raise InputError(f"documents cannot be read from {type(documents).__name__}; {_FORMS}")
    rows = iter(documents)
    first = next(rows, None)
    if first is None:
        return Collection(data=Transactions.from_lists([]), forms={})
    whole = _chain(first, rows)
    if isinstance(first, str | Document):
        return _from_texts(whole, words, names=names)
    if isinstance(first, Iterable) and not isinstance(first, bytes | bytearray | Mapping):
        return Collection(data=Transactions.from_lists(whole), forms={})
    raise InputError(f"a document cannot be a {type(first).__name__}; {_FORMS}")


def _chain(first: Any, rest: Iterable[Any]) -> Iterable[Any]:
    yield first
    yield from rest


def _from_path(path: str | PathLike[str], words: Words, *, names: bool) -> Collection:
    from pathlib import Path

    place = Path(path)
    if place.is_dir():
        from confide.search.sources.folder import read_folder

        return _from_texts(read_folder(place), words, names=names)
    return Collection(data=Transactions.read(place), forms={})


def _from_frame(frame: Any, words: Words, *, names: bool) -> Collection:
    from confide.core.tables.frames import to_table

    if not hasattr(frame, "columns") and not hasattr(frame, "column_names"):  # a series or an array of texts
        return collect_documents(list(frame.to_pylist() if hasattr(frame, "to_pylist") else frame), words, names=names)
    table = to_table(frame)
    if "text" not in table.column_names:
        return Collection(data=as_transactions(frame), forms={})
    columns = {name: table[name].to_pylist() for name in ("text", "name", "source") if name in table.column_names}
    empty = [""] * table.num_rows
    rows = zip(columns["text"], columns.get("name", empty), columns.get("source", empty), strict=True)
    return _from_texts(
        (Document(text=text or "", name=str(name), source=str(source or "documents")) for text, name, source in rows),
        words,
        names=names,
    )


def _from_texts(documents: Iterable[str | Document], words: Words, *, names: bool = False) -> Collection:
    """Texts cut into terms; each term is later shown as the word it was cut from most often.

    With `names`, words count that are names of people in From, To or Cc, too.
    """
    cut = _Cut(words)
    labels: list[str] = []
    sources: list[str] = []
    with task("reading documents") as step:
        for number, given in enumerate(documents, start=1):
            if not isinstance(given, str | Document):
                raise InputError(f"document {number} is not a text; {_FORMS}")
            document = given if isinstance(given, Document) else Document(text=given)
            cut.add(document)
            labels.append(document.name)
            sources.append(document.source)
            step(1)
    terms, forms = cut.finish(names=names)
    return Collection(data=Transactions.from_lists(terms), forms=forms, names=tuple(labels), sources=tuple(sources))


class _Cut:
    """Texts as numbers of (term, word) pairs, line by line, until it is known which lines stand in many documents.

    A line that stands in `_MANY` documents is a header, a motto or a form, not what a person has to say. A document of
    one or two lines is all there is of it, so there no line is left out.
    """

    def __init__(self, words: Words):
        self._words = words
        self._pairs: dict[Form, int] = {}
        self._codes = {language: _Codes(words, language, self._pairs) for language in words.languages}
        self._documents: list[list[tuple[int, array[int]]]] = []
        self._lines: Counter[int] = Counter()
        self._people: set[str] = set()

    def add(self, document: Document) -> None:
        """Cut one document."""
        prose = document.source in _PROSE
        text = keep_own_words(document.text) if prose else document.text
        several_languages = len(self._words.languages) > 1
        code_of = self._codes[self._words.language(self._words.words(text) if several_languages else ())].__getitem__
        lines = [line for line in text.splitlines() if line.strip()] if prose else [text]
        several = prose and len(lines) > _FEW_LINES
        cut: list[tuple[int, array[int]]] = []
        for line in lines:
            codes = array("i", [code for code in map(code_of, self._words.words(line)) if code >= 0])
            if codes:
                cut.append((hash(codes.tobytes()) if several else 0, codes))
        self._lines.update({line for line, _ in cut if line})
        self._documents.append(cut)
        for person in document.people:
            self._people.update(self._words.terms(person))

    def finish(self, *, names: bool) -> tuple[list[list[str]], dict[str, str]]:
        """The terms of each document, and for each term the word it was cut from most often."""
        pairs = list(self._pairs)
        left_out = set() if names else self._people
        kept = [stem not in left_out for stem, _ in pairs]
        seen: Counter[int] = Counter()
        terms: list[list[str]] = []
        for cut in self._documents:
            codes = [code for line, found in cut if self._lines[line] < _MANY for code in found if kept[code]]
            seen.update(codes)
            terms.append(list({pairs[code][0] for code in codes}))
        forms: dict[str, str] = {}
        for code, _ in sorted(seen.items(), key=lambda entry: (-entry[1], pairs[entry[0]])):
            forms.setdefault(*pairs[code])
        return terms, forms


class _Codes(dict[str, int]):
    """Words of a language as numbers of their pairs in `pairs`, each found once; -1 for those that say nothing."""

    def __init__(self, words: Words, language: str, pairs: dict[Form, int]):
        super().__init__()
        self._words, self._language, self._pairs = words, language, pairs

    def __missing__(self, word: str) -> int:
        form = self._words.form(word, self._language)
        code = self[word] = -1 if form is None else self._pairs.setdefault(form, len(self._pairs))
        return code
