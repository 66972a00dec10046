"""The headers every answer carries: nothing from elsewhere runs in our pages, and no page is kept or framed."""

from typing import Any

__all__ = ["SecurityHeaders"]

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action {forms}; base-uri 'none'; frame-ancestors 'none'"
)


class SecurityHeaders:
    """ASGI middleware. `forms` says where forms may be sent; `shared` lets other sites' pages load our scripts."""

    def __init__(self, app: Any, *, forms: str = "'none'", shared: bool = False):
        self._app = app
        self._headers = [
            (b"content-security-policy", _POLICY.format(forms=forms).encode()),
            (b"referrer-policy", b"same-origin"),  # not "no-referrer": forms would name no Origin
            (b"cross-origin-opener-policy", b"same-origin"),
            (b"x-content-type-options", b"nosniff"),
            (b"cross-origin-resource-policy", b"cross-origin" if shared else b"same-origin"),
            (b"cache-control", b"no-store"),
        ]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self._headers]
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)
