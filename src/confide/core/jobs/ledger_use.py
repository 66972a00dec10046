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
    from confide.core.series.places import Earlier
    from confide.core.series.shown_items import EarlierItems, ShownItems

__all__ = ["LedgerUse", "OpenedLedger"]

_GROUP = "Several releases about the same people"


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class OpenedLedger:
    """A ledger that a release is built on, with its key, which is not asked for twice; `earlier`, or of baskets
    `earlier_items`, is what its releases leave to this one, None where it has none."""

    ledger: Any
    secret: bytes | str
    earlier: "Earlier | None"
    earlier_items: "EarlierItems | None" = None


@dataclass(frozen=True, kw_only=True)
class LedgerUse(Request):
    """The ledger that a release is written in, and its key."""

    ledger: Path | None = setting(
        None,
        group=_GROUP,
        metavar="FILE",
        help="Record the release in this ledger, and say what it tells together with earlier ones.",
    )
    after: Path | None = setting(
        None,
        group=_GROUP,
        metavar="LEDGER",
        help="Build on the releases in this ledger, so that together they give away no more; record the release in it.",
    )
    ledger_key: Path | None = setting(
        None, group=_GROUP, metavar="FILE", help="Key of the ledger; without it, its passphrase is asked for."
    )

    def check(self) -> None:
        super().check()
        if self.ledger is not None and self.after is not None:
            raise RequestError("ledger", self.ledger, "is one ledger too many: after= records the release in its own")
        if self.ledger_key is not None and self.used_ledger is None:
            raise RequestError("ledger_key", self.ledger_key, "goes with ledger= or after=")

    @property
    def used_ledger(self) -> Path | None:
        """The ledger that the release is written in."""
        return self.ledger if self.after is None else self.after

    def build_on(self, membership: "Callable[[], Membership | ShownItems]", host: Host) -> "OpenedLedger | None":
        """The ledger to build on, opened; `membership` says of whom the release is to speak. None without after=."""
        if self.after is None:
            return None
        opened: OpenedLedger = call(
            "confide.ledger.building:open_to_build", (self.after, self.ledger_key), membership(), host
        )
        return opened

    def record(
        self,
        release: "Release[Any]",
        membership: "Callable[[], Membership | ShownItems]",
        host: Host,
        opened: "OpenedLedger | None" = None,
    ) -> "tuple[Release[Any], tuple[str, ...]]":
        """The release, which writes itself down in the ledger when it is written, and what it tells with earlier ones.

        `membership` says of whom it speaks; it is asked only where there is a ledger. `opened` is
        the ledger if it was built on.
        """
        if self.used_ledger is None:
            return release, ()
        found: tuple[Release[Any], tuple[str, ...]] = call(
            "confide.ledger.recording:record_release",
            release,
            membership(),
            (self.used_ledger, self.ledger_key),
            host,
            opened,
        )
        return found
