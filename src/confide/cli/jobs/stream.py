"""The job `stream attack`: the adversaries, against a recorded stream; for its owner."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from confide.core.errors import RequestError, UsageError
from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import Delivery
from confide.core.jobs.fields import setting, source
from confide.core.jobs.request import Request

__all__ = ["GROUPS", "JOBS", "StreamAttack"]


@dataclass(frozen=True, kw_only=True)
class StreamAttack(Request):
    """Play the adversary against IN: which rare patterns would raw supports give away, and what is left to guess.

    The answer holds true counts: it is the owner's, and not a proof.
    """

    records: Path = source(help="The recorded stream: .dat or .jsonl.")
    published: Path | None = setting(
        None, metavar="FILE", help="A run that was released from IN: windows and promise are taken from it."
    )
    min_support: int | None = setting(None, metavar="C", help="Itemsets in at least C records are frequent.")
    vulnerable: int = setting(5, ge=1, metavar="K", help="Patterns of up to K records are rare.")
    window: int | None = setting(None, ge=1, help="A window of the last so many records.")
    every: int = setting(100, ge=1, because="is not a number of records", help="Records between two windows.")
    between: bool = setting(False, help="Also what follows from two neighbouring windows (slower).")
    limit: int | None = setting(None, ge=1, help="End after so many windows.")

    def check(self) -> None:
        super().check()
        if self.published is not None:
            return
        if self.min_support is None or self.window is None:
            raise UsageError("give published=, or min_support= and window=")
        if self.min_support <= self.vulnerable:
            what = f"is not above vulnerable={self.vulnerable}; use {{}} or more"
            raise RequestError("min_support", self.min_support, what, cure=self.vulnerable + 1)


@dataclass(frozen=True, kw_only=True)
class OwnerPage(Delivery):
    """The answer goes to standard output, a page for the owner to a file."""

    owner_report: Path | None = setting(None, metavar="FILE", help="Write a page for the owner only here.")
    replace: bool = setting(False, help="Overwrite files that exist.")

    @property
    def targets(self) -> tuple[Path | None, ...]:
        return (self.owner_report,)


GROUPS: Mapping[str, str] = {}

JOBS = (
    Job(
        name="stream attack",
        request=StreamAttack,
        at="confide.cli.jobs.stream_attack:attack_stream",
        delivery=OwnerPage,
        examples=(
            "confide stream attack clicks.jsonl --min-support 25 --window 1000 --every 500",
            "confide stream attack clicks.jsonl --published frequent.jsonl",
        ),
    ),
)
