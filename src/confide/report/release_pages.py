"""The pages: a release for everybody, its owner's part for the owner, an index of several releases, and a study that
comes before a release."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from os import PathLike
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from confide.core.checks import Findings, Verification
from confide.core.errors import UsageError
from confide.core.figures import Chart, Diagram, Figures, Table
from confide.core.files import write_text
from confide.core.passport import Passport
from confide.core.release import MOST_KEY_FIGURES, Release
from confide.core.trees.published import PublishedTree
from confide.report.blocks import Fact, Grid, fact_of, figures, grid
from confide.report.blocks import facts as _facts
from confide.report.drawing import drawings_of
from confide.report.formats import clean, lead_in, scalar
from confide.report.passport_facts import identity, making
from confide.report.said import said_of
from confide.report.svg_diagrams import diagram_svg

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = [
    "IndexEntry",
    "render",
    "render_index",
    "render_owner",
    "render_study",
    "write",
    "write_index",
    "write_owner",
    "write_study",
]

MOST_BOXES = 12  # of a tree's level, side by side
SMALL_TREE = 560  # pixels across: on a phone its letters are two thirds as large, and can still be read
LARGEST_JSON = 200_000  # bytes; a longer passport is better read in its own file
OWNER_ROWS = 200
_CLAUSES = re.compile(r"; |\. ")


@dataclass(frozen=True, kw_only=True)
class IndexEntry:
    """One line of an index: a result and where its page is.

    `summary` is its key loss in a few words; `verdict` is what verifying it answered, None where there is no passport
    and so nothing to verify; `href` leads from the index to the page and is relative, as both travel together.
    """

    stage: str
    title: str
    promise: str
    verdict: Verification | None
    summary: str
    href: str

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.href)
        except ValueError:  # a bracket that is not closed
            parts = urlsplit("")
        if parts.scheme or parts.netloc or not parts.path or parts.path.startswith(("/", "\\")):
            raise UsageError(
                f"href={self.href!r} does not lead from the index to a report; use a relative path",
                parameter="href",
                value=self.href,
            )


@dataclass(frozen=True)
class _Verdict:
    """How a page words a verification: `state` chooses colour and sign, and is never the only sign."""

    state: str
    word: str
    sentence: str

    @classmethod
    def of(cls, verification: Verification | None) -> "_Verdict":
        if verification is None or not verification.checks:
            return cls(
                "unknown",
                "Not verified",
                "Nothing was checked. Such a release is for benchmarks only; do not hand it out.",
            )
        if verification.ok:
            many = len(verification.checks)
            held = "Its one check holds" if many == 1 else f"All {many} checks hold"
            if verification.unproved:
                unsaid = "; ".join(f"{check.name}: {check.detail}" for check in verification.unproved)
                return cls(
                    "unknown",
                    "Not verified as a whole",
                    f"The file is in order, but does not say all that is promised. {unsaid[0].upper()}{unsaid[1:]}.",
                )
            if verification.weak:
                return cls(
                    "unknown",
                    "Verified, but weak",
                    f"{held}, but the promise is so weak that it bounds next to nothing. Read it with care.",
                )
            return cls(
                "good",
                "Verified",
                f"{held}. They were run by separate code, which does not use the code that made the release.",
            )
        failed, many = len(verification.failed), len(verification.checks)
        return cls(
            "bad",
            "Promise not kept",
            f"{failed} of {many} checks failed. Do not hand this out.",
        )


# -- a release, for everybody ----------------------------------------------------------------------------------------


def render(release: Release[Any], *, passport: Passport | None = None) -> str:
    """The public page of a release, as HTML.

    `passport` is the one `Release.write` returned, which names the file and may be signed; without it the page shows
    the release's own. Of the data only a published tree is shown; the owner's part is never looked at.
    """
    shown = passport or release.passport
    if shown.requirement != release.requirement.to_dict() or shown.stage != release.passport.stage:
        raise UsageError("the passport belongs to another release; pass the one that Release.write returned")
    found = Findings() if release.verification is None else release.verification.findings
    words = shown.words_of(release.requirement)
    unknown = shown.unknown_caveats(release.requirement, found.caveats)
    more = [text for text in shown.does_not_protect_against if text not in words.does_not_stop]
    key, large, other = _leading(found)
    json = shown.to_json()
    size = len(json.encode(errors="replace"))
    return _render(
        "release.html.j2",
        passport=shown,
        verification=release.verification,
        verdict=_Verdict.of(release.verification),
        not_provable=release.not_provable,
        seeded=shown.randomness.get("source") == "seeded",
        promise=words.promise,
        stops=words.stops,
        does_not_stop=release.requirement.limits_by_heading(
            [*words.does_not_stop, *(text for text in more if text not in unknown)]
        ),
        sentence=found.sentence,
        other_terms=[(term, *_value_and_sentence(text)) for term, text in _other_terms(release, shown).items()],
        key_figures=key,
        figures=large,
        losses=other,
        tree=_tree(release.artefact),
        making=making(shown, found.settled),
        identity=identity(shown, found.settled),
        said=said_of(release, shown, found, unknown),
        json=json if size <= LARGEST_JSON else None,
        json_size=scalar(round(size / 1000)),
    )


def write(
    release: Release[Any],
    path: str | PathLike[str],
    *,
    passport: Passport | None = None,
    replace: bool = False,
) -> None:
    """Write the public page of a release, atomically; see `render`."""
    write_text(path, render(release, passport=passport), replace=replace)


@dataclass(frozen=True)
class _Tree:
    """A released tree as a page shows it: a drawing of its top (safe markup), and the same as text."""

    svg: str
    text: str
    levels: int | None
    small: bool  # so that it can be shrunk to a phone's width and still be read


def _tree(artefact: Any) -> _Tree | None:
    """The tree, or as many of its levels as can be read on a page; None for data of another kind."""
    if not isinstance(artefact, PublishedTree):
        return None
    depths = [0] * len(artefact.nodes)
    for i, parent in enumerate(artefact.parents):
        if parent >= 0:
            depths[i] = depths[parent] + 1
    levels: int | None = max(depths)
    while levels and (depths.count(levels) > MOST_BOXES or sum(d <= levels for d in depths) > 4 * MOST_BOXES):
        levels -= 1
    if levels == max(depths):
        levels = None
    drawn = artefact.to_svg(max_depth=levels) if levels != 0 else ""
    bare = drawn.replace(' xmlns="http://www.w3.org/2000/svg"', "")
    wide = re.match(r'<svg viewBox="0 0 (\d+) ', bare)
    small = wide is not None and int(wide[1]) <= SMALL_TREE
    return _Tree(bare, artefact.to_text(max_depth=levels or 1), levels, small)


def _leading(found: Findings) -> tuple[list[Fact], list[Fact], list[Fact]]:
    """Of what the auditor found: the figures that matter most, other numbers, and the rest."""
    large, other = figures(found.figures)
    key = [fact_of(found.figures, name) for name in found.key][:MOST_KEY_FIGURES] or large[:MOST_KEY_FIGURES]
    return key, [fact for fact in large if fact not in key], [fact for fact in other if fact not in key]


def _other_terms(release: Release[Any], passport: Passport) -> dict[str, str]:
    """The same promise in other terms, those of this kind of file."""
    return release.requirement.words_in_other_terms(passport.kind_of_file, passport.context)


def _value_and_sentence(text: str) -> tuple[str, str]:
    """A term is given as "3: the smallest group", or as a value alone."""
    value, _, sentence = text.partition(": ")
    return value, sentence


# -- the owner's part ------------------------------------------------------------------------------------------------


def render_owner(release: Release[Any]) -> str:
    """The owner's page, as HTML: what explains the release and must not leave with it."""
    owner = release.owner
    if owner is None:
        raise UsageError("this release has no owner's part, so there is no owner's page to write")
    large, other = figures(owner.facts)
    return _render(
        "owner.html.j2",
        passport=release.passport,
        figures=large,
        losses=other,
        tables=[(title, grid(table, most=OWNER_ROWS)) for title, table in owner.tables.items()],
        drawings=drawings_of(owner.charts),
        diagrams=_diagrams(owner.diagrams.values()),
    )


