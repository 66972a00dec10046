"""Requests whose release is recorded in a ledger: jobs connect a stage, which knows of no ledgers, with one."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.errors import RequestError
from confide.core.jobs.fields import setting
from confide.core.jobs.outcome import Host
from confide.core.jobs.request import Request
from confide.core.runtime.lazy import call

if TYPE_CHECKING:
    from confide.core.release import Release
    from confide.core.series.membership import Membership

__all__ = ["LedgerUse"]

_GROUP = "Several releases about the same people"


@dataclass(frozen=True, kw_only=True)
class LedgerUse(Request):
    """The ledger that a release is written in, and its key."""

    ledger: Path | None = setting(
        None,
        group=_GROUP,
        metavar="FILE",
        help="Record the release in this ledger, and say what it tells together with earlier ones.",
    )
    ledger_key: Path | None = setting(
        None, group=_GROUP, metavar="FILE", help="Key of the ledger; without it, its passphrase is asked for."
    )

    def check(self) -> None:
        super().check()
        if self.ledger_key is not None and self.ledger is None:
            raise RequestError("ledger_key", self.ledger_key, "goes with ledger=")

    def record(
        self, release: "Release[Any]", membership: "Callable[[], Membership]", host: Host
    ) -> "tuple[Release[Any], tuple[str, ...]]":
        """The release, which writes itself down in the ledger when it is written, and what it tells with earlier ones.

        `membership` says of whom it speaks; it is asked only where there is a ledger.
        """
        if self.ledger is None:
            return release, ()
        found: tuple[Release[Any], tuple[str, ...]] = call(
            "confide.ledger.recording:record_release", release, membership(), (self.ledger, self.ledger_key), host
        )
        return found
