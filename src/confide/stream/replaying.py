"""Playing a recorded stream at a chosen speed, to standard output, into Redis or into Kafka."""

import json
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import Any

from confide.core.errors import RequirementError, UsageError
from confide.core.requirements.base import is_number
from confide.stream.sources.kafka_topic import KafkaTopic
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
    to: str | None = None,
    limit: int | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> int:
    """Play the records of a `.dat` or `.jsonl` file, no faster than asked for; how many they were.

    `rate`: so many records a second; `speed`: by their time stamps, so many times as fast; neither: as fast as it goes.
    `to` is a Redis stream or a Kafka topic; without one, records go to standard output.
    """
    if rate is not None and speed is not None:
        raise UsageError("rate= and speed= are two ways to say how fast; give one", parameter="rate", value=rate)
    for name, value in (("rate", rate), ("speed", speed)):
        if value is not None and (not is_number(value) or value < _SLOWEST):
            raise RequirementError(
                f"{name}={value} plays nothing; use a number of {_SLOWEST} or more", parameter=name, value=value
            )
    recorded = FileSource(path=Path(source), timed=speed is not None)
    with ExitStack() as open_ends:
        return _play(recorded, _open_end(to, open_ends), rate=rate, speed=speed, limit=limit, stopped=stopped)


def _play(
    recorded: FileSource,
    put: Callable[[Any], None],
    *,
    rate: float | None,
    speed: float | None,
    limit: int | None,
    stopped: Callable[[], bool],
) -> int:
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


def _open_end(url: str | None, ends: ExitStack) -> Callable[[Any], None]:
    """What takes the records, one at a time."""
    if url is None:
        return _stdout
    if url.startswith("kafka://"):
        take = ends.enter_context(KafkaTopic.of(url).writing())
        return lambda record: take(None, json.dumps(record, ensure_ascii=False).encode())
    client, stream = connected(url), stream_of(url)[1]
    ends.callback(client.close)
    return lambda record: client.xadd(stream, {"items": json.dumps(record, ensure_ascii=False)})
