"""What the commands about a collector ask for: serving, its survey's progress, sending."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from confide.core.errors import RequestError, UsageError
from confide.core.jobs.delivery import PublicFiles
from confide.core.jobs.fields import setting, source
from confide.core.jobs.request import Request

__all__ = ["CollectSend", "CollectServe", "CollectSurvey", "CollectedFiles"]


@dataclass(frozen=True, kw_only=True)
class CollectServe(Request):
    """Collect perturbed records over HTTP until Ctrl-C.

    Publishes the scheme, a page that says what leaves a device, a form and a browser client, and stores the perturbed
    records that arrive; no address, name or time is stored or logged. A record counts as received once it is on disk.
    --form is the survey: questions, answers, conditions, texts in several languages. The team has a page of its own,
    whose address is printed at the start: how many answered, results, pausing and closing.
    """

    scheme: Any = source(help="Scheme file (see confide collect plan).", metavar="SCHEME.json")
    store: Any = setting(
        metavar="FILE|URL",
        help="A DuckDB file, or postgresql://user@host/name with the password in PGPASSWORD or PGPASSFILE.",
    )
    host: str = setting("127.0.0.1", help="Address to listen on.")
    port: int = setting(8000, ge=0, le=65535, help="0 takes a free one.")
    title: str = setting("Answer in confidence", help="Heading of the form.")
    form: Path | None = setting(None, help="The survey (TOML): questions, answers, consent, languages.")
    links: Path | None = setting(
        None, metavar="FILE", help="Personal links, one answer each; used ones are struck off. Made for --people."
    )
    people: int | None = setting(None, ge=1, help="With --links: how many people get a link.")
    within: tuple[float, ...] | None = setting(
        None, metavar="POINTS,...", help="How near single answers, pairs, ... must come: says when to stop."
    )
    address: str | None = setting(None, metavar="URL", help="Where people reach the collector, with a proxy before it.")
    team_key: Path | None = setting(
        None, metavar="FILE", help="Keep the key to the team's page here [a new one each time]."
    )
    allow_origins: tuple[str, ...] = setting(
        (), option="allow-origin", repeat=True, metavar="ORIGIN", help="Site whose pages may send here (https://...)."
    )
    certificate: Path | None = setting(None, help="TLS certificate chain (PEM); without it, put a TLS proxy before.")
    key: Path | None = setting(None, help="Private key of the certificate (PEM).")
    trusted_proxies: tuple[str, ...] = setting(
        (),
        option="trusted-proxy",
        repeat=True,
        metavar="ADDRESS",
        help="Proxy before the collector: clients are counted by the address that it forwards.",
    )

    def check(self) -> None:
        super().check()
        if (self.certificate is None) != (self.key is None):
            raise UsageError("certificate= and key= go together", parameter="certificate", value=self.certificate)
        if self.people is not None and self.links is None:
            line = "people= says how many links to make; name their file with links="
            raise UsageError(line, parameter="people", value=self.people)

    def stays_here(self, delivery: Any) -> bool:
        """True where nothing is served, or on the loopback address alone, with no proxy and no other site before it."""
        local = "://" not in str(self.store)
        alone = self.host in ("127.0.0.1", "::1") and not (self.trusted_proxies or self.allow_origins or self.address)
        return local and (delivery.output is not None or alone)


@dataclass(frozen=True, kw_only=True)
class CollectedFiles(PublicFiles):
    """Where the records of a store go, if they are released instead of collected."""

    OUTPUT_NEEDED: ClassVar[bool] = False
    output: Path | None = setting(
        None, option="export", help="Do not serve; write what the store holds here, with its passport."
    )
    report: Path | None = setting(None, help="With --export: write a page for everybody here.")
    sign: Path | None = setting(None, help="With --export: sign the passport with this private key (PEM).")

    def check(self) -> None:
        super().check()
        if self.output is None and (self.report is not None or self.sign is not None):
            raise UsageError(
                "report= and sign= go with output=; serving writes no release", parameter="report", value=self.report
            )


@dataclass(frozen=True, kw_only=True)
class CollectSend(Request):
    """Perturb one record on this machine, keep it, and send it to the collector at URL.

    The record is RECORD.json (a list of items, or an object of fields), or given by --item or --field. These stay in
    the shell's history, and anyone who lists this machine's processes sees them, so prefer the file. Only the
    perturbed record leaves. A second call sends the kept record again, whatever the record given, and reveals nothing
    more; a fresh draw would.
    """

    url: str | None = source(None, help="The collector's address (http:// or https://).", metavar="URL")
    record: Any = source(None, help="The record: a file, in Python also a list or a dict.", metavar="RECORD.json")
    items: tuple[str, ...] = setting(
        (), option="item", repeat=True, secret=True, metavar="ITEM", help="An item of the record."
    )
    fields: dict[str, str] | None = setting(None, option="field", secret=True, help="A field of the record.")
    keep: Path = setting(help="File that keeps the perturbed record; sent again as it is.")
    scheme: Any = setting(None, metavar="FILE", help="The scheme you trust; a collector with another is refused.")
    max_gamma: float = setting(
        1000.0, above=1, because="lets no scheme pass", help="Refuse a scheme that reveals more."
    )
    fresh: bool = setting(False, help="Draw again although a record is kept: states the new gamma, needs --yes.")
    accepted: bool = setting(False, option="yes", help="Accept the price of --fresh.")
    dry_run: bool = setting(False, help="Draw and keep, but send nothing.")
    ca_file: Path | None = setting(
        None, option="ca", help="Certificates (PEM) to trust for a collector with a private one."
    )

    def check(self) -> None:
        super().check()
        if self.url is not None and not _is_address(self.url):
            self._exchange()
        if isinstance(self.record, str):  # an address: a path would have become a Path
            raise UsageError("give one URL and at most one RECORD.json")
        if self.url is None and not self.dry_run:
            raise UsageError(
                "give the collector's URL (http:// or https://), or dry_run= to send nothing",
                parameter="dry_run",
                value=self.dry_run,
            )
        if self.url is None and self.scheme is None:
            raise UsageError("give the collector's URL, or scheme=FILE with dry_run=")
        if self.ca_file is not None and self.url is not None and self.url.startswith("http://"):
            raise RequestError("ca_file", str(self.ca_file), f"is for https://; the collector is at {self.url}")
        if not self.keep.parent.is_dir():
            raise UsageError(f"the folder {self.keep.parent} does not exist; make it first")

    def _exchange(self) -> None:
        """Take a path in the place of the address for the record: `confide collect send answer.json --dry-run`."""
        address, file = self.record, self.url
        if address is not None and not _is_address(address):
            raise UsageError("give one URL and at most one RECORD.json")
        object.__setattr__(self, "url", address)
        object.__setattr__(self, "record", Path(str(file)))


def _is_address(value: Any) -> bool:
    return isinstance(value, str) and value.startswith(("http://", "https://"))


@dataclass(frozen=True, kw_only=True)
class CollectSurvey(Request):
    """Say how a survey is going: how many answered, how near results are, when to stop; or pause, close, open it.

    STORE is a collector's store that no running collector holds, or the address of a running collector, whose key is
    in --team-key. Nothing is said of single answers, and fewer than five are not counted out.
    """

    store: Any = source(help="A store (FILE.duckdb, postgresql://...), or a collector's address.", metavar="STORE|URL")
    state: Literal["open", "paused", "closed"] | None = setting(None, help="Open, pause or close the survey.")
    within: tuple[float, ...] | None = setting(
        None, metavar="POINTS,...", help="How near single answers, pairs, ... must come: says when to stop."
    )
    team_key: Path | None = setting(
        None, metavar="FILE", help="The key to the team's page, as serve keeps it: for a collector's address."
    )

    def check(self) -> None:
        super().check()
        if _is_address(self.store) and self.team_key is None:
            line = "a running collector is asked with its key: start it with team_key=FILE, and name that"
            raise UsageError(line, parameter="team_key", value=self.team_key)
        if _is_address(self.store) and self.within is not None:
            line = "a running collector knows its within=; leave it out"
            raise UsageError(line, parameter="within", value=self.within)
        if not _is_address(self.store) and self.team_key is not None:
            line = "team_key= goes with a collector's address, not with a store"
            raise UsageError(line, parameter="team_key", value=self.team_key)

    def stays_here(self, delivery: Any) -> bool:
        """True for a store in a file."""
        return "://" not in str(self.store)
