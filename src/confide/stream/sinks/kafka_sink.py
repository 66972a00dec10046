"""Releases into a Kafka topic, each once: a group of lines is a transaction, and the last one there says what is next.

A producer of the same run that was killed is shut out, and what it left half done is undone, before anything is read or
written. The key of a message is the number of the release, 0 for the header.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from confide.core.errors import InputError, UnreachableError, UsageError
from confide.core.streams.header import StreamHeader
from confide.core.streams.releases import WindowRelease
from confide.stream.sinks.lines import Line
from confide.stream.sources.kafka_topic import KafkaTopic, require_kafka

__all__ = ["KafkaSink"]

_ANSWER = 30.0  # seconds
_LOOK_BACK = 64  # messages, of which the last release is one as a rule
_PASSPORT = b"passport"
# Behind the last message are marks of transactions, which nobody is shown: the end is reported, and soon.
_TO_THE_END = {"enable.partition.eof": True, "fetch.wait.max.ms": 20}


@dataclass(kw_only=True)
class KafkaSink:
    """One partition of a topic of releases, at `kafka://host:9092/TOPIC`."""

    url: str
    _producer: Any = field(default=None, init=False, repr=False)
    _place: Any = field(default=None, init=False, repr=False)

    @property
    def topic(self) -> KafkaTopic:
        """What the address names."""
        return KafkaTopic.of(self.url)

    @property
    def name(self) -> str:
        """For messages."""
        return self.topic.name

    def check(self) -> None:
        """A topic with messages is another run's."""
        client = self.topic.consumer(**_TO_THE_END)
        try:
            place = self.topic.place(client, missing=True)
            if place is not None and next(self._messages(client, place, 0), None) is not None:
                raise UsageError(f"{self.name} holds messages already; use another topic")
        finally:
            client.close()

    def begin(self, header: StreamHeader, *, resumed: bool) -> int | None:
        """Shut out whoever wrote for this run before, and see what of it is there; another run's topic is refused."""
        self._open(f"confide-{header.run}")
        last, line = self._last()
        if line is None:
            self._send([(b"0", header.line)])
            return 0
        if last == 0 and line == header.line:
            return 0
        if not last or WindowRelease.from_line(line, source=self.name).id != f"{header.run}-{last}":
            raise InputError("is not the output of the run that the state is of", source=self.name)
        return last

    def write(self, lines: Sequence[Line]) -> None:
        """All of them or none."""
        if lines:
            self._send([(b"%d" % number, line) for number, line in lines])

    def contents(self) -> bytes:
        """All lines of the topic, as a file would have them."""
        client = self.topic.consumer(**_TO_THE_END)
        try:
            place = self.topic.place(client)
            return b"".join(value for key, value in self._messages(client, place, 0) if key != _PASSPORT and value)
        finally:
            client.close()

    def put_passport(self, text: str | None) -> None:
        """Write the passport behind the releases, under the key `passport`; None takes an earlier one back."""
        with self.topic.writing() as put:
            put(_PASSPORT, None if text is None else text.encode())

    def sync(self) -> None:
        """A transaction that was committed is as safe as the topic's replicas are."""

    def close(self) -> None:
        """Hang up."""
        self._producer = None

    def _open(self, name: str) -> None:
        kafka = require_kafka()
        self._producer = self.topic.producer(**{"transactional.id": name})
        try:
            self._place = self.topic.target(self._producer)
            self._producer.init_transactions(_ANSWER)
        except kafka.KafkaException as error:
            raise self.topic.failure(error) from None

    def _send(self, messages: Sequence[tuple[bytes, bytes | None]]) -> None:
        kafka, producer = require_kafka(), self._producer
        try:
            producer.begin_transaction()
            for key, value in messages:
                producer.produce(self._place.topic, value, key=key, partition=self._place.partition)
            producer.commit_transaction(_ANSWER)
        except kafka.KafkaException as error:
            problem = self.topic.failure(error)
            if isinstance(problem, UnreachableError):
                raise UnreachableError(f"{self.name}: no broker answers any more; start again to go on") from None
            raise UsageError(f"{self.name}: {problem.what}; start again to go on") from None

    def _last(self) -> tuple[int, bytes | None]:
        """The number of the last line that is there, and the line; (0, None) in an empty topic."""
        client = self.topic.consumer(**_TO_THE_END)
        try:
            place = self.topic.place(client, missing=True)
            back = _LOOK_BACK
            while place is not None:
                low, high = self.topic.ends(client, place)
                found = [x for x in self._messages(client, place, max(low, high - back)) if x[0] != _PASSPORT]
                if found:
                    key, line = found[-1]
                    return (int(key) if key is not None and key.isdigit() else -1), line or b""
                if high - back <= low:
                    break
                back *= 4
            return 0, None
        finally:
            client.close()

    def _messages(self, client: Any, place: Any, start: int) -> Iterator[tuple[bytes | None, bytes | None]]:
        """(key, value) of the messages from an offset on that are there now."""
        kafka, topic = require_kafka(), self.topic
        low, high = topic.ends(client, place)
        at = max(low, start)
        client.assign([kafka.TopicPartition(place.topic, place.partition, at)])
        while at < high:
            one = client.poll(_ANSWER)
            if one is None:
                raise UnreachableError(f"{self.name}: no broker answers any more")
            if one.error() is not None and one.error().code() == kafka.KafkaError._PARTITION_EOF:
                return
            if one.error() is not None:
                raise topic.failure(one.error())
            at = one.offset() + 1
            yield one.key(), one.value()
