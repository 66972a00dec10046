"""A client that perturbs where the record is, keeps what it drew, and sends that.

    client = Client("https://answers.example.org/")
    client.send({"age": 41, "sex": "F"}, keep="kept.json")

The scheme comes from the collector, who may publish a weak one: a client draws nothing under a gamma above `max_gamma`.
Sending is safe to repeat: a submission that arrives twice is stored once, so a lost answer is simply asked for again.
"""

import json
import ssl
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from http.client import HTTPException
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.parse import urljoin
from urllib.request import Request, urlopen
from uuid import UUID, uuid4

from confide.collect.schemes.scheme import Scheme
from confide.collect.service.kept_draws import Kept, check_gamma, keep_record
from confide.core.errors import CannotMeetError, ConfideError, InputError, UnreachableError, UsageError
from confide.core.json_text import read_json
from confide.web.addresses import web_address

if TYPE_CHECKING:
    from http.client import HTTPResponse

__all__ = ["Client", "Sent"]

_MOST_BYTES = 1 << 28
_PADDED = 512
_RETRIED = (429, 500, 502, 503, 504)


@dataclass(frozen=True, kw_only=True)
class Sent:
    """An acknowledged submission: on the collector's disk. `repeated` if it had been there before."""

    submission: UUID
    records: int
    repeated: bool


