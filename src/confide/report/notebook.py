"""What a notebook shows for a result: a few lines of HTML, without a style sheet or a script.

Every label is escaped: it may come from people's data.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from html import escape
from itertools import islice
from typing import Any

from confide.core.bounds import at_most
from confide.core.checks import Check, Findings, Verification
from confide.core.figures import Figures
from confide.core.release import Release
from confide.core.requirements.amplification import WEAK
from confide.report.formats import clean, heading, scalar

__all__ = ["facts_html", "outcome_html", "release_html", "table_html", "verification_html"]

MOST, LONGEST = 10, 200  # values, and letters of one, in a cell


def release_html(release: Release[Any]) -> str:
    """What the auditor found, the promise and the verdict; apart from them, the word of whoever made the release."""
    passport = release.passport
    found = Findings() if release.verification is None else release.verification.findings
    parts = [f"<p><strong>{_text(found.sentence)}</strong></p>"] if found.sentence else []
    parts.append(f"<p>{_text(passport.words_of(release.requirement).promise)}</p>")
    parts.append(table_html(("counted by the auditor", ""), _figure_rows(found.figures)))
    parts.append(verification_html(release.verification))
    cost = Figures(*(figure for figure in release.loss.figures() if figure.name not in found.figures))
    parts.append("<p>Said by whoever made it, not checked:</p>")
    parts += [f"<p>{_text(passport.headline)}</p>"] if passport.headline not in ("", found.sentence) else []
    parts.append(table_html(("what it cost", ""), _figure_rows(cost)))
    return "".join(parts)


def _figure_rows(figures: Figures) -> list[tuple[str, str]]:
    """Headings and values of the figures that are single values."""
    rows = []
    for name, value in figures.items():
        unit = figures.unit(name)
        if isinstance(unit, str) and isinstance(value, int | float | str):
            rows.append((figures.heading(name) or heading(name), scalar(value, unit)))
    return rows


def facts_html(name: str, facts: Mapping[str, Any], lead: str = "") -> str:
    """What a plan or another result says: a sentence, an entry in each row, and lists of entries as tables below."""
    rows, below = [], []
    for key, given in facts.items():
        value = [_plain(entry) for entry in given] if isinstance(given, list | tuple) else given
        if isinstance(value, list) and value and all(isinstance(entry, Mapping) for entry in value):
            columns = list(dict.fromkeys(column for entry in value for column in entry))
            cells = [[_cell(entry.get(column, "")) for column in columns] for entry in value]
            below.append(f"<p>{_text(heading(key))}:</p>" + table_html([heading(column) for column in columns], cells))
        else:
            rows.append((heading(key), _cell(value)))
    title = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).capitalize()
    said = f"<p>{_text(lead)}</p>" if lead else ""
    shown = [f"<p><strong>{_text(title)}</strong></p>", said, _weakness(facts), table_html(("", ""), rows), *below]
    return "".join(shown)


def _plain(entry: Any) -> Any:
    """An entry of a list; one with named parts as a mapping, so that the list becomes a table."""
    if isinstance(entry, tuple) and hasattr(entry, "_asdict"):
        return entry._asdict()
    return {part.name: getattr(entry, part.name) for part in fields(entry)} if is_dataclass(entry) else entry


def _weakness(facts: Mapping[str, Any]) -> str:
    """In amber, and in words, that a gamma bounds next to nothing; the largest one, wherever it stands."""
    inner = [entry for value in facts.values() if isinstance(value, list) for entry in value]
    entries = [facts, *(entry for entry in inner if isinstance(entry, Mapping))]
    found = [value for entry in entries for key, value in entry.items() if key.startswith("gamma")]
    largest = max((value for value in found if isinstance(value, int | float)), default=0)
    if not largest > WEAK:
        return ""
    said = f"a gamma of {at_most(largest, 2)} bounds next to nothing: records that differ so can be told apart"
    return f'<p style="color: #8a5a00"><strong>Weak</strong>: {_text(said)}.</p>'


def _cell(value: Any) -> str:
    """A value in a line; of many values the first, and how many more."""
    if hasattr(value, "tolist"):  # of numpy
        value = value.tolist()
    if isinstance(value, Mapping):
        return _first([f"{key}: {_cell(part)}" for key, part in islice(value.items(), MOST)], len(value))
    if isinstance(value, list | tuple | frozenset):
        return _first([_cell(part) for part in islice(value, MOST)], len(value))
    text = scalar(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\u2026"


def _first(shown: list[str], of: int) -> str:
    return ", ".join(shown) + (f" and {of - len(shown):,} more" if of > len(shown) else "")


def outcome_html(outcome: Any) -> str:
    """What came of a job: its release or answer as it looks by itself, then its notes."""
    shown = outcome.answer if outcome.release is None else outcome.release
    html = shown._repr_html_() if hasattr(shown, "_repr_html_") else f"<p>{_text(outcome.summary)}</p>"
    notes = "".join(f"<li>{_text(note)}</li>" for note in outcome.notes)
    return html + (f"<ul>{notes}</ul>" if notes else "")


def verification_html(verification: Verification | None) -> str:
    """Whether it holds, the checks, and what nobody can check."""
    if verification is None:
        return "<p>Not verified.</p>"
    word = "Fails" if not verification.ok else "Holds, but weak" if verification.weak else "Holds"
    word = "Not verified as a whole" if verification.ok and verification.unproved else word
    rows = [(_word(check), check.name, check.detail) for check in verification.checks]
    unproved = "".join(f"<li>{_text(text)}</li>" for text in verification.not_provable)
    return (
        f"<p><strong>{word}</strong>: {_text(verification.summary())}</p>"
        + table_html(("", "check", "detail"), rows)
        + (f"<p>Nobody can check from the files:</p><ul>{unproved}</ul>" if unproved else "")
    )


def _word(check: Check) -> str:
    return "FAILS" if not check.ok else check.outcome


def table_html(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, most: int = 20) -> str:
    """A small table; rows beyond `most` are counted, not shown."""
    given = list(rows)
    head = "".join(f"<th>{_text(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in given[:most])
    more = f"<p>and {len(given) - most:,} more</p>" if len(given) > most else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _text(value: Any) -> str:
    return escape(clean(str(value)))