def write_owner(release: Release[Any], path: str | PathLike[str], *, replace: bool = False) -> None:
    """Write the owner's page, atomically. Choose a path that is not handed out with the release."""
    write_text(path, render_owner(release), replace=replace, private=True)


# -- an index --------------------------------------------------------------------------------------------------------


def render_index(entries: Iterable[IndexEntry], *, title: str = "What Confide does, stage by stage") -> str:
    """An index of reports, as HTML."""
    listed = list(entries)
    no_passport = _Verdict("plain", "No passport", "It makes no promise to verify.")
    verdicts = [no_passport if entry.verdict is None else _Verdict.of(entry.verdict) for entry in listed]
    return _render(
        "index.html.j2",
        title=title,
        entries=[
            (entry, verdict, found, _left_unchecked(entry.summary, found))
            for entry, verdict in zip(listed, verdicts, strict=True)
            for found in ["" if entry.verdict is None else entry.verdict.findings.sentence]
        ],
        verified=sum(verdict.state == "good" for verdict in verdicts),
    )


def _left_unchecked(summary: str, found: str) -> str:
    """The clauses of a summary that the auditor's own sentence does not say word for word."""
    known = set(_CLAUSES.split(found.rstrip(".")))
    left = [clause for clause in _CLAUSES.split(summary.rstrip(".")) if clause and clause not in known]
    return "".join((". " if clause[0].isupper() else "; ") + clause for clause in left)[2:] + "." * bool(left)


