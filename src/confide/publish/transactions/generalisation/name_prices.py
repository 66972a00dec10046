"""What each setting of k, h and p costs under broader names, beside what hiding would cost."""

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from confide.core.errors import CannotMeetError
from confide.core.figures import Chart, Column, ShownFields
from confide.core.requirements import Coherence
from confide.core.runtime.progress import task
from confide.core.runtime.threads import answers_ctrl_c
from confide.publish.transactions.generalisation.descents import Generalisation, measure, share_exact, share_gone
from confide.publish.transactions.generalisation.name_choice import NameChoice
from confide.publish.transactions.suppression_choice import SuppressionChoice

__all__ = ["COLUMNS", "NameSetting", "draw_prices", "price_names"]


@dataclass(frozen=True, kw_only=True)
class NameSetting(ShownFields):
    """One setting, with the loss of broader names and of hiding. `refused` says why no names can be published.

    Where names found for a stricter setting are cheaper, they count here, too, and `found_for` says which it was: a
    release that asks for that setting has this loss.
    """

    k: int
    h: float
    p: int | float
    share_of_occurrences_lost: float | None = None
    share_exact: float | None = None
    share_gone: float | None = None
    ncp: float | None = None
    bits: float | None = None
    found_for: str = ""
    refused: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; an infinite p becomes "inf"."""
        return asdict(self) | {"p": "inf" if self.p == math.inf else self.p}


COLUMNS = (
    Column("k", "count"),
    Column("h", "number"),
    Column("p", "count"),
    Column("of all entries lost by hiding", "share"),
    Column("of all entries exact under broader names", "share"),
    Column("of all entries gone", "share"),
    Column("NCP", "number"),
    Column("bits", "number"),
    Column("found for", "text"),
    Column("why not", "text"),
    Column("of records wholly covered by p", "share"),
)


def price_names(names: NameChoice, hiding: SuppressionChoice, settings: Sequence[Coherence]) -> list[NameSetting]:
    """Price every setting, in the order given. The strictest are tried first: what they give holds for weaker ones."""
    found: dict[Coherence, Generalisation] = {}
    prices: dict[Coherence, NameSetting] = {}
    with task("exploring settings", total=len(settings)) as step:
        for asked in sorted(settings, key=lambda each: (-each.k, -each.p, each.h)):
            prices[asked] = _price(names, hiding, asked, found)
            step(1)
    return [prices[asked] for asked in settings]


@answers_ctrl_c
def _price(
    names: NameChoice, hiding: SuppressionChoice, asked: Coherence, found: dict[Coherence, Generalisation]
) -> NameSetting:
    shown: dict[str, Any] = {"k": asked.k, "h": asked.h, "p": asked.p}
    with suppress(CannotMeetError):  # names may still do
        shown["share_of_occurrences_lost"] = hiding.loss(hiding.make(asked))["share_of_occurrences_lost"]
    refused = ""
    try:
        found[asked] = names.make(asked)
    except CannotMeetError as error:
        refused = str(error)
    best = min(_that_hold(asked, found), key=lambda each: measure(found[each])[names.cost], default=None)
    if best is None:
        return NameSetting(**shown, refused=refused)
    cost = measure(found[best])
    return NameSetting(
        **shown,
        share_exact=round(share_exact(found[best]), 3),
        share_gone=round(share_gone(found[best]), 3),
        ncp=float(f"{cost['ncp']:.2g}"),
        bits=round(cost["bits"], 1),
        found_for="" if best == asked else f"k={best.k}, h={best.h:g}, p={best.p:g}",
    )


def _that_hold(asked: Coherence, found: dict[Coherence, Generalisation]) -> Iterator[Coherence]:
    """The settings found so far whose names keep what is asked, this one first."""
    if asked in found:
        yield asked
    for other in found:
        if other != asked and other.k >= asked.k and other.p >= asked.p and other.h <= asked.h:
            yield other


def draw_prices(settings: Sequence[NameSetting]) -> tuple[Chart, ...]:
    """What stays exact, by hiding and by broader names, against k."""
    ks = sorted({setting.k for setting in settings})
    lines: dict[str, tuple[float, ...]] = {}
    for h, p in sorted({(setting.h, setting.p) for setting in settings}):
        by_k = {setting.k: setting for setting in settings if (setting.h, setting.p) == (h, p)}
        rows = [by_k[k] for k in ks]
        hidden = [1 - row.share_of_occurrences_lost for row in rows if row.share_of_occurrences_lost is not None]
        exact = [row.share_exact for row in rows if row.share_exact is not None]
        for how, values in (("hiding", hidden), ("broader names", exact)):
            if len(values) == len(ks):
                lines[f"{how}, h = {h:g}, p = {p:g}"] = tuple(values)
    if not lines:
        return ()
    chart = Chart(
        title="Entries published as they are",
        x=tuple(float(k) for k in ks),
        series=lines,
        kind="line",
        x_label="k",
        y_label="share of all entries",
        y_unit="share",
        x_unit="count",
        note="By hiding the others are gone; under broader names they stand for a few items.",
    )
    return (chart,)
