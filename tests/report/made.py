"""Releases, charts and pages that the tests of reports share, and a parser that sees whether a page nests."""

import math
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import pyarrow as pa

from confide.core.checks import Check, Verification
from confide.core.figures import Chart, Column, Figure, Figures, Table
from confide.core.passport import Passport
from confide.core.release import OwnerPart, Release
from confide.core.requirements import (
    Amplification,
    BetaLikeness,
    Coherence,
    Exposure,
    KAnonymity,
    OutputPrivacy,
    RecursiveDiversity,
    SimpleDiversity,
    TCloseness,
)
from confide.report import (
    IndexEntry,
    render,
    render_index,
    render_owner,
    render_study,
)

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&amp;</style></svg>"
REQUIREMENTS = (
    Coherence(h=0.6, k=10, p=math.inf),
    KAnonymity(k=3),
    SimpleDiversity(l=4),
    RecursiveDiversity(c=4, l=3),
    KAnonymity(k=5) & RecursiveDiversity(c=3, l=3) & TCloseness(t=0.2) & BetaLikeness(beta=1.5, enhanced=True),
    Amplification(gamma=19.0),
    OutputPrivacy(epsilon=0.04, delta=0.4, min_support=25, vulnerable=5),
    Exposure(min_detail=0.1),
)
CHARTS = (
    Chart(
        title="Upright", x=("a", "b"), series={"before": (3, 2000), "after": (1, 2)}, y_unit="count", x_label="item",
        note="A note.",
    ),
    Chart(
        title="Lying", x=tuple(f"an item with a long name {n}" for n in range(9)), series={"lost": tuple(range(9))},
        y_unit="count",
    ),
    Chart(title="Counted", x=tuple(range(60)), series={"groups": tuple(range(60))}, y_unit="count", x_label="rows"),
    Chart(title="Lines", x=(1, 2, 3), series={"kept": (1.0, 0.5, 0.25)}, y_unit="share", kind="line", x_label="size"),
    Chart(title="Named lines", x=("low", "high"), series={"u": (-1.5, 2.5), "v": (0, 1)}, y_unit="number", kind="line"),
)  # fmt: skip
MOLES = Figures(Figure("moles", 3, "count"))
LOSS = Figures(Figure("rows_suppressed", 12345, "count"), Figure("rows_kept", 0.5, "share", "of all rows are kept"))


def release(requirement=REQUIREMENTS[1], *, checks=(("groups", True, "all of 3 rows or more"),), **given):
    loss = given.pop("loss", LOSS)
    parts = {name: given.pop(name) for name in ("charts", "owner", "key_figures") if name in given}
    not_provable = given.pop("not_provable", ("that the input was what the owner says",))
    given = {"stage": "publish table", "algorithm": "Incognito", **given}
    verification = None
    if checks is not None:
        made = [Check(name=name, ok=ok, detail=detail) for name, ok, detail in checks]
        verification = Verification.of(made, not_provable=not_provable)
    return Release(
        data=pa.table({"secret": ["canary-of-the-data"]}),
        requirement=requirement,
        loss=loss,
        passport=Passport.issue(requirement, loss=loss, **given),
        verification=verification,
        **parts,
    )


def evil_release():
    """Labels of people's data wherever a label can stand, each trying to become markup."""
    chart = Chart(
        title=EVIL, x=(EVIL, "$x^2$", "\u0000\ud800", "茶"), series={EVIL: (1, 2, 3, 4), "_y": (4, 3, 2, 1)},
        y_unit="count", x_label=EVIL, y_label=EVIL, note=EVIL,
    )  # fmt: skip
    nested = {EVIL: EVIL, "list": [EVIL] * 30, "table": {EVIL: {EVIL: 1}}, "deep": {EVIL: {EVIL: [{EVIL: EVIL}]}}}
    figures = Figures(*(Figure(name, value, "text", EVIL) for name, value in nested.items()))
    columns = (Column(EVIL, "text"), Column("b", "number"))
    return release(
        checks=((EVIL, False, EVIL),),
        stage=EVIL,
        algorithm=EVIL,
        loss=figures,
        headline=EVIL,
        parameters=nested,
        context={**nested, "long": "w" * 700},
        caveats=(EVIL,),
        randomness={"source": EVIL, EVIL: EVIL},
        charts=(chart, replace(chart, kind="line")),
        not_provable=(EVIL,),
        owner=OwnerPart(facts=figures, tables={EVIL: Table(columns, ((EVIL, "w" * 700), (1, 0.5)))}, charts=(chart,)),
    )


class Page(HTMLParser):
    """The elements of a page, and whether they nest."""

    VOID = frozenset({"meta", "link", "br", "img"})

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.texts, self.stack = [], [], [], []
        self.feed(text)
        self.close()
        assert not self.stack

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        if "style" not in self.stack:
            self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


def index_entry(**given):
    made = release()
    values = {
        "stage": "publish table",
        "title": "Invented patients",
        "promise": made.passport.promise,
        "verdict": made.verification,
        "summary": "half of the rows kept",
        "href": "publish-table.html",
    }
    return IndexEntry(**{**values, **given})


PAGES = ("release", "evil", "owner", "study", "index")


@cache
def every_page():
    made, evil = release(charts=CHARTS), evil_release()
    return {
        "release": render(made),
        "evil": render(evil),
        "owner": render_owner(evil),
        "study": render_study(EVIL, lead=EVIL, facts=LOSS, charts=evil.charts, tables=evil.owner.tables),
        "index": render_index([index_entry(), index_entry(stage=EVIL, title=EVIL, promise=EVIL, summary=EVIL)]),
    }
