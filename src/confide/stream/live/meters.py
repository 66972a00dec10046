"""What a monitor asks of a run, in the text form of Prometheus: how far it is, how late, what was withheld or bad.

How many sets were withheld follows from true supports: these numbers are the owner's, on the owner's page.
"""

import time
from dataclasses import dataclass, field

from confide.stream.sources.bad_records import BadRecords

__all__ = ["RunMeters"]


@dataclass
class RunMeters:
    """Counters of a run, set by the thread that runs it and read by the one that serves them."""

    releases: int = 0
    records: int = 0
    withheld: int = 0
    until: float | None = None
    released: float = field(default_factory=time.time)
    bad: BadRecords | None = None

    def count_release(self, *, records: int, withheld: int, until: float | None) -> None:
        """Note a release after so many records in all, in which so many frequent sets were withheld."""
        self.releases += 1
        self.records, self.until, self.released = records, until, time.time()
        self.withheld += withheld

    def text(self) -> str:
        """All of them, a line each, under what they are."""
        now = time.time()
        rows = [
            ("releases_total", "counter", "Releases since this process began.", self.releases),
            ("records_total", "counter", "Records read since the stream began, up to the last release.", self.records),
            ("withheld_total", "counter", "Frequent itemsets that were not published.", self.withheld),
            (
                "bad_records_total",
                "counter",
                "Records that could not be read.",
                0 if self.bad is None else self.bad.count,
            ),
            (
                "since_release_seconds",
                "gauge",
                "Seconds since the last release, or since the start.",
                now - self.released,
            ),
        ]
        if self.until is not None:
            rows.append(
                ("lag_seconds", "gauge", "How far the last window's end lies behind the clock.", now - self.until)
            )
        return "".join(
            f"# HELP confide_stream_{name} {what}\n# TYPE confide_stream_{name} {kind}\n"
            f"confide_stream_{name} {value:.10g}\n"
            for name, kind, what, value in rows
        )