def write_index(
    entries: Iterable[IndexEntry],
    path: str | PathLike[str],
    *,
    title: str = "What Confide does, stage by stage",
    replace: bool = False,
) -> None:
    """Write an index of reports, atomically."""
    write_text(path, render_index(entries, title=title), replace=replace)


# -- a study ---------------------------------------------------------------------------------------------------------


def render_study(
    title: str,
    *,
    lead: str,
    facts: Figures | None = None,
    charts: Iterable[Chart] = (),
    tables: Mapping[str, Table] | None = None,
    diagrams: Iterable[Diagram] = (),
    private: bool = True,
    warning: str = "",
) -> str:
    """Facts, charts, tables and diagrams that help the owner decide before anything is released, as in an owner's part.

    `private` unless no record was looked at for it: else the page warns against publishing it. A `warning`, in words,
    stands above everything, in amber.
    """
    return _render(
        "study.html.j2",
        title=title,
        private=private,
        warning=warning,
        lead=lead,
        facts=_facts(facts or Figures()),
        drawings=drawings_of(charts),
        tables=[(name, grid(table, most=OWNER_ROWS)) for name, table in (tables or {}).items()],
        diagrams=_diagrams(diagrams),
    )


def write_study(
    path: str | PathLike[str],
    title: str,
    *,
    lead: str,
    facts: Figures | None = None,
    charts: Iterable[Chart] = (),
    tables: Mapping[str, Table] | None = None,
    diagrams: Iterable[Diagram] = (),
    private: bool = True,
    warning: str = "",
    replace: bool = False,
) -> None:
    """Write a study, atomically; see `render_study`."""
    shown: dict[str, Any] = {"facts": facts, "charts": charts, "tables": tables, "diagrams": diagrams}
    text = render_study(title, lead=lead, private=private, warning=warning, **shown)
    write_text(path, text, replace=replace, private=private)


# -- templates -------------------------------------------------------------------------------------------------------


def _diagrams(diagrams: Iterable[Diagram]) -> list[tuple[Diagram, str, Grid]]:
    """Each diagram with its picture, which is safe markup, and its table."""
    return [(shown, diagram_svg(shown), grid(shown.table, most=OWNER_ROWS)) for shown in diagrams]


def _render(template: str, **values: Any) -> str:
    return _environment().get_template(template).render(values)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("confide.report"),
        autoescape=True,  # labels come from people's data
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: clean(value) if type(value) is str else value,
    )
    environment.tests["grid"] = lambda value: hasattr(value, "rows")
    environment.tests["listing"] = lambda value: hasattr(value, "shown")
    environment.filters["thousands"] = scalar
    environment.filters["lead_in"] = lead_in
    return environment
