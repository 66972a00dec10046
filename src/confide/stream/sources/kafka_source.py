"""Records from a Kafka topic: messages that hold what a line of a file does, in the order of one partition.

Between the partitions of a topic there is no order, and which records share a window is what a run is about: so one
partition is read, named where there are several. How far it was read is in the run's own state, not in a consumer
group: whatever Kafka delivers again, a record has one place, and the block of that place.
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from confide.core.errors import InputError, UnreachableError
from confide.stream.sources.bad_records import BadRecords, sift_records
from confide.stream.sources.batch_source import Batch
from confide.stream.sources.kafka_topic import KafkaTopic, require_kafka
from confide.stream.sources.parsing import parse_objects
from confide.stream.sources.time_order import TimeOrder

__all__ = ["KafkaSource"]

_COUNT = 4096
_WAIT = 0.1
_SILENCE = 60.0  # seconds without any broker, after which the run ends


@dataclass(frozen=True, kw_only=True)
class KafkaSource:
    """The messages of one partition, from the first that is there, or on from where a run was broken off: what its
    window holds must still be there then.

    A message without a time stamp in it has the one that Kafka keeps.
    """

    url: str
    timed: bool = False
    replayable: bool = True
    bad: BadRecords = field(default_factory=BadRecords)

    @property
    def name(self) -> str:
        """For messages."""
        return KafkaTopic.of(self.url).name

    def batches(self, place: dict[str, Any] | None, stopped: Callable[[], bool]) -> Iterator[Batch | None]:
        """Messages as they come, for ever; a place is {"offset": number}."""
        kafka, topic, silent, order = require_kafka(), KafkaTopic.of(self.url), _Silence(), TimeOrder.after(place)
        client = topic.consumer(error_cb=silent.hear)
        try:
            partition = topic.place(client)
            low, high = topic.ends(client, partition)
            start = low if place is None else int(place["offset"])
            if not low <= start <= high:
                raise InputError(
                    f"offset {start} is asked for, but it holds {low} to {high}: the records of the window are gone, "
                    "and it cannot be filled again; go on with another state, key and output",
                    source=topic.name,
                )
            client.assign([kafka.TopicPartition(partition.topic, partition.partition, start)])
            while not stopped():
                found = client.consume(_COUNT, timeout=_WAIT)
                refused = next((one.error() for one in found if one.error() is not None), None)
                good = [one for one in found if one.error() is None]
                if good:
                    silent.end()
                    yield from self._batches(good, order)
                elif silent.lasts:
                    raise UnreachableError(f"{topic.name}: no broker answers any more; start again to go on")
                else:
                    yield None
                if refused is not None and not refused.retriable():
                    raise topic.failure(refused)
        finally:
            client.close()

    def _batches(self, messages: list[Any], order: TimeOrder) -> Iterator[Batch]:
        """The batch of some messages: the good ones, or those before the first bad one and then its error."""
        place = order.mark({"offset": messages[0].offset()})
        try:
            batch = self._read(messages)
            order.check(batch, self.name)
            order.accept(batch)
            batches = iter([batch])
        except InputError:
            batches = sift_records(messages, self._read, _describe_message, bad=self.bad, order=order, source=self.name)
        for batch in batches:
            yield replace(batch, place=place)

    def _read(self, messages: list[Any]) -> Batch:
        records = []
        for message in messages:
            where = f"{self.name}, offset {message.offset()}"
            try:
                record = json.loads(message.value() or b"")
            except (ValueError, RecursionError):
                raise InputError("not JSON; a message is a list of items", source=where) from None
            if not isinstance(record, dict | list):
                raise InputError("a record is not a set of items; write a JSON list", source=where)
            records.append(record)
        stamps = [message.timestamp()[1] / 1000 for message in messages]
        return parse_objects(records, timed=self.timed, source=self.name, default=stamps)


def _describe_message(message: Any) -> tuple[str, str]:
    return f"offset {message.offset()}", (message.value() or b"")[:10_000].decode(errors="replace")


@dataclass
class _Silence:
    """Since when all brokers have been away: a client connects again by itself, and for a while that is waited for."""

    since: float | None = None

    def hear(self, error: Any) -> None:
        """What the library reports beside messages."""
        if error.code() == require_kafka().KafkaError._ALL_BROKERS_DOWN and self.since is None:
            self.since = time.monotonic()

    def end(self) -> None:
        """Something came."""
        self.since = None

    @property
    def lasts(self) -> bool:
        """Whether it has lasted too long."""
        return self.since is not None and time.monotonic() - self.since > _SILENCE
