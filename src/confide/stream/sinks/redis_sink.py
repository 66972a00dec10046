"""Releases into Redis Streams, each once: release n has the id n-0, and Redis refuses an id it has had.

The header is entry 0-1. A field `line` holds the line as a file would have it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from confide.core.errors import InputError, UnreachableError, UsageError
from confide.core.runtime.extras import require
from confide.core.streams.header import StreamHeader
from confide.stream.sinks.lines import Line
from confide.stream.sources.redis_source import connected, stream_of

__all__ = ["RedisSink"]

_HEADER_ID = "0-1"


@dataclass(kw_only=True)
class RedisSink:
    """A stream of releases, at `redis://host:port/0?stream=NAME`."""

    url: str
    _client: Any = field(default=None, init=False, repr=False)

    @property
    def name(self) -> str:
        """For messages; never with a password."""
        return f"redis stream {stream_of(self.url)[1]}"

    def check(self) -> None:
        """A stream with entries is another run's."""
        with connected(self.url) as client:
            if client.exists(stream_of(self.url)[1]):
                raise UsageError(f"{self.name} holds entries already; use another stream")

    def begin(self, header: StreamHeader, *, resumed: bool) -> int | None:
        """Another run's stream is refused."""
        self._client = connected(self.url)
        stream = stream_of(self.url)[1]
        first = self._client.xrange(stream, count=1)
        if not first:
            self._add(_HEADER_ID, header.line)
            return 0
        if first[0][0].decode() != _HEADER_ID or first[0][1].get(b"line") != header.line:
            raise InputError("is not the output of the run that the state is of", source=self.name)
        last = self._client.xrevrange(stream, count=1)[0][0].decode()
        return 0 if last == _HEADER_ID else int(last.partition("-")[0])

    def write(self, lines: Sequence[Line]) -> None:
        """One entry for each."""
        for number, line in lines:
            self._add(f"{number}-0", line)

    def _add(self, id: str, line: bytes) -> None:
        redis = require("redis", extra="stream")
        try:
            self._client.xadd(stream_of(self.url)[1], {"line": line}, id=id)
        except redis.exceptions.ConnectionError:
            raise UnreachableError(f"{self.name}: the server does not answer any more; start again to go on") from None
        except redis.exceptions.RedisError as error:
            raise UsageError(f"{self.name}: {str(error)[:80]}") from None

    def contents(self) -> bytes:
        """All lines of the stream, as a file would have them."""
        with connected(self.url) as client:
            entries = client.xrange(stream_of(self.url)[1])
        return b"".join(fields[b"line"] for _, fields in entries)

    def put_passport(self, text: str | None) -> None:
        """Keep the passport under the stream's name and ":passport"; None takes an earlier one away."""
        name = f"{stream_of(self.url)[1]}:passport"
        with connected(self.url) as client:
            if text is None:
                client.delete(name)
            else:
                client.set(name, text)

    def sync(self) -> None:
        """Redis syncs as it is set up to (`appendfsync`)."""

    def close(self) -> None:
        """Hang up."""
        if self._client is not None:
            self._client.close()
