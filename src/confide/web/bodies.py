"""What a request may send: one kind of content, so many bytes, within so many seconds, so many requests at once.

A client that opens requests and never ends them must not fill the memory: bodies under way share a fixed number of
places, and each has a deadline.
"""

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["Bodies", "Refusal"]


class Refusal(Exception):
    """A request that is answered with an error: a status, and one line that repeats nothing of what was sent."""

    def __init__(self, status: int, line: str):
        super().__init__(line)
        self.status = status


class Bodies:
    """Reads JSON bodies within limits: `most` bytes each, `seconds` to arrive, `at_once` under way."""

    def __init__(self, *, most: int, seconds: float = 20, at_once: int = 64):
        self.most, self.seconds, self.at_once = most, seconds, at_once
        self._under_way = 0

    async def read(self, request: "Request") -> bytes:
        """The whole body, or a Refusal: 415 another kind, 413 too large, 408 too slow, 503 too many at once."""
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise Refusal(415, "records come as application/json")
        if self._under_way >= self.at_once:
            raise Refusal(503, "too many requests at once; send the same submission again later")
        self._under_way += 1
        try:
            async with asyncio.timeout(self.seconds):
                return await self._whole(request)
        except TimeoutError:
            raise Refusal(408, f"the request did not arrive within {self.seconds:g} seconds") from None
        finally:
            self._under_way -= 1

    async def _whole(self, request: "Request") -> bytes:
        whole = bytearray()
        async for part in request.stream():
            whole += part
            if len(whole) > self.most:
                raise Refusal(413, f"more than {self.most:,} bytes; send smaller batches")
        return bytes(whole)
