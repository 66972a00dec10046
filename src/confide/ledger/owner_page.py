"""The owner's page about a ledger: time line, what the releases say together after each, people at risk."""

from confide.core.figures import Chart, Column, Figure, Figures, Study, Table
from confide.ledger.book import RecordedRelease, ReleaseLedger
from confide.ledger.checking import JointView, check_together
from confide.ledger.item_releases import check_items_together

__all__ = ["ledger_page"]

_LINE = (
    Column("release", "number"),
    Column("when", "text"),
    Column("file", "text"),
    Column("state", "text"),
    Column("people", "count"),
    Column("came", "count"),
    Column("left", "count"),
    Column("carried on", "count"),
    Column("held back", "count"),
)
_PROMISES = (Column("release", "number"), Column("promise", "text"))
_TOGETHER = (
    Column("after release", "number"),
    Column("people so far", "count"),
    Column("certain to a neighbour", "count"),
    Column("certain to a register, at least", "count"),
    Column("at most", "count"),
    Column("values possible for everybody", "count"),
    Column("together", "text"),
)


_ITEMS_LINE = (
    Column("release", "number"),
    Column("when", "text"),
    Column("file", "text"),
    Column("state", "text"),
    Column("records", "count"),
    Column("items", "count"),
    Column("items the first does not show", "count"),
    Column("together", "text"),
)


def ledger_page(ledger: ReleaseLedger) -> Study:
    """The page, from the ledger alone."""
    if ledger.item_releases:
        return _page_of_baskets(ledger)
    after = [check_together(ledger, number) for number in range(1, len(ledger) + 1)]
    last = after[-1] if after else None
    lead = " ".join(f"{line[0].upper()}{line[1:]}." for line in last.lines()) if last else "No release is recorded yet."
    return Study(
        title=f"Releases in {ledger.path.name}",
        lead=lead,
        facts=Figures(
            Figure("releases", len(ledger), "number"),
            Figure("people", len(ledger.pseudonyms), "count"),
        ),
        tables={
            "Time line": Table(_LINE, _time_line(ledger)),
            "What they say together": Table(_TOGETHER, _risks(after)),
            "What each promises": _promises(ledger),
        },
        charts=_charts(after),
        warning="" if last is None or last.ok else "Somebody's sensitive value can be worked out from these releases.",
    )


def _page_of_baskets(ledger: ReleaseLedger) -> Study:
    """The page of releases of baskets: which items each shows, and whether all together keep the promise."""
    after = [check_items_together(ledger, number) for number in range(1, len(ledger) + 1)]
    said = {True: "the promise holds", False: "the promise does not hold", None: "not worked out"}
    line = tuple(
        (
            number,
            release.when,
            release.name,
            "done" if release.done else "pending: counts as published",
            release.records,
            len(release.items),
            len(release.items - ledger.item_releases[0].items),
            said[view.together] if number > 1 else "",
        )
        for number, (release, view) in enumerate(zip(ledger.item_releases, after, strict=True), 1)
    )
    return Study(
        title=f"Releases in {ledger.path.name}",
        lead=" ".join(f"{text[0].upper()}{text[1:]}." for text in after[-1].lines()),
        facts=Figures(Figure("releases", len(ledger), "number"), Figure("records", after[-1].records, "count")),
        tables={"Time line": Table(_ITEMS_LINE, line), "What each promises": _promises(ledger)},
        charts=(),
        warning="" if after[-1].ok else "Together these releases do not keep, or are not known to keep, their promise.",
    )


def _promises(ledger: ReleaseLedger) -> Table:
    return Table(_PROMISES, tuple((i, release.passport.promise) for i, release in enumerate(ledger.recorded, 1)))


def _time_line(ledger: ReleaseLedger) -> tuple[tuple[object, ...], ...]:
    rows, before = [], None
    for number, release in enumerate(ledger.releases, 1):
        there = release.groups >= 0
        there[release.carried] = False
        people = int(there.sum())
        known = 0 if before is None else int((there[: len(before)] & before).sum())
        left = 0 if before is None else int(before.sum()) - known
        name = release.passport.artefact.name if release.passport.artefact else ""
        state = "done" if release.done else "pending: counts as published"
        rows.append(
            (
                number,
                release.when,
                name,
                state,
                people,
                people - known,
                left,
                *_handed_on(release),
            )
        )
        before = there
    return tuple(rows)


def _risks(after: list[JointView]) -> tuple[tuple[object, ...], ...]:
    return tuple(
        (
            one.releases,
            one.people,
            one.neighbour["certain"] if one.neighbour else None,
            one.register["certain_at_least"] if one.register else None,
            one.register["certain_at_most"] if one.register else None,
            one.cells["fewest_values"] if one.cells and one.cells["ok"] else None,
            _joint_promise(one),
        )
        for one in after
    )


def _joint_promise(view: JointView) -> str:
    """What the releases promise together, in a sentence."""
    if view.releases < 2:
        return ""
    if view.cells is None or not view.cells["ok"]:
        return "nothing: they are not built on one another"
    values = view.cells["fewest_values"]
    return f"at least {values} sensitive value{'s' * (values != 1)} stay{'s' * (values == 1)} possible for everybody"


def _handed_on(release: RecordedRelease) -> tuple[int | None, int | None]:
    """How many rows were carried on and held back; None where the release is built on no other."""
    if release.places is None:
        return None, None
    return len(release.carried), release.held_back


def _charts(after: list[JointView]) -> tuple[Chart, ...]:
    certain = [0 if one.register is None else one.register["certain_at_most"] for one in after]
    if len(after) < 2 or not any(certain):
        return ()
    return (
        Chart(
            title="People of whom a sensitive value is certain",
            x=tuple(one.releases for one in after),
            series={"at most": tuple(float(one.register["certain_at_most"]) for one in after if one.register)},
            y_unit="count",
            x_label="after release",
        ),
    )
