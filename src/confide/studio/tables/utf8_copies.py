"""A copy of a text file in UTF-8, for files that a spreadsheet wrote in the letters of its country."""

import codecs
from pathlib import Path

from confide.core.errors import InputError, UsageError
from confide.core.files import atomic_write

__all__ = ["ENCODINGS", "write_as_utf8"]

ENCODINGS = {
    "cp1252": "Western Europe (Windows, Excel)",
    "cp1250": "Central Europe (Windows)",
    "cp1251": "Cyrillic (Windows)",
    "latin-1": "Western Europe (ISO 8859-1)",
    "utf-16": "Unicode text of Excel (UTF-16)",
    "mac-roman": "Western Europe (old Macintosh)",
}
_BLOCK = 1 << 20


def write_as_utf8(source: Path, target: Path, encoding: str) -> None:
    """Write what `source` says in `encoding` into `target`, block by block; one line for bytes that are none of it."""
    if encoding not in ENCODINGS:
        raise UsageError(f"no encoding is called {encoding[:40]!r} here; choose one of those listed")
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with open(source, "rb") as read, atomic_write(target) as written:
            while block := read.read(_BLOCK):
                written.write(decoder.decode(block).encode())
            written.write(decoder.decode(b"", final=True).encode())
    except UnicodeError:
        raise InputError(f"is not {ENCODINGS[encoding]}; choose another", source=source.name) from None
    except FileNotFoundError:
        raise InputError("is not in the folder any more", source=source.name) from None
