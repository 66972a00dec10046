"""What a page shows as the word of whoever made a release: what the auditor did not find out by itself."""

from dataclasses import dataclass
from typing import Any

from confide.core.checks import Findings
from confide.core.figures import Figures
from confide.core.passport import Passport
from confide.core.release import Release
from confide.report.blocks import Fact, Grid, fact_of, figures
from confide.report.drawing import Drawing, drawings_of
from confide.report.passport_facts import said_making

__all__ = ["Said", "said_of"]


@dataclass(frozen=True)
class Said:
    """What stands in a passport and nobody can check: the word of whoever made the release."""

    headline: str
    caveats: tuple[str, ...]
    figures: list[Fact]
    losses: list[Fact]
    drawings: list[Drawing]
    making: list[tuple[str, list[Fact]]]


def said_of(release: Release[Any], passport: Passport, found: Findings, caveats: tuple[str, ...]) -> Said:
    """All of a passport that the auditor did not find out by itself, and charts, which no passport holds."""
    drawings = drawings_of(release.charts)
    cost = Figures(*(figure for figure in release.loss.figures() if figure.name not in found.figures))
    large, other = figures(cost)
    first = [fact_of(cost, name) for name in release.key_figures if name in cost]
    return Said(
        headline="" if passport.headline == found.sentence else passport.headline,
        caveats=caveats,
        figures=[*(fact for fact in first if fact in large), *(fact for fact in large if fact not in first)],
        losses=_not_drawn(other, drawings),
        drawings=drawings,
        making=said_making(passport, found.settled),
    )


def _not_drawn(facts: list[Fact], drawings: list[Drawing]) -> list[Fact]:
    """The facts without tables whose numbers a chart shows, which has them as a table itself."""
    drawn = {_texts(drawing.table) for drawing in drawings}
    return [fact for fact in facts if not isinstance(fact.block, Grid) or _texts(fact.block) not in drawn]


def _texts(shown: Grid) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(cell.text for cell in row) for row in shown.rows)
