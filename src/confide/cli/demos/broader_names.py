"""Publishing few baskets under broader names: the shelf where a product must go, beside what hiding it would lose."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from confide import report
from confide.cli.demos import DemoPart
from confide.core.requirements import Coherence
from confide.core.samples.invented_baskets import baskets, departments
from confide.publish import generalise

__all__ = ["run"]


def run(folder: Path) -> DemoPart:
    """Release baskets under names of shelves and departments, and write the page and the passport."""
    shop = baskets(2_000, seed=1)
    private = [label for label in shop.items if label.startswith("s:")]
    departments().write(folder / "departments.csv", replace=True)
    requirement = Coherence(h=0.5, k=10, p=2)
    release = generalise(
        shop, requirement, taxonomy=folder / "departments.csv", private=private, explain=False, beside_hiding=True
    )
    passport = release.write(folder / "baskets-broader.csv", replace=True)
    page = folder / "baskets-broader.html"
    report.write(release, page, passport=passport, replace=True)
    return DemoPart(
        title="Publishing baskets under broader names",
        promise=release.passport.promise,
        summary=_compare(release.loss),
        page=page,
        passports=(folder / "baskets-broader.csv.passport.json",),
    )


def _compare(loss: Mapping[str, Any]) -> str:
    """What broader names keep beside what hiding keeps, in plain words."""
    hiding, names = (loss["beside_hiding"][row] for row in ("hiding items", "broader names"))
    lost = f"{names['gone']:.1%} are lost" if names["gone"] else "none is lost"
    return (
        f"Hiding items would keep {hiding['as they are']:.1%} of all entries and lose {hiding['gone']:.1%}. "
        f"Broader names keep {names['as they are']:.1%}, and of {loss['share_generalised']:.1%} they say the shelf or "
        f"the department; {lost}."
    )
