"""Text from files and other machines, made safe for a terminal.

Labels, file names and remote messages may hold control characters that move the cursor, rename the window or turn
text around. They are shown as escapes instead.
"""

import re

__all__ = ["safe_json", "safe_text"]

_UNSEEN = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]")


def safe_text(text: str) -> str:
    r"""The text with every character that a terminal would act on shown as an escape; line ends and tabs stay.

    >>> print(safe_text("tea\x1b[2J \u202enuts"))
    tea\x1b[2J \u202enuts
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else _escape(c) for c in text)


def safe_json(text: str) -> str:
    r"""The same JSON with characters escaped that JSON lets pass but a terminal would act on."""
    return _UNSEEN.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
