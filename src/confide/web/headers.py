"""The headers every answer carries: nothing from elsewhere runs in our pages, and no page is kept or framed.

A document that we serve but did not lay out for the strict policy, such as a report with its style inside, brings a
policy of its own, `FRAMED_DOCUMENT`: no script, a sandbox without an origin, a frame in our own pages only.
"""

from typing import Any

__all__ = ["FRAMED_DOCUMENT", "SecurityHeaders"]

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "frame-src {frames}; form-action {forms}; base-uri 'none'; frame-ancestors 'none'"
)

FRAMED_DOCUMENT = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'"
)
_NAME = b"content-security-policy"


class SecurityHeaders:
    """ASGI middleware. `forms` says where forms may be sent and `frames` what pages may frame; `shared` lets other
    sites' pages load our scripts. An answer that has a policy keeps it, if it is `FRAMED_DOCUMENT`."""

    def __init__(self, app: Any, *, forms: str = "'none'", frames: str = "'none'", shared: bool = False):
        self._app = app
        self._policy = (_NAME, _POLICY.format(forms=forms, frames=frames).encode())
        self._headers = [
            (b"referrer-policy", b"same-origin"),  # not "no-referrer": forms would name no Origin
            (b"cross-origin-opener-policy", b"same-origin"),
            (b"x-content-type-options", b"nosniff"),
            (b"cross-origin-resource-policy", b"cross-origin" if shared else b"same-origin"),
            (b"cache-control", b"no-store"),
        ]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = (_NAME, FRAMED_DOCUMENT.encode()) in message["headers"]
                message["headers"] = [*message["headers"], *self._headers, *(() if own else (self._policy,))]
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)
