"""Personal search: a profile of an invented person, what it exposes, and the same results in two orders."""

from pathlib import Path

from confide import report
from confide.cli.demos import DemoPart
from confide.core.samples.invented_documents import documents
from confide.search import LocalIndex, Profile, Wrapper

__all__ = ["run"]

MIN_DETAIL = 0.02
QUERY = "evening"


def run(folder: Path) -> DemoPart:
    """Build a profile from invented notes, expose part of it, search with it, and write page and passport."""
    profile = Profile.build(documents(600, seed=1))
    release = profile.release(min_detail=MIN_DETAIL, hide=["illness"])
    passport = release.write(folder / "exposed-profile.json", replace=True)
    page = folder / "exposed-profile.html"
    report.write(release, page, passport=passport, replace=True)
    (folder / "owner").mkdir(exist_ok=True)
    report.write_owner(release, folder / "owner" / "exposed-profile.html", replace=True)

    index = LocalIndex.build((f"https://example.org/{i}", text) for i, text in enumerate(documents(600, seed=2)))
    exposed = profile.expose(min_detail=MIN_DETAIL, hide=["illness"])
    ranking = Wrapper(index).search(QUERY, exposed.profile)
    moved = sum(link.rank != link.engine_rank for link in ranking.results)
    return DemoPart(
        title="Personal search",
        promise=release.passport.promise,
        summary=(
            f"{release.passport.headline} {moved} of {len(ranking.results)} results for {QUERY!r} change places; "
            "the engine saw the query alone."
        ),
        page=page,
        passports=(folder / "exposed-profile.json.passport.json",),
    )
