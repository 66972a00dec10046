"""A table made 5-anonymous by hand: coarser ages and postcodes, rare combinations left out; then verified."""

from pathlib import Path

from confide import report
from confide.cli.demos import DemoPart
from confide.core.figures import Chart, Figure, Figures
from confide.core.release import Release
from confide.core.requirements import KAnonymity
from confide.core.samples.people import people, people_hierarchies, people_schema
from confide.core.tables.hierarchy import Hierarchy

__all__ = ["run"]

LEVELS = {"age": 2, "postcode": 3, "occupation": 1, "education": 1, "sex": 0}


def run(folder: Path) -> DemoPart:
    """Generalise the invented people, release them, and write report and passport."""
    import pyarrow as pa

    requirement = KAnonymity(k=5)
    table = people(20_000, seed=1)
    roles = {name: spec["role"] for name, spec in people_schema().items() if spec["role"] != "identifier"}
    coarse = table.select(list(roles))
    for name, levels in people_hierarchies().items():
        hierarchy = Hierarchy.from_rows(levels)
        values = [str(value) for value in table[name].to_pylist()]
        place = coarse.column_names.index(name)
        coarse = coarse.set_column(place, name, pa.array(hierarchy.generalise(values, level=LEVELS[name])))
    quasi = [name for name, role in roles.items() if role == "quasi-identifier"]
    groups = coarse.group_by(quasi).aggregate([([], "count_all")])
    large = groups.filter(pa.compute.greater_equal(groups["count_all"], requirement.k)).drop_columns("count_all")
    kept = (
        coarse.join(large, keys=quasi, join_type="inner")
        .select(list(roles))
        .sort_by([(name, "ascending") for name in roles])
    )
    lost = table.num_rows - kept.num_rows
    release = Release.issue(
        kept,
        requirement,
        stage="by hand",
        algorithm="fixed levels, small groups left out",
        parameters={"levels": LEVELS},
        context={"roles": roles},
        loss=Figures(
            Figure("rows_kept", kept.num_rows, "count"),
            Figure("rows_left_out", lost, "count"),
            Figure("share_of_rows_left_out", lost / table.num_rows, "share", "of all rows are left out"),
        ),
        headline=(
            f"{kept.num_rows:,} of {table.num_rows:,} rows are kept, and each looks like at least "
            f"{requirement.k - 1} others."
        ),
        key_figures=("rows_kept", "rows_left_out", "share_of_rows_left_out"),
        charts=(
            Chart(
                title="How coarse each column has become",
                x=tuple(LEVELS),
                series={"level of generalisation": tuple(float(level) for level in LEVELS.values())},
                y_label="level (0 keeps every value)",
                y_unit="count",
            ),
        ),
    )
    passport = release.write(folder / "people.csv", replace=True)
    report.write(release, folder / "people.html", passport=passport, replace=True)
    return DemoPart(
        title="A table released by hand",
        promise=release.passport.promise,
        summary=release.passport.headline,
        page=folder / "people.html",
        passports=(folder / "people.csv.passport.json",),
    )
