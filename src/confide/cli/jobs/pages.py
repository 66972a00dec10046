"""The job `report`: the page of a release, made again from its passport."""

from dataclasses import dataclass
from pathlib import Path

from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import FileOnly
from confide.core.jobs.fields import setting, source
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.jobs.request import Request

__all__ = ["GROUPS", "JOBS", "Report", "report"]


@dataclass(frozen=True, kw_only=True)
class Report(Request):
    """Verify a release from its passport, and write its page. Charts are not in a passport, so the page has none.

    Exit status 1 when a check fails: the page is written, and says so.
    """

    passport: Path = source(help="The passport of the release.", metavar="PASSPORT")
    artefact: Path | None = setting(None, help="The released file, if it is not beside its passport.")


def report(request: Report, host: Host = QUIET) -> Outcome:
    """Verify, and describe the release as its passport does; `Release`."""
    from confide.audit.verify import verify
    from confide.core.passport import Passport
    from confide.core.release import Release
    from confide.report import write

    verification = verify(request.passport, artefact=request.artefact)
    release = Release.described(Passport.read(request.passport), verification=verification)

    def save(path: Path, replace: bool) -> str:
        write(release, path, replace=replace)
        return f"page written to {path}: {verification.summary()}"

    return Outcome(answer=release, save=save, ok=verification.ok)


GROUPS: dict[str, str] = {}

JOBS = (
    Job(
        name="report",
        request=Report,
        at="confide.cli.jobs.pages:report",
        delivery=FileOnly,
        examples=("confide report people.csv.passport.json -o people.html",),
    ),
)
