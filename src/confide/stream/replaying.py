"""Playing a recorded stream at a chosen speed, to standard output or into Redis."""

import json
import sys
import time
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

from confide.core.errors import RequirementError, UsageError
from confide.core.requirements.base import is_number
from confide.stream.sources.redis_source import connected, stream_of
from confide.stream.sources.text_source import FileSource

__all__ = ["replay_stream"]

_LOOK = 0.1
_SLOWEST = 0.001


def replay_stream(
    source: str | PathLike[str],
    *,
    rate: float | None = None,
    speed: float | None = None,
    redis: str | None = None,
    limit: int | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> int:
    """Play the records of a `.dat` or `.jsonl` file, no faster than asked for; how many they were.

    `rate`: so many records a second; `speed`: by their time stamps, so many times as fast; neither: as fast as it goes.
    """
    if rate is not None and speed is not None:
        raise UsageError("rate= and speed= are two ways to say how fast; give one")
    for name, value in (("rate", rate), ("speed", speed)):
        if value is not None and (not is_number(value) or value < _SLOWEST):
            raise RequirementError(f"{name}={value} plays nothing; use a number of {_SLOWEST} or more")
    recorded = FileSource(path=Path(source), timed=speed is not None)
    put = _redis(redis) if redis is not None else _stdout
    began, count, first = time.monotonic(), 0, None
    for batch in recorded.batches(None, stopped):
        if batch is None:
            continue
        for i, items in enumerate(batch.rows):
            stamp = None if batch.times is None else float(batch.times[i])
            first = stamp if first is None else first
            late = 0.0
            if speed is not None and stamp is not None and first is not None:
                late = (stamp - first) / speed
            elif rate is not None:
                late = count / rate
            if not _wait(began + late, stopped) or (limit is not None and count >= limit):
                return count
            put(items if stamp is None else {"items": items, "time": stamp})
            count += 1
    return count


def _wait(until: float, stopped: Callable[[], bool]) -> bool:
    """Wait, and say whether to go on."""
    while (left := until - time.monotonic()) > 0:
        if stopped():
            return False
        time.sleep(min(left, _LOOK))
    return not stopped()


def _stdout(record: Any) -> None:
    sys.stdout.write(json.dumps(record, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def _redis(url: str) -> Callable[[Any], None]:
    client, stream = connected(url), stream_of(url)[1]

    def put(record: Any) -> None:
        client.xadd(stream, {"items": json.dumps(record, ensure_ascii=False)})

    return put
