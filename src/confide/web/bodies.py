"""What a request may send: one kind of content, so many bytes, within so many seconds.

A client that opens requests and never ends them must not fill the memory, nor take the room of others: the bytes of all
bodies under way are bounded, one client has at most a quarter of them, and each body has a deadline.
"""

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["Bodies", "Refusal"]

_SHARE = 4


class Refusal(Exception):
    """A request that is answered with an error: a status, and one line that repeats nothing of what was sent."""

    def __init__(self, status: int, line: str):
        super().__init__(line)
        self.status = status


class Bodies:
    """Reads bodies of one `kind` within limits: `most` bytes, `seconds` to arrive, room for `at_once` whole ones."""

    def __init__(self, *, most: int, seconds: float = 20, at_once: int = 64, kind: str = "application/json"):
        self.most, self.seconds, self.room, self.kind = most, seconds, at_once * most, kind
        self._held: Counter[str] = Counter()

    async def read(self, request: "Request") -> bytes:
        """The whole body, or a Refusal: 415 another kind, 413 too large, 408 too slow, 429 or 503 too much at once.

        A client that leaves in the middle is refused, too (400): there is nobody to read that, and nothing has failed.
        """
        from starlette.requests import ClientDisconnect

        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != self.kind:
            raise Refusal(415, f"what is sent here comes as {self.kind}")
        whole, client = bytearray(), request.client.host if request.client else ""
        try:
            async with asyncio.timeout(self.seconds):
                async for part in request.stream():
                    whole += part
                    self._held[client] += len(part)
                    self._check(len(whole), client)
        except ClientDisconnect:
            raise Refusal(400, "the connection ended before the request did") from None
        except TimeoutError:
            raise Refusal(408, f"the request did not arrive within {self.seconds:g} seconds") from None
        finally:
            self._held[client] -= len(whole)
            if not self._held[client]:
                del self._held[client]
        return bytes(whole)

    def _check(self, size: int, client: str) -> None:
        if size > self.most:
            raise Refusal(413, f"more than {self.most:,} bytes; send smaller batches")
        if self._held[client] > max(self.most, self.room // _SHARE):
            raise Refusal(429, "too much of one client at once; send the same submission again later")
        if self._held.total() > self.room:
            raise Refusal(503, "too many requests at once; send the same submission again later")
