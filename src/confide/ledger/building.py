"""Building on a ledger: what its releases leave for the next one, and whether the next one keeps to it."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from confide.core.jobs.ledger_use import OpenedLedger
from confide.core.jobs.outcome import Host
from confide.core.series.membership import Membership, number_joint
from confide.core.series.places import Earlier
from confide.core.series.release_history import ABSENT
from confide.core.series.shown_items import ShownItems
from confide.ledger.item_releases import earlier_items
from confide.ledger.recorded_places import earlier_of

if TYPE_CHECKING:
    from confide.ledger.book import ReleaseLedger

__all__ = ["earlier_for", "open_to_build"]


def open_to_build(where: tuple[Path, Path | None], membership: Membership | ShownItems, host: Host) -> OpenedLedger:
    """Read a ledger and say what its releases leave to a release about these people; None where it has no release."""
    from confide.ledger.book import ReleaseLedger
    from confide.ledger.recording import ask_for_key

    secret = ask_for_key(where[1], host)
    ledger = ReleaseLedger.read(where[0], secret)
    if isinstance(membership, ShownItems):
        items = earlier_items(ledger, membership)
        return OpenedLedger(ledger=ledger, secret=secret, earlier=None, earlier_items=items)
    return OpenedLedger(ledger=ledger, secret=secret, earlier=earlier_for(ledger, membership))


def earlier_for(ledger: "ReleaseLedger", membership: Membership) -> Earlier | None:
    """What the releases of a ledger leave to a release about these people; None where it has none."""
    ledger.check_follows(membership)
    if not ledger.releases:
        return None
    place = {label: number for number, label in enumerate(ledger.labels)}
    if membership.sensitive:
        codes, texts = number_joint(membership.sensitive)
        values = np.array([place.get(text, ABSENT) for text in texts], dtype=np.int32)[codes]
    else:
        values = np.zeros(len(membership), dtype=np.int32)
    return earlier_of(ledger, membership, values)
