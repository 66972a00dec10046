"""The text that a reader sees of an HTML page: no scripts, no styles, no markup.

Strangers write pages, so the time is in proportion to the length, whatever is in it. (Python's own parser needs eight
seconds for 40 kB of `x<y `, and four times as long for twice as much.) For that, markup ends at the next `>`, quoted or
not; a quoted `>` leaves a few odd characters in the text, which is text and nothing else.
"""

import html
import re

from confide.search.sources.skipping import MOST_TEXT

__all__ = ["html_text"]

_UNSEEN = frozenset(("script", "style", "template", "noscript", "svg", "math"))
_BREAKS = frozenset(
    ("p", "div", "br", "li", "ul", "ol", "tr", "td", "th", "table", "title", "section", "article", "header", "footer")
) | {f"h{level}" for level in range(1, 7)}
_NAME = re.compile(r"/?([a-z][a-z0-9]*)", re.IGNORECASE | re.ASCII)
_ENDS = {name: re.compile(f"</{name}", re.IGNORECASE | re.ASCII) for name in _UNSEEN}


def html_text(page: str) -> str:
    """The visible text of a page, however broken its markup is.

    >>> html_text("<title>Tea</title><script>alert(1)</script><p>Green &amp; black<p>1 < 2<!-- no --> white")
    'Tea\\nGreen & black\\n1 < 2 white'
    """
    page = page[: 4 * MOST_TEXT]
    parts: list[str] = []
    place = 0
    while place < len(page):
        mark = page.find("<", place)
        if mark < 0:
            parts.append(page[place:])
            break
        parts.append(page[place:mark])
        if page.startswith("<!--", mark):
            end = page.find("-->", mark + 4)
            if end < 0:
                break
            place = end + 3
            continue
        tag = _NAME.match(page, mark + 1)
        if tag is None and page[mark + 1 : mark + 2] not in ("!", "?", "/"):
            parts.append("<")
            place = mark + 1
            continue
        end = page.find(">", mark + 1)
        if end < 0:  # no markup ends any more: the rest is text, or was cut off
            parts.append(page[mark:])
            break
        place = end + 1
        name = tag[1].lower() if tag is not None else ""
        if name in _BREAKS:
            parts.append("\n")
        elif name in _UNSEEN and page[mark + 1] != "/":
            closing = _ENDS[name].search(page, place)
            if closing is None:
                break
            place = closing.start()
    text = html.unescape("".join(parts))[:MOST_TEXT]
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
