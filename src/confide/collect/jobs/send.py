"""One person's record, perturbed here, kept, and sent; a kept record is sent again as it is."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from confide.collect.schemes.promise import gamma_and_epsilon
from confide.collect.schemes.scheme import Scheme, read_scheme
from confide.collect.service.client import Client
from confide.collect.service.kept_draws import Kept, check_gamma, keep_record
from confide.core.errors import UsageError

__all__ = ["Prepared", "SendRequest", "Submitted", "prepare", "send", "will_draw"]


@dataclass(frozen=True, kw_only=True)
class SendRequest:
    """Whose record goes where.

    `record` is a list of items, or {field: value}; it is not looked at if a kept record is sent again. `keep` is the
    file that keeps the perturbed record. `url` is the collector's (None: draw and keep, send nothing); `scheme` the one
    you trust, and a collector with another is refused. A scheme above `max_gamma` is refused. `fresh` draws anew
    although a record is kept, and needs `accepted` once its price is known.
    """

    record: Any
    keep: str | PathLike[str]
    url: str | None = None
    scheme: Scheme | str | PathLike[str] | Mapping[str, Any] | None = None
    max_gamma: float = 1000.0
    fresh: bool = False
    accepted: bool = False
    dry_run: bool = False
    ca_file: str | PathLike[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Submitted:
    """What was kept, and its `state`: stored, already stored, or not sent."""

    kept: Kept
    state: str
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        kept = self.kept
        return {
            "scheme": kept.scheme,
            "submission": str(kept.submission),
            "record": list(kept.record),
            "draws": len(kept.draws),
            "gamma": kept.gamma if math.isfinite(kept.gamma) else None,
            "epsilon": kept.epsilon,
            "state": self.state,
        }


def will_draw(keep: str | PathLike[str], *, fresh: bool, accepted: bool) -> bool:
    """Whether a record would be drawn, so that the true one is needed."""
    return not Path(keep).exists() or (fresh and accepted)


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A record that is kept and not sent yet."""

    kept: Kept
    client: Client | None
    notes: tuple[str, ...]

    def submit(self) -> Submitted:
        """Send it, if there is anywhere to send it to. Safe to repeat."""
        state = "not sent"
        if self.client is not None:
            sent = self.client.submit([self.kept.record], submission=self.kept.submission)
            state = "already stored" if sent.repeated else "stored"
        return Submitted(kept=self.kept, state=state, notes=(*self.notes, f"the record is {state}"))


def send(request: SendRequest) -> Submitted:
    """Perturb one record on this machine, keep it, and send it to the collector.

    Only the perturbed record leaves. A second call sends the kept record again, which reveals nothing more. If the
    collector cannot be reached, the record stays kept; `prepare` is the first half alone.
    """
    return prepare(request).submit()


def prepare(request: SendRequest) -> Prepared:
    """Perturb one record on this machine and keep it, or take the one that is kept."""
    _check(request)
    trusted = None if request.scheme is None else read_scheme(request.scheme)
    client = None
    if request.url is not None:
        client = Client(request.url, scheme=trusted, max_gamma=request.max_gamma, ca_file=request.ca_file)
    agreed = client.scheme if client is not None else trusted
    if agreed is None:
        raise UsageError("give the collector's url, or a scheme to draw by")
    check_gamma(agreed, request.max_gamma)
    kept_before = Path(request.keep).exists()
    kept = keep_record(agreed, request.record, request.keep, fresh=request.fresh, accepted=request.accepted)
    drawn = request.fresh or not kept_before
    notes = (
        f"{'drew a record and kept it in' if drawn else 'took the record kept in'} {request.keep}",
        f"gamma of {_draws(len(kept.draws))} about you: {gamma_and_epsilon(kept.epsilon)}",
    )
    return Prepared(kept=kept, client=None if request.dry_run else client, notes=notes)


def _draws(number: int) -> str:
    return "the one draw" if number == 1 else f"all {number} draws"


def _check(request: SendRequest) -> None:
    """Refuse what cannot work before anybody is asked."""
    if not request.max_gamma > 1:
        raise UsageError(f"max_gamma={request.max_gamma:g} lets no scheme pass; use a number above 1, such as 19")
    if request.ca_file is not None and request.url is not None and request.url.startswith("http://"):
        raise UsageError("certificates are for https://; the collector's url begins with http:// (--ca)")
    folder = Path(request.keep).parent
    if not folder.is_dir():
        raise UsageError(f"the folder {folder} does not exist; make it first")
