"""The text of one file, by the ending of its name: plain text, Markdown, HTML, PDF."""

import logging
import re
from pathlib import Path

from confide.core.errors import ConfideError, InputError
from confide.core.files import read_regular
from confide.core.runtime.extras import require
from confide.search.sources.html_text import html_text
from confide.search.sources.skipping import MOST_TEXT

__all__ = ["ENDINGS", "decoded", "file_text"]

_PLAIN = {".txt", ".text", ".md", ".markdown", ".rst", ".org", ".tex", ".log"}
_HTML = {".html", ".htm", ".xhtml"}
ENDINGS = frozenset(_PLAIN | _HTML | {".pdf"})
"""Endings of the files that are read; others are none of our business, and are not reported either."""

_MOST_BYTES = 50_000_000
_CODE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_ADDRESS = re.compile(r"\]\([^)\s]{0,2000}\)|https?://\S+")


def file_text(path: Path) -> str:
    """The text of a file, or an InputError in one line."""
    ending = path.suffix.lower()
    if ending == ".pdf":
        return _pdf_text(path)
    data = bytes(read_regular(path, max_bytes=_MOST_BYTES))
    if b"\0" in data[:10_000] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError("is not text", source=path)
    text = decoded(data)
    if ending in _HTML:
        return html_text(text)
    if ending in (".md", ".markdown"):
        text = _ADDRESS.sub(" ", _CODE.sub(" ", text))
    return text[:MOST_TEXT]


def decoded(data: bytes, encoding: str | None = None) -> str:
    """Bytes as text: by the encoding they claim, else as UTF-8 or UTF-16, else letter by letter.

    >>> decoded("Läufer".encode("latin-1")), decoded("Läufer".encode(), "no-such-encoding")
    ('Läufer', 'Läufer')
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    for name in (encoding, "utf-8-sig"):
        if name:
            try:
                return data.decode(name)
            except (UnicodeDecodeError, LookupError):
                continue
    return data.decode("cp1252", errors="replace")


def _pdf_text(path: Path) -> str:
    pypdf = require("pypdf", extra="search")
    if path.stat().st_size > _MOST_BYTES:
        raise InputError(f"larger than {_MOST_BYTES:,} bytes", source=path)
    found: list[str] = []
    length = 0
    logging.getLogger("pypdf").setLevel(logging.CRITICAL + 1)  # it would print pieces of the file
    try:
        pages = pypdf.PdfReader(path)
        if pages.is_encrypted and not pages.decrypt(""):
            raise InputError("is a PDF behind a password", source=path)
        for page in pages.pages:
            found.append(page.extract_text())
            length += len(found[-1])
            if length > MOST_TEXT:
                break
    except ConfideError:
        raise
    except Exception as error:  # whatever a broken PDF provokes in its reader
        raise InputError(f"is not a PDF that can be read ({type(error).__name__})", source=path) from None
    return "\n".join(found)[:MOST_TEXT]
