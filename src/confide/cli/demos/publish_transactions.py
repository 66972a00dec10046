"""Publishing baskets: coherent transactions, keeping items, with the owner's reasons in a page of their own."""

from pathlib import Path

from confide import report
from confide.cli.demos import DemoPart
from confide.core.requirements import Coherence
from confide.core.samples.invented_baskets import baskets
from confide.publish import suppress

__all__ = ["run"]


def run(folder: Path) -> DemoPart:
    """Suppress items of the invented baskets, release them, and write both pages and the passport."""
    shop = baskets(20_000, seed=1)
    private = [label for label in shop.items if label.startswith("s:")]
    release = suppress(shop, Coherence(h=0.5, k=10, p=2), private=private, nugget_support=0.01)
    passport = release.write(folder / "baskets-released.csv", replace=True)
    page = folder / "baskets-released.html"
    report.write(release, page, passport=passport, replace=True)
    (folder / "owner").mkdir(exist_ok=True)
    report.write_owner(release, folder / "owner" / "baskets.html", replace=True)
    return DemoPart(
        title="Publishing baskets",
        promise=release.passport.promise,
        summary=release.passport.headline,
        page=page,
        passports=(folder / "baskets-released.csv.passport.json",),
    )
