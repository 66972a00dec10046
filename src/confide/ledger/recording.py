"""A release on its way: written down as pending, released, written down as done.

    pending, synced  -->  files get their names  -->  done, synced
        killed here: counts as published    killed here: likewise

There is no moment at which a released file has its name and the ledger does not know of it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from confide.core.artefacts.held_files import hold_file
from confide.core.errors import UsageError
from confide.core.files import read_regular
from confide.core.jobs.ledger_use import OpenedLedger
from confide.core.jobs.outcome import Host
from confide.core.passport import Passport
from confide.core.release import Release
from confide.core.series.membership import Membership
from confide.core.series.shown_items import ShownItems
from confide.ledger.book import ReleaseLedger
from confide.ledger.checking import check_continuation, say_together
from confide.ledger.item_releases import look_at_all_items

__all__ = ["ask_for_key", "open_ledger", "read_ledger_key", "record_release"]

_KEY = 32


def read_ledger_key(path: Path) -> bytes:
    """The key in a file of 32 bytes."""
    found = read_regular(path, max_bytes=1 << 16)
    if len(found) != _KEY:
        raise UsageError(f"{path} holds {len(found)} bytes, and the key of a ledger is {_KEY}", parameter="ledger_key")
    return found


def open_ledger(path: Path, key: Path | None, host: Host) -> ReleaseLedger:
    """Read a ledger with the key in a file, or with a passphrase that is asked for."""
    return ReleaseLedger.read(path, ask_for_key(key, host))


def ask_for_key(key: Path | None, host: Host, *, new: bool = False) -> bytes | str:
    """The key in a file, or a passphrase that is asked for, twice if it is `new`."""
    if key is not None:
        return read_ledger_key(key)
    passphrase = host.secret("Passphrase of the ledger", new)
    if passphrase is None:
        raise UsageError(
            "the ledger needs its key, and nobody can be asked for a passphrase here; give ledger_key=",
            parameter="ledger_key",
        )
    return passphrase


def record_release(
    release: Release[Any],
    membership: Membership | ShownItems,
    where: tuple[Path, Path | None],
    host: Host,
    opened: OpenedLedger | None = None,
) -> tuple[Release[Any], tuple[str, ...]]:
    """The release, which writes itself into a ledger; and what it says together with those that are in it."""
    if opened is None:
        secret = ask_for_key(where[1], host)
        ledger = ReleaseLedger.read(where[0], secret)
    else:
        secret, ledger = opened.secret, opened.ledger
    if isinstance(membership, ShownItems):
        ledger.check_follows(membership)
        membership = look_at_all_items(ledger, release.passport, membership)
    provisional = release.passport.for_bytes(b"", "not written yet", type="table")
    pending = ledger.with_pending(provisional, membership)
    check_continuation(pending)
    together = say_together(pending)
    recorder = _Recorder(ledger, membership, secret)
    note = f"{'' if together.ok else 'warning: '}in {where[0]}: {'; '.join(together.lines())}"
    return replace(release, recorder=recorder.recording), (note,)


@dataclass(frozen=True)
class _Recorder:
    """Writes one release into the ledger that it was checked against."""

    ledger: ReleaseLedger
    membership: Membership | ShownItems
    secret: bytes | str

    @contextmanager
    def recording(self, passport: Passport) -> Iterator[None]:
        """A block in which the files of the release get their names."""
        path = self.ledger.path
        with hold_file(path, by="another release"):
            if read_regular(path) != self.ledger.file.data:
                raise UsageError(
                    f"{path} has changed since this release was checked against it; make the release again"
                )
            pending = self.ledger.with_pending(passport, self.membership)
            pending.write()
            yield
            pending.with_done().write()
