"""The job `search profile verify`: the auditor checks an exposed profile against the profile of its owner."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from confide.core.errors import InputError
from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import VerdictDelivery
from confide.core.jobs.fields import setting, source
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.search.jobs.requests import Passphrase

__all__ = ["GROUPS", "JOBS", "SearchProfileVerify", "verify_profile"]


@dataclass(frozen=True, kw_only=True)
class SearchProfileVerify(Passphrase):
    """Check that an exposed profile holds what your profile allows, and nothing else. Only you can do so.

    Exit status 0 if every check holds, 1 if one fails.
    """

    profile: Path = source(help="Your profile (see confide search profile build).", metavar="PROFILE")
    passport: Path = source(help="The passport of what was exposed.", metavar="PASSPORT")
    hide: tuple[str, ...] = setting(
        (), repeat=True, metavar="BRANCH", help="A branch that was to stay here. Once for each."
    )


def verify_profile(request: SearchProfileVerify, host: Host = QUIET) -> Outcome:
    """Verify the passport with the profile as evidence; the answer is the auditor's verdict."""
    from confide.audit.verify import verify
    from confide.search.jobs.passphrases import open_profile

    if not request.passport.is_file():
        raise InputError("no such file", source=request.passport)
    profile, _ = open_profile(request.profile, request.passphrase_file, host)
    verdict = verify(request.passport, evidence=profile.evidence(hide=request.hide))
    return Outcome(
        answer=verdict,
        notes=(f"{request.passport}: {verdict.verdict()}",),
        words=tuple(f"  {line}" for line in verdict.lines()),
        document=verdict.summary(),
        ok=verdict.ok,
    )


GROUPS: Mapping[str, str] = {}

JOBS = (
    Job(
        name="search profile verify",
        request=SearchProfileVerify,
        at="confide.cli.jobs.search:verify_profile",
        delivery=VerdictDelivery,
        live=True,
        examples=("confide search profile verify my.profile exposed.json.passport.json",),
    ),
)