class Client:
    """Sends perturbed records to the collector at `url`, which may be a personal link (".../form#CODE").

    `scheme`, if given, is the one the caller trusts, and a collector with another is refused; else the collector's is
    fetched. `max_gamma` is the largest gamma a scheme may have (None: any). `attempts` is how often a request is made
    before a collector counts as unreachable, with a pause that doubles each time; `ca_file` names certificates to trust
    for a collector with a private one.
    """

    def __init__(
        self,
        url: str,
        *,
        scheme: Scheme | None = None,
        max_gamma: float | None = 1000.0,
        timeout: float = 30.0,
        attempts: int = 5,
        ca_file: str | PathLike[str] | None = None,
    ):
        parts = web_address(url)
        if parts is None:
            raise UsageError(f"{url!r} is not the address of a collector; it starts with https:// or http://")
        if attempts < 1:
            raise UsageError(f"attempts={attempts} must be 1 or more", parameter="attempts", value=attempts)
        self.url, self._code = _without_code(url)
        self._trusted = scheme
        self._max_gamma = max_gamma
        self._timeout = timeout
        self._attempts = attempts
        self._tls = _context(ca_file) if parts.scheme == "https" else None

    @cached_property
    def scheme(self) -> Scheme:
        """The collector's scheme, fetched once and checked against what the caller allows."""
        found = Scheme.from_json(self._ask("scheme.json"), source=self.url)
        if self._trusted is not None and self._trusted.fingerprint != found.fingerprint:
            raise CannotMeetError(
                f"{self.url} collects by another scheme (fingerprint {found.fingerprint[:12]}) than the one you gave "
                f"({self._trusted.fingerprint[:12]}); nothing was drawn or sent"
            )
        check_gamma(found, self._max_gamma)
        return found

    def send(
        self, record: Any, *, keep: str | PathLike[str], fresh: bool = False, accepted: bool = False
    ) -> tuple[Kept, Sent]:
        """Perturb one record here, keep it in the file `keep`, and send it; a kept record is sent again as it is.

        With a kept record, `record` is not looked at. `fresh` and `accepted` as in `keep_record`.
        """
        kept = keep_record(self.scheme, record, keep, fresh=fresh, accepted=accepted)
        return kept, self.submit([kept.record], submission=kept.submission)

    def submit(self, records: Sequence[Sequence[int]], *, submission: UUID | None = None) -> Sent:
        """Send records that are perturbed and encoded already (`scheme.encode`), as one batch under one id.

        Returns when the collector has them on disk. Repeat a call that failed with the same `submission`.
        """
        id = uuid4() if submission is None else submission
        listed = [list(one) for one in records]
        body: dict[str, Any] = {"scheme": self.scheme.fingerprint, "submission": str(id), "records": listed}
        if self._code:
            body["code"] = self._code
        text = json.dumps(body, separators=(",", ":"))
        # blanks up to the next half kilobyte: who watches the line learns nothing from the length of an answer
        said = self._read(self._ask("records", text.ljust(-(-len(text) // _PADDED) * _PADDED).encode()))
        state = said.get("state")
        if state not in ("stored", "already stored"):
            raise self._unclear()
        return Sent(submission=id, records=self._number(said), repeated=state != "stored")

    def count(self) -> int:
        """How many records the collector holds."""
        return self._number(self._read(self._ask("count")))

    def team_progress(self, key: str, *, state: str | None = None) -> dict[str, Any]:
        """How the survey is going, for whoever has the key to the team's page; opens, pauses or closes it first."""
        if state is not None:
            self._ask(f"{key}/state", f"state={state}".encode(), kind="application/x-www-form-urlencoded")
        return self._read(self._ask(f"{key}/progress.json"))

    def _read(self, answer: bytes) -> dict[str, Any]:
        """A collector's answer, which may be anything."""
        try:
            found = read_json(answer)
        except InputError:
            raise self._unclear() from None
        if not isinstance(found, dict):
            raise self._unclear()
        return found

    def _number(self, said: dict[str, Any]) -> int:
        number = said.get("records")
        if type(number) is not int or number < 0:
            raise self._unclear()
        return number

    def _unclear(self) -> InputError:
        return InputError("the answer is not a collector's; is the address right?", source=self.url)

    def _ask(self, path: str, body: bytes | None = None, kind: str = "application/json") -> bytes:
        pause = 0.1
        for attempt in range(1, self._attempts + 1):
            try:
                return self._ask_once(path, body, kind)
            except UnreachableError:
                if attempt == self._attempts:
                    raise
            time.sleep(pause)
            pause = min(2 * pause, 5.0)
        raise AssertionError("unreachable")

    def _ask_once(self, path: str, body: bytes | None, kind: str) -> bytes:
        headers = {"User-Agent": "confide", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = kind
        request = Request(urljoin(self.url, path), data=body, headers=headers)
        try:
            with urlopen(request, timeout=self._timeout, context=self._tls) as answer:
                return _limited(answer)
        except HTTPError as error:
            with error:
                raise self._refused(error) from None
        except (OSError, HTTPException) as error:  # URLError is an OSError, and so is a timeout
            reason = getattr(error, "reason", error)
            if isinstance(reason, ssl.SSLCertVerificationError):
                raise UsageError(
                    f"{self.url}: its certificate is not trusted ({reason.verify_message}); name its authority's "
                    "certificate with ca_file=",
                    parameter="ca_file",
                ) from None
            plain = (reason.strerror or "").lower() if isinstance(reason, OSError) else ""  # without its number
            said = plain or _line(str(reason)) or type(reason).__name__
            raise UnreachableError(f"{self.url} does not answer ({said})") from None

    def _refused(self, error: HTTPError) -> ConfideError:
        try:
            said = str(json.loads(error.read(65536))["error"])
        except Exception:
            said = f"status {error.code}"
        line = _line(said)
        if error.code in _RETRIED:
            return UnreachableError(f"{self.url}: {line}")
        return InputError(f"refused by the collector: {line}", source=self.url)


def _without_code(url: str) -> tuple[str, str]:
    """The address of a collector, ending in a slash, and the code of a personal link.

    >>> _without_code("https://a.example/form#Zk3v"), _without_code("https://a.example")
    (('https://a.example/', 'Zk3v'), ('https://a.example/', ''))
    """
    address, _, code = url.partition("#")
    if code:
        address = address.partition("?")[0].removesuffix("form")
    return (address if address.endswith("/") else f"{address}/"), code


def _context(ca_file: str | PathLike[str] | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=None if ca_file is None else str(Path(ca_file)))
    except (OSError, ssl.SSLError) as error:
        raise UsageError(f"{ca_file}: cannot be read as certificates to trust ({error.strerror or error})") from None


def _line(text: str) -> str:
    """What another machine said, as one short line that a terminal only shows."""
    return "".join(c for c in text if c.isprintable())[:300]


def _limited(answer: "HTTPResponse") -> bytes:
    whole = answer.read(_MOST_BYTES + 1)
    if len(whole) > _MOST_BYTES:
        raise UnreachableError(f"the collector's answer is longer than {_MOST_BYTES:,} bytes")
    if answer.length:  # read(n) does not complain when a connection ends early, as when a collector is killed
        raise UnreachableError(f"the collector's answer broke off {answer.length:,} bytes before its end")
    return whole
