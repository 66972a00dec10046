"""A run from file to file: BMS-WebView-1, windows of 2,000, a release every 100 records, by `release_stream`.

Everything a user gets is in the time: reading, windows, noise, the auditor's check of each release, the state, the
output, and at the end the verification of the whole file. The rival is the window alone: records in, itemsets out,
nothing protected and nothing written. Processor time is counted, since others may compute beside us; the seconds that
passed stand beside it, with what the disk takes.
"""

import pathlib
import tempfile
import time
from collections.abc import Iterator
from statistics import median
from typing import Any, Literal

from confide import OutputPrivacy
from confide.mining import SlidingWindow
from confide.stream import StreamRelease, release_stream
from confide.stream.pipeline.windows import part_of
from confide.stream.sources.text_source import FileSource

ROUNDS, SIZE, EVERY = 5, 2000, 100
REQUIREMENT = OutputPrivacy(epsilon=0.02, delta=0.4, min_support=25, vulnerable=5)
Sync = Literal["group", "each", "none"]
SYNCS: tuple[Sync, ...] = ("group", "each", "none")


def released(source: pathlib.Path, sync: Sync) -> tuple[int, float, float]:
    """(records, processor seconds, seconds) of one run with its state, in a new folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        began, computed = time.perf_counter(), time.process_time()
        request = StreamRelease(
            records=source,
            min_support=REQUIREMENT.min_support,
            epsilon=REQUIREMENT.epsilon,
            window=SIZE,
            every=EVERY,
            sync=sync,
            state=folder / "state",
            noise_key=folder / "key",
        )
        done = release_stream(request, output=folder / "out.jsonl")
        return done.run.offset, time.process_time() - computed, time.perf_counter() - began


def window_alone(source: pathlib.Path) -> float:
    """Processor seconds for reading the same file and asking the window as often."""
    computed = time.process_time()
    window = SlidingWindow(size=SIZE, min_support=REQUIREMENT.min_support)
    offset = 0
    for batch in FileSource(path=source).batches(None, lambda: False):
        start = 0
        while batch is not None and start < len(batch.rows):
            due = SIZE if offset < SIZE else offset - (offset - SIZE) % EVERY + EVERY
            stop = min(len(batch.rows), start + due - offset)
            window.learn_many(part_of(batch.rows, start, stop))
            offset, start = offset + stop - start, stop
            if offset == due:
                window.frequent()
    return time.process_time() - computed


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """One row for each way to sync."""
    source = data / "bms" / "BMS-WebView-1.dat.gz"
    released(source, "none")  # kernels and imports
    for sync in SYNCS:
        rounds = [(*released(source, sync), window_alone(source)) for _ in range(ROUNDS)]
        records = rounds[0][0]
        ratios = [alone / ours for _, ours, _, alone in rounds]
        yield {
            "claim": f"file to file, BMS-WebView-1, a release every {EVERY} records, sync={sync}: processor seconds",
            "ours": round(median(ours for _, ours, _, _ in rounds), 3),
            "rival": {"name": "the window alone", "seconds": round(median(alone for *_, alone in rounds), 3)},
            "ratio": round(median(ratios), 2),
            "spread": [round(min(ratios), 2), round(max(ratios), 2)],
            "settings": {
                "records": records,
                "records a processor second": round(records / median(ours for _, ours, _, _ in rounds)),
                "records a second, best round": round(records / min(passed for _, _, passed, _ in rounds)),
            },
        }
