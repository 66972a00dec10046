"""One partition of a Kafka topic: its address, and the clients that read and write it."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from confide.core.errors import InputError, UnreachableError, UsageError
from confide.core.files import read_regular
from confide.core.runtime.extras import require

__all__ = ["KafkaTopic", "require_kafka"]

_ANSWER = 10.0  # seconds
_LARGEST = 100_000_000  # bytes of a message; what brokers take is their own bound
_SETTINGS = "CONFIDE_KAFKA_CONFIG"


def require_kafka() -> Any:
    """The client library."""
    return require("confluent_kafka", extra="kafka")


@dataclass(frozen=True, kw_only=True)
class KafkaTopic:
    """What `kafka://host:9092,other:9092/TOPIC?partition=0` names; without a partition, the only one there is."""

    servers: str
    topic: str
    partition: int | None

    @classmethod
    def of(cls, url: str) -> "KafkaTopic":
        """UsageError if the address is no such address."""
        parts = urlsplit(url)
        options = dict(parse_qsl(parts.query))
        partition, topic = options.pop("partition", None), parts.path.strip("/")
        whole = partition is None or (partition.isascii() and partition.isdigit() and len(partition) < 10)
        if parts.scheme != "kafka" or not parts.netloc or "@" in parts.netloc or not topic or options or not whole:
            raise UsageError(
                "a Kafka topic is written kafka://host:9092/TOPIC, or kafka://host:9092/TOPIC?partition=0; what else a "
                f"client needs is in the file that {_SETTINGS} names"
            )
        return cls(servers=parts.netloc, topic=topic, partition=None if partition is None else int(partition))

    @property
    def name(self) -> str:
        """For messages."""
        return f"kafka topic {self.topic}"

    def settings(self, **more: Any) -> dict[str, Any]:
        """What a client of the library is made with: the servers, the settings of the owner's file, and `more`."""
        found: dict[str, Any] = {"bootstrap.servers": self.servers, "log_level": 0}
        return {**found, **_read_settings(), **more}

    def consumer(self, **more: Any) -> Any:
        """A client that reads, and sees nothing of transactions that were broken off."""
        reading = {
            "group.id": "confide",  # the library wants one; nothing is kept under it
            "enable.auto.commit": False,
            "enable.auto.offset.store": False,
            "auto.offset.reset": "error",
            "isolation.level": "read_committed",
            "allow.auto.create.topics": False,
        }
        return self._open_client(require_kafka().Consumer, {**self.settings(), **reading, **more})

    def producer(self, **more: Any) -> Any:
        """A client that writes."""
        return self._open_client(require_kafka().Producer, self.settings(**{"message.max.bytes": _LARGEST}, **more))

    def _open_client(self, kind: Any, settings: dict[str, Any]) -> Any:
        try:
            return kind(settings)
        except require_kafka().KafkaException as error:
            raise UsageError(f"{self.name}: {str(error.args[0].str())[:120]}") from None

    def place(self, client: Any, *, missing: bool = False) -> Any:
        """The partition that is meant, as the library names it; None if the topic is not there and may be `missing`."""
        kafka = require_kafka()
        try:
            found = client.list_topics(self.topic, timeout=_ANSWER).topics[self.topic]
        except kafka.KafkaException as error:
            raise self.failure(error) from None
        if found.error is not None or not found.partitions:
            if missing:
                return None
            raise InputError("there is no such topic; make it first", source=self.name)
        numbers = sorted(found.partitions)
        if self.partition is None and len(numbers) > 1:
            raise UsageError(
                f"{self.name} has {len(numbers)} partitions, and no order between them; name one with ?partition=0, or "
                "use a topic with one"
            )
        chosen = numbers[0] if self.partition is None else self.partition
        if chosen not in numbers:
            raise UsageError(f"{self.name} has no partition {chosen}; it has {len(numbers)}, counted from 0")
        return kafka.TopicPartition(self.topic, chosen)

    def ends(self, client: Any, place: Any) -> tuple[int, int]:
        """The offsets of the first message that is still there, and of the next that will come."""
        try:
            low, high = client.get_watermark_offsets(place, timeout=_ANSWER)
        except require_kafka().KafkaException as error:
            raise self.failure(error) from None
        return low, high

    def failure(self, problem: Any) -> UnreachableError | InputError:
        """The error for what the library raised, or for an error that came in place of a message."""
        error = problem.args[0] if getattr(problem, "args", None) else problem
        kafka = require_kafka().KafkaError
        if error.code() in (kafka._ALL_BROKERS_DOWN, kafka._TRANSPORT, kafka._TIMED_OUT, kafka._RESOLVE):
            return UnreachableError(f"{self.name}: no broker answers at {self.servers}")
        return InputError(f"cannot be used: {str(error.str())[:120]}", source=self.name)

    def target(self, client: Any) -> Any:
        """The partition to write to, of a topic that may not be there yet."""
        found = self.place(client, missing=True)
        return require_kafka().TopicPartition(self.topic, self.partition or 0) if found is None else found

    @contextmanager
    def writing(self) -> Iterator[Callable[[bytes | None, bytes | None], None]]:
        """What takes (key, value) of one message after another; at the end all were taken, or UnreachableError."""
        producer = self.producer()
        place, refused = self.target(producer), 0

        def hear(error: Any, message: Any) -> None:
            nonlocal refused
            refused += error is not None

        def put(key: bytes | None, value: bytes | None) -> None:
            while True:
                try:
                    producer.produce(place.topic, value, key=key, partition=place.partition, on_delivery=hear)
                    producer.poll(0)
                    return
                except BufferError:  # it fills faster than it empties
                    producer.poll(_ANSWER)

        yield put
        left = producer.flush(_ANSWER)
        if left or refused:
            raise UnreachableError(f"{self.name}: {left + refused:,} messages were not taken")


def _read_settings() -> dict[str, str]:
    """The owner's file of client settings: `name = value` lines by the library's names, # for comments."""
    path = os.environ.get(_SETTINGS)
    if not path:
        return {}
    found = {}
    lines = read_regular(Path(path), max_bytes=1 << 16).decode(errors="replace").splitlines()
    for at, line in enumerate(lines, start=1):
        name, equals, value = line.partition("=")
        if line.strip() and not line.lstrip().startswith("#"):
            if not equals or not name.strip():
                raise InputError("a setting is written name=value", source=path, line=at)
            found[name.strip()] = value.strip()
    return found
