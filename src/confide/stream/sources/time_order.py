"""Time stamps in the order of a stream: a record that is older than one before it is a bad record.

The block it belongs to may have been released already.
"""

import math
from dataclasses import dataclass
from typing import Any

from confide.core.errors import InputError
from confide.stream.sources.batch_source import Batch

__all__ = ["TimeOrder"]


@dataclass
class TimeOrder:
    """The `newest` time stamp so far."""

    newest: float = -math.inf

    @classmethod
    def after(cls, place: dict[str, Any] | None) -> "TimeOrder":
        """As it was at a place that `mark` gave."""
        return cls(-math.inf if place is None else float(place.get("time", -math.inf)))

    def mark(self, place: dict[str, Any]) -> dict[str, Any]:
        """The place with what is needed to go on from it."""
        return place if self.newest == -math.inf else {**place, "time": self.newest}

    def check(self, batch: Batch, source: object) -> None:
        """InputError if a record of the batch is older than one before it."""
        import numpy as np

        times = batch.times
        if times is not None and len(times) and (np.diff(times, prepend=self.newest) < 0).any():
            raise InputError("a time stamp is older than one before it", source=source)

    def accept(self, batch: Batch) -> None:
        """Take up the newest time stamp of a batch in order."""
        if batch.times is not None and len(batch.times):
            self.newest = float(batch.times[-1])
