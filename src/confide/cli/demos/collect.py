"""Collecting answers: perturbed as each device would, mined, and held against the truth on the owner's page."""

from dataclasses import replace
from pathlib import Path

from confide import report
from confide.cli.demos import DemoPart
from confide.collect import Bins, GammaDiagonal
from confide.collect.perturbed_release import release_perturbed
from confide.collect.planning.charts import truth_charts
from confide.collect.planning.privacy_measures import as_transactions
from confide.core.figures import Column, Table
from confide.core.itemsets.itemset_files import write_itemsets
from confide.core.release import OwnerPart
from confide.core.samples.people import people
from confide.mining import compare_itemsets, frequent_itemsets

__all__ = ["run"]

SUPPORT = 0.02


def run(folder: Path) -> DemoPart:
    """Perturb the answers of invented people, release and mine them, and write both pages and the passport."""
    answers = people(60_000, seed=1).select(["age", "sex", "diagnosis"])
    values = {name: sorted(set(answers[name].to_pylist())) for name in ("sex", "diagnosis")}
    scheme = GammaDiagonal(domains={"age": Bins((30, 50, 65)), **values}, gamma=19)
    scheme.write(folder / "answers.scheme.json", replace=True)

    release = release_perturbed(scheme, answers)
    found = scheme.mine(release.data, min_support=SUPPORT)
    write_itemsets(found, folder / "answers-found.csv", replace=True)

    # Only a demo has the truth at hand; a collector never does.
    true = frequent_itemsets(as_transactions(scheme, answers), min_support=SUPPORT)
    errors = compare_itemsets(true, found)
    rows = tuple(
        (level.level, level.true, level.found, level.reported - level.found, level.rho) for level in errors.levels
    )
    columns = (
        Column("items in the itemset", "count"),
        Column("truly frequent", "count"),
        Column("found", "count"),
        Column("found wrongly", "count"),
        Column("mean error of a support", "percent"),
    )
    assert release.owner is not None
    owner = OwnerPart(
        facts=release.owner.facts,
        tables={"Itemsets found in the noise": Table(columns, rows)},
        charts=truth_charts(true, found),
    )
    passport = release.write(folder / "answers-sent.csv", replace=True)
    page = folder / "answers-sent.html"
    report.write(release, page, passport=passport, replace=True)
    (folder / "owner").mkdir(exist_ok=True)
    report.write_owner(replace(release, owner=owner), folder / "owner" / "answers.html", replace=True)
    return DemoPart(
        title="Collecting answers",
        promise=release.passport.promise,
        summary=(
            f"{release.passport.headline} {errors.overall.found:,} of {errors.overall.true:,} frequent itemsets are "
            f"still found, and {errors.overall.reported - errors.overall.found:,} others by mistake."
        ),
        page=page,
        passports=(folder / "answers-sent.csv.passport.json",),
    )
