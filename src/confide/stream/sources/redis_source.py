"""Records from Redis Streams: entries with a field `items` (JSON, as in a line of a file), and maybe `time`.

An entry without a time stamp has that of its id, which Redis makes from its clock.
"""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from confide.core.errors import InputError, UnreachableError, UsageError
from confide.core.runtime.extras import require
from confide.stream.sources.bad_records import BadRecords, sift_records
from confide.stream.sources.batch_source import Batch
from confide.stream.sources.parsing import parse_objects
from confide.stream.sources.time_order import TimeOrder

__all__ = ["RedisSource", "connected", "is_stream", "stream_of"]

_COUNT = 4096
_WAIT = 100  # milliseconds


@dataclass(frozen=True, kw_only=True)
class RedisSource:
    """The entries of a stream, at `redis://host:port/0?stream=NAME` (or `unix:///path.sock?stream=NAME`).

    Reading from the beginning, or on from the entry where a run was broken off: entries must still be there then.
    """

    url: str
    timed: bool = False
    replayable: bool = True
    bad: BadRecords = field(default_factory=BadRecords)

    @property
    def name(self) -> str:
        """For messages; never with a password."""
        return f"redis stream {stream_of(self.url)[1]}"

    def batches(self, place: dict[str, Any] | None, stopped: Callable[[], bool]) -> Iterator[Batch | None]:
        """Entries as they come, for ever; a place is {"after": id}."""
        redis = require("redis", extra="stream")
        _, stream = stream_of(self.url)
        after, order = "0-0" if place is None else str(place["after"]), TimeOrder.after(place)
        with connected(self.url) as server:
            while not stopped():
                try:
                    found = server.xread({stream: after}, count=_COUNT, block=_WAIT)
                except redis.exceptions.ConnectionError:
                    raise UnreachableError(f"{self.name}: the server does not answer any more") from None
                except redis.exceptions.RedisError as error:
                    raise InputError(f"cannot be read: {str(error)[:80]}", source=self.name) from None
                if not found:
                    yield None
                    continue
                entries = found[0][1]
                place = order.mark({"after": after})
                try:
                    batch = self._batch(entries)
                    order.check(batch, self.name)
                    order.accept(batch)
                    batches = iter([batch])
                except InputError:
                    batches = sift_records(
                        entries, self._batch, _describe_entry, bad=self.bad, order=order, source=self.name
                    )
                for batch in batches:
                    yield replace(batch, place=place)
                after = entries[-1][0].decode()

    def _batch(self, entries: list[tuple[bytes, dict[bytes, bytes]]]) -> Batch:
        records, stamps = [], []
        for id, fields in entries:
            where = f"{self.name}, entry {id.decode()}"
            try:
                record = json.loads(fields[b"items"])
                if isinstance(record, list) and b"time" in fields:
                    record = {"items": record, "time": json.loads(fields[b"time"])}
            except (KeyError, ValueError, RecursionError):
                raise InputError("no field items that is a JSON list", source=where) from None
            if not isinstance(record, dict | list):
                raise InputError("a record is not a set of items; write a JSON list", source=where)
            records.append(record)
            stamps.append(int(id.split(b"-")[0]) / 1000)
        return parse_objects(records, timed=self.timed, source=self.name, default=stamps)


def _describe_entry(entry: tuple[bytes, dict[bytes, bytes]]) -> tuple[str, str]:
    return f"entry {entry[0].decode()}", repr(entry[1])[:10_000]


def connected(url: str) -> Any:
    """A client, once the server has answered; a password that the address lacks comes from REDISCLI_AUTH."""
    redis = require("redis", extra="stream")
    address, stream = stream_of(url)
    try:
        password = os.environ.get("REDISCLI_AUTH")
        client = redis.Redis.from_url(address, password=password, socket_connect_timeout=5, socket_timeout=30)
        client.ping()
    except redis.exceptions.AuthenticationError:  # a ConnectionError to redis-py
        raise UsageError(f"redis stream {stream}: the server wants another password; set REDISCLI_AUTH") from None
    except (redis.exceptions.ConnectionError, redis.exceptions.TimeoutError):
        raise UnreachableError(f"redis stream {stream}: no server answers there") from None
    except (redis.exceptions.RedisError, ValueError) as error:
        raise UsageError(f"redis stream {stream}: {str(error)[:80]}") from None
    return client


def is_stream(url: str) -> bool:
    """Whether an address names a server and a stream."""
    try:
        return bool(stream_of(url)[1])
    except UsageError:
        return False


def stream_of(url: str) -> tuple[str, str]:
    """(address without the stream, name of the stream)."""
    from urllib.parse import parse_qsl, urlencode, urlsplit

    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query))
    stream = options.pop("stream", "")
    if parts.scheme not in ("redis", "rediss", "unix") or not stream:
        raise UsageError("a stream is written redis://host:port/0?stream=NAME or kafka://host:port/TOPIC")
    rest = f"?{urlencode(options)}" if options else ""
    return f"{parts.scheme}://{parts.netloc}{parts.path}{rest}", stream
