"""Forms as browsers send them, read by ourselves: within a size, as UTF-8, names and texts and nothing else."""

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from confide.web.bodies import Bodies, Refusal

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["FORM", "read_form"]

FORM = "application/x-www-form-urlencoded"
_LARGEST = 4 << 20
_MOST_FIELDS = 60_000  # 5,000 columns with a few controls each
BODIES = Bodies(most=_LARGEST, kind=FORM, at_once=8)


async def read_form(request: "Request", bodies: Bodies = BODIES) -> dict[str, list[str]]:
    """The texts of a posted form by name; a Refusal with one line if it is too large, or not a form."""
    data = await bodies.read(request)
    try:
        pairs = parse_qsl(data.decode("ascii"), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict")
    except ValueError:  # not ASCII, not UTF-8 within, or too many fields
        raise Refusal(400, "this is not a form that the studio sent") from None
    texts: dict[str, list[str]] = {}
    for name, text in pairs:
        texts.setdefault(name, []).append(text)
    return texts
