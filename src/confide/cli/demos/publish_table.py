"""Publishing a registry: 5-anonymous and diverse by local recoding, with the owner's risks in a page of their own."""

from pathlib import Path

from confide import report
from confide.cli.demos import DemoPart
from confide.core.requirements import KAnonymity, RecursiveDiversity
from confide.core.samples.people import people, people_hierarchies, people_schema
from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Schema
from confide.publish import Mondrian

__all__ = ["run"]


def run(folder: Path) -> DemoPart:
    """Make the invented people 5-anonymous and diverse, and write both pages and the passport."""
    hierarchies = {name: Hierarchy.from_rows(levels) for name, levels in people_hierarchies().items()}
    schema = Schema.from_dict(
        {name: {**spec, "hierarchy": hierarchies.get(name)} for name, spec in people_schema().items()}
    )
    requirement = KAnonymity(k=5) & RecursiveDiversity(c=4, l=2)
    release = Mondrian(requirement=requirement).publish(people(20_000, seed=1), schema)
    passport = release.write(folder / "registry-released.csv", replace=True)
    page = folder / "registry-released.html"
    report.write(release, page, passport=passport, replace=True)
    (folder / "owner").mkdir(exist_ok=True)
    report.write_owner(release, folder / "owner" / "registry.html", replace=True)
    return DemoPart(
        title="Publishing a table",
        promise=release.passport.promise,
        summary=release.passport.headline,
        page=page,
        passports=(folder / "registry-released.csv.passport.json",),
    )
