"""A text without what somebody else wrote in it, and without what is no prose.

    On Monday Ann wrote:          an attribution
    > shall we ride?              a quote, by any mark: > | : or initials, ab>
    The gravel is dry.            kept
    --                            a signature, to the end
    Bea, bea@example.org          an address, wherever it stands

A profile is to say what a person writes about, so none of this may count. Blocks of a key, a signature or an encoded
file go, too. What is cut out can only be guessed by its form: a line of one's own that looks like a quote is lost.
"""

import re
from collections.abc import Iterable, Iterator

__all__ = ["keep_own_words"]

_QUOTE = re.compile(r"\s{0,8}(?:[>|:]|[^\W\d_]{1,4}\s?>)")
_SAID = r"(?:writes|wrote|says|said|schrieb|schreibt|a \u00e9crit|escribi\u00f3|ha scritto|skrev|schreef)"
_ATTRIBUTION = re.compile(
    rf".*\b{_SAID}\s*(?:[:>]|\.{{2,}})\s*$"
    r"|.*\b(?:schrieb|schreef|skrev)\b.{0,80}:\s*$"
    rf"|\s*(?:In (?:a (?:previous|recent) )?(?:article|message|news)\b|In <|-+ ?(?:Original|Forwarded) message).*",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"-- ?$")
_RULER = re.compile(r"\s*[-_=*~+/\\#|.<>]{5,}\s*$")
_LONGEST_SIGNATURE = 8
_BEGIN = re.compile(r"-----BEGIN (?P<what>[A-Z ]+)-----|begin [0-7]{3} \S+$")
_SIGNED = "PGP SIGNED MESSAGE"
_LONG = 50
_ENCODED = re.compile(rf"\S{{{_LONG},}}")
_ADDRESS = re.compile(r"<[^<>\s]*@[^<>\s]*>|[^\s<>()\[\],;:]+@[^\s<>()\[\],;:]+|(?:(?:https?|ftp|gopher)://|www\.)\S+")


def keep_own_words(text: str) -> str:
    """The lines a person wrote, as far as their form says; addresses are taken out of them.

    >>> keep_own_words("On Monday Ann wrote:\\n> shall we ride?\\nab> or not?\\nThe gravel is dry.\\n-- \\nBea")
    'The gravel is dry.'
    """
    lines = _without_signature(list(_without_blocks(text.splitlines())))
    return "\n".join(_without_addresses(line) for line in lines if not _QUOTE.match(line) and not _is_attribution(line))


# Of most lines a look at a few letters says that no expression can match them: half of the time is saved.


def _is_attribution(line: str) -> bool:
    bare = line.strip()
    likely = bare.endswith((":", ">", "..")) or bare[:1] in ("I", "i", "-")
    return likely and _ATTRIBUTION.match(line) is not None


def _without_addresses(line: str) -> str:
    if len(line) >= _LONG:
        line = _ENCODED.sub(" ", line)
    return _ADDRESS.sub(" ", line) if "@" in line or "://" in line or "www." in line else line


def _without_blocks(lines: Iterable[str]) -> Iterator[str]:
    """Leave out blocks of keys, signatures and encoded files; of a signed message only its first line and header."""
    end = ""
    header = False
    for line in lines:
        if end:
            if line.strip() == end:
                end = ""
            continue
        if header:
            header = bool(line.strip())
            continue
        begin = _BEGIN.match(line.strip()) if "begin " in line or "-----BEGIN " in line else None
        if begin is None:
            yield line
        elif begin["what"] == _SIGNED:
            header = True
        else:
            end = "end" if begin["what"] is None else f"-----END {begin['what']}-----"


def _without_signature(lines: list[str]) -> list[str]:
    """Cut after the usual mark of a signature, or after a ruler that only a few lines follow."""
    end = next((place for place, line in enumerate(lines) if _SIGNATURE.match(line)), len(lines))
    following = 0
    for place in range(end - 1, -1, -1):
        if _RULER.match(lines[place]):
            end, following = place, -1
        following += bool(lines[place].strip())
        if following > _LONGEST_SIGNATURE:
            break
    return lines[:end]
