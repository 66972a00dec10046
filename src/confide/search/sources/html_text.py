"""The text that a reader sees of an HTML page: no scripts, no styles, no markup."""

from html.parser import HTMLParser

from confide.search.sources.skipping import MOST_TEXT

__all__ = ["html_text"]

_UNSEEN = frozenset(("script", "style", "template", "noscript", "svg", "math"))
_BREAKS = frozenset(
    ("p", "div", "br", "li", "ul", "ol", "tr", "td", "th", "table", "title", "section", "article", "header", "footer")
) | {f"h{level}" for level in range(1, 7)}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._unseen: list[str] = []
        self._left = MOST_TEXT

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self._unseen.append(tag)
        elif tag in _BREAKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._unseen:
            del self._unseen[self._unseen.index(tag) :]
        elif tag in _BREAKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._unseen and self._left > 0:
            self.parts.append(data[: self._left])
            self._left -= len(data)


def html_text(page: str) -> str:
    """The visible text of a page, however broken its markup is.

    >>> html_text("<title>Tea</title><script>alert(1)</script><p>Green &amp; black<p>white")
    'Tea\\nGreen & black\\nwhite'
    """
    reader = _Reader()
    reader.feed(page[: 4 * MOST_TEXT])
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.parts).split("\n"))
    return "\n".join(line for line in lines if line)
