"""Mail: mbox files, Maildirs and .eml files. Of a message the subject and the text are read, not the attachments.

Nothing is locked, moved or marked as read: an mbox is read as a file, a Maildir as a folder of files.
"""

import email
import email.policy
import os
import re
from collections.abc import Iterator
from email.message import Message
from email.utils import getaddresses
from pathlib import Path

from confide.core.errors import ConfideError, InputError
from confide.core.files import read_regular
from confide.search.profile.documents import Document
from confide.search.sources.files import decoded
from confide.search.sources.html_text import html_text
from confide.search.sources.own_words import keep_own_words
from confide.search.sources.skipping import MOST_TEXT, Skipped, ignore

__all__ = ["message_text", "read_mail"]

_MOST_BYTES = 50_000_000


def read_mail(path: str | os.PathLike[str], *, skipped: Skipped = ignore) -> Iterator[Document]:
    """Every message of an mbox, a Maildir, an .eml file or a folder of these; broken ones are passed over."""
    root = Path(path)
    if not root.exists():
        raise InputError("no such file or folder", source=root)
    found = 0
    for name, data in _messages(root, skipped):
        try:
            message = _parse(data)
            text, people = _text_of(message), tuple(_people(message))
        except Exception as error:  # whatever a broken message provokes in its reader
            skipped(f"skipped {name}: not a message that can be read ({type(error).__name__})")
            continue
        found += 1
        yield Document(text=text, name=name, source="mail", people=people)
    if not found:
        raise InputError("holds no mail; give an mbox, a Maildir, an .eml file or a folder of these", source=root)


def message_text(data: bytes) -> str:
    """The subject and the text of a message, in whatever encoding it claims to be, without what it quotes.

    >>> message_text(b"Subject: =?utf-8?q?T=C3=A9?=\\nContent-Type: text/plain; charset=x\\n\\n> old\\ngreen tea\\n")
    'Té\\ngreen tea'
    """
    return _text_of(_parse(data))


def _parse(data: bytes) -> Message:
    message = email.message_from_bytes(data, policy=email.policy.compat32)
    if not message.keys():
        raise InputError("has no headers")
    return message


def _text_of(message: Message) -> str:
    plain = [_part(part) for part in message.walk() if _is(part, "text/plain")]
    pages = [] if plain else [html_text(_part(part)) for part in message.walk() if _is(part, "text/html")]
    text = "\n".join(plain or pages)
    return f"{_header(message.get('subject', ''))}\n{keep_own_words(text)}"[:MOST_TEXT]


def _people(message: Message) -> Iterator[str]:
    """The names, not the addresses, of those who wrote a message or got it."""
    for header in ("from", "to", "cc"):
        texts = [_header(text) for text in message.get_all(header, [])]
        yield from (name for name, _ in getaddresses(texts) if name)


def _is(part: Message, kind: str) -> bool:
    return part.get_content_type() == kind and part.get_content_disposition() != "attachment"


def _part(part: Message) -> str:
    data = part.get_payload(decode=True)
    return decoded(data, part.get_content_charset()) if isinstance(data, bytes) else ""


def _header(text: object) -> str:
    from email.header import decode_header

    pieces = decode_header(str(text))
    return "".join(decoded(text, name) if isinstance(text, bytes) else text for text, name in pieces)


def _messages(root: Path, skipped: Skipped) -> Iterator[tuple[str, bytes]]:
    if root.is_file():
        yield from _file(root, skipped)
        return
    for place, folders, names in os.walk(root):
        folders.sort()
        where = Path(place)
        for name in sorted(names):
            file = where / name
            inside = where.name in ("cur", "new") and (where.parent / "tmp").is_dir()
            if inside or file.suffix.lower() in (".eml", ".mbox", ".mbx") or name in ("mbox", "Inbox", "INBOX", "Sent"):
                yield from _file(file, skipped)


def _file(file: Path, skipped: Skipped) -> Iterator[tuple[str, bytes]]:
    try:
        with open(file, "rb") as start:
            is_mbox = start.read(5) == b"From "
        if is_mbox:
            yield from _mbox(file, skipped)
        else:
            yield str(file), bytes(read_regular(file, max_bytes=_MOST_BYTES))
    except (ConfideError, OSError) as error:
        reason = str(error) if isinstance(error, ConfideError) else f"{file}: {error.strerror}"
        skipped(f"skipped {reason}")


def _mbox(file: Path, skipped: Skipped) -> Iterator[tuple[str, bytes]]:
    """The messages of an mbox, one at a time: a mailbox may be larger than memory."""
    lines: list[bytes] = []
    size, number, blank = 0, 0, True
    with open(file, "rb") as box:
        for line in box:
            if blank and line.startswith(b"From ") and number:
                yield from _whole(file, number, lines, size, skipped)
                lines, size = [], 0
            if blank and line.startswith(b"From "):
                number += 1
            else:
                size += len(line)
                if size <= _MOST_BYTES:
                    lines.append(line[1:] if re.match(rb">+From ", line) else line)
            blank = not line.strip()
    yield from _whole(file, number, lines, size, skipped)


def _whole(file: Path, number: int, lines: list[bytes], size: int, skipped: Skipped) -> Iterator[tuple[str, bytes]]:
    name = f"{file}#{number}"
    if size > _MOST_BYTES:
        skipped(f"skipped {name}: a message larger than {_MOST_BYTES:,} bytes")
    elif lines:
        yield name, b"".join(lines)
