"""Mining: closed itemsets and rules of a shop's baskets."""

from pathlib import Path

from confide.cli.demos import DemoPart
from confide.core.itemsets.itemset_files import write_itemsets
from confide.core.samples.invented_baskets import baskets
from confide.mining import association_rules, frequent_itemsets

__all__ = ["run"]


def run(folder: Path) -> DemoPart:
    """Mine the invented baskets and write what was found."""
    shop = baskets(20_000, seed=1)
    shop.write(folder / "baskets.csv", replace=True)
    closed = frequent_itemsets(shop, min_support=0.01, kind="closed")
    write_itemsets(closed, folder / "closed.csv", replace=True)
    rules = association_rules(frequent_itemsets(shop, min_support=0.01), min_confidence=0.5)
    return DemoPart(
        title="Mining baskets",
        promise="none: plain mining protects nobody",
        summary=f"{len(closed):,} closed itemsets and {len(rules):,} rules in {len(shop):,} baskets.",
        page=folder / "closed.csv",
    )
