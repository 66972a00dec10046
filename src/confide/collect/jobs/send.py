"""One person's record, perturbed here, kept, and sent; a kept record is sent again as it is."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from confide.collect.jobs.requests import CollectSend
from confide.collect.schemes.promise import gamma_and_epsilon
from confide.collect.schemes.scheme import read_scheme
from confide.collect.service.client import Client
from confide.collect.service.kept_draws import Kept, check_gamma, keep_record
from confide.core.errors import InputError, UsageError
from confide.core.files import read_bytes
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.json_text import read_json

__all__ = ["Submitted", "send"]

_LARGEST_RECORD = 1 << 26


@dataclass(frozen=True, kw_only=True)
class Submitted(Outcome):
    """What was kept, and its `state`: stored, already stored, or not sent."""

    kept: Kept
    state: str


def send(request: CollectSend, host: Host = QUIET) -> Submitted:
    """Perturb one record on this machine, keep it, and send it to the collector.

    Only the perturbed record leaves. A second call sends the kept record again, which reveals nothing more. If the
    collector cannot be reached, the record stays kept, and `host` has heard so.
    """
    is_new = request.fresh or not request.keep.exists()
    kept, client = _keep(request)
    host.say(f"{'drew a record and kept it in' if is_new else 'took the record kept in'} {request.keep}")
    host.say(f"gamma of {_draws(len(kept.draws))} about you: {gamma_and_epsilon(kept.epsilon)}")
    state = "not sent"
    if client is not None and not request.dry_run:
        reply = client.submit([kept.record], submission=kept.submission)
        state = "already stored" if reply.repeated else "stored"
    return Submitted(kept=kept, state=state, notes=(f"the record is {state}",), document=_document(kept, state))


def _keep(request: CollectSend) -> tuple[Kept, Client | None]:
    """Draw and keep the record, or take the one that is kept; also the client to send it by, if there is a URL."""
    # read first, so that a record that is no JSON is refused before anybody is asked for a scheme
    record = _true_record(request) if _will_draw(request) else None
    scheme = None if request.scheme is None else read_scheme(request.scheme)
    client = None
    if request.url is not None:
        client = Client(request.url, scheme=scheme, max_gamma=request.max_gamma, ca_file=request.ca_file)
        scheme = client.scheme
    assert scheme is not None, "the request has checked that there is a URL or a scheme"
    check_gamma(scheme, request.max_gamma)
    return keep_record(scheme, record, request.keep, fresh=request.fresh, accepted=request.accepted), client


def _will_draw(request: CollectSend) -> bool:
    """Whether a record will be drawn, so that the true one is needed."""
    return not request.keep.exists() or (request.fresh and request.accepted)


def _true_record(request: CollectSend) -> Any:
    """The record that the request gives, once: in memory, as a file, or by its items or fields."""
    if sum((request.record is not None, bool(request.items), request.fields is not None)) != 1:
        raise UsageError("give the record once: RECORD.json, or item= for each item, or field= for each field")
    if request.record is None:
        return list(request.items) or request.fields
    if not isinstance(request.record, Path):
        return request.record
    data = bytes(read_bytes(request.record, max_bytes=_LARGEST_RECORD))
    try:
        return read_json(data, source=request.record)
    except InputError as error:
        # The reason would quote a key, which may be what the person answered.
        why = "a key is given twice" if "given twice" in error.what else "not JSON"
        what = f"{why}; a record is a list of items or an object of fields"
        raise InputError(what, source=request.record) from None


def _document(kept: Kept, state: str) -> dict[str, Any]:
    """What was sent, for JSON."""
    return {
        "scheme": kept.scheme,
        "submission": str(kept.submission),
        "record": list(kept.record),
        "draws": len(kept.draws),
        "gamma": kept.gamma if math.isfinite(kept.gamma) else None,
        "epsilon": kept.epsilon,
        "state": state,
    }


def _draws(number: int) -> str:
    return "the one draw" if number == 1 else f"all {number} draws"
