"""What `confide collect` asks for: a request for each command. Help and forms import this alone, so it is light."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from confide.core.errors import RequestError, UsageError
from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import AnswerFiles, DocumentOnly, PublicFiles, ReleaseFiles, StudyFiles
from confide.core.jobs.fields import READING, setting, source
from confide.core.jobs.kinds import Edge, Share, Support
from confide.core.jobs.records import EngineReading, FileReading, TransactionsSource
from confide.core.jobs.request import Request

__all__ = [
    "GROUPS",
    "JOBS",
    "CollectMine",
    "CollectPerturb",
    "CollectPlan",
    "CollectPrivacy",
    "CollectSend",
    "CollectServe",
    "CollectedFiles",
]


@dataclass(frozen=True, kw_only=True)
class CollectPlan(FileReading):
    """Choose a scheme and its parameters for a promise.

    Give the promise as --rho1 and --rho2, as --gamma or as --epsilon; emask takes goals instead. The plan goes to
    stdout as JSON, the scheme file to -o. It lists the values of fields, or items: declare them by --values and
    --bins, or take them from --sample, which makes them public. Exit status 1 when the promise, or a --hard goal,
    cannot be met, with the nearest setting that works. Goals that are not hard are wishes: a plan that misses some says
    so and ends with 0.
    """

    scheme: Literal["gamma-diagonal", "matrix", "mask", "cut-and-paste", "emask"] | None = setting(
        None, help="Which scheme to plan [gamma-diagonal; emask if --avg-support is given]."
    )
    rho1: Share | None = setting(None, group="Promise", help="A property of at most this prior (5%) ...")
    rho2: Share | None = setting(None, group="Promise", help="... never gets a posterior above this (50%).")
    gamma: float | None = setting(None, group="Promise", help="The same bound as a ratio of likelihoods [19].")
    epsilon: float | None = setting(
        None, group="Promise", help="The same bound as ln(gamma), as in differential privacy."
    )
    records: int | None = setting(None, ge=1, group="Promise", help="How many records will be collected.")
    people: int | None = setting(
        None, ge=1, group="Wanted", help="People who will answer: plan who is asked for which fields."
    )
    within: tuple[float, ...] | None = setting(
        None,
        group="Wanted",
        metavar="POINTS,...",
        help="How near supports of single values, pairs, ... must come (95%), such as 2,3.",
    )
    sample: Any = setting(
        None, group="Data", metavar="FILE", help="Sample records: supports, values and items are taken from it."
    )
    describe: Any = setting(
        None, group="Data", metavar="FILE", help="Say which scheme fits this file, and plan nothing."
    )
    support: Share | None = setting(None, group="Data", help="With --describe: support of interest [0.02].")
    columns: tuple[str, ...] | None = setting(
        None, group="Data", metavar="NAME,...", help="Columns of a table to ask for [all]."
    )
    bins: dict[str, tuple[Edge, ...]] | None = setting(
        None, group="Data", metavar="NAME=EDGES", help="Cut a numeric column, such as age=35,55."
    )
    values: dict[str, tuple[str, ...]] | None = setting(
        None, group="Data", metavar="NAME=VALUES", help="Declare a field's values: sex=female,male."
    )
    kind: Literal["table", "transactions"] | None = setting(
        None, group="Data", help="What the file is, where it does not say."
    )
    fields: int | None = setting(None, ge=1, group="Data", help="mask, cut-and-paste: number of fields.")
    max_length: int | None = setting(None, ge=1, group="Data", help="Items of the longest true record.")
    K: int | None = setting(
        None, ge=1, short="-K", option="cut", group="Data", help="cut-and-paste: K [the best for triples]."
    )
    avg_support: Share | None = setting(None, group="emask", help="Mean share of records that hold an item.")
    max_support: Share | None = setting(None, group="emask", help="Share of records with the commonest item.")
    breach: Share | None = setting(None, group="emask", help="Goal for 1 - basic privacy [0.06].")
    error: Share | None = setting(None, group="emask", help="Goal for relative support error [0.03].")
    slowdown: float | None = setting(None, group="emask", help="Goal for sent / true items [5].")
    visible: Share | None = setting(None, group="emask", help="Bound on Pr(true 1 | 1 sent), an average [0.2].")
    worst_visible: Share | None = setting(None, group="emask", help="The same bound for the commonest item [none].")
    absent: float | None = setting(
        None, group="emask", help="Bound on the odds that an item not sent is not held either [100]."
    )
    hard: tuple[Literal["breach", "error", "slowdown"], ...] = setting(
        (), repeat=True, group="emask", help="A goal to keep."
    )

    @property
    def name(self) -> str:
        """Of the scheme to plan."""
        return self.scheme or ("emask" if self.avg_support is not None else "gamma-diagonal")

    def check(self) -> None:
        super().check()
        for name, values in (self.values or {}).items():
            if len(values) < 2 or not all(values):
                given = f"{name}={','.join(values)}"
                raise RequestError("values", given, "is no choice: give two values or more, such as yes,no")
        if self.describe is None and self.support is not None:
            raise UsageError(
                "support= goes with describe=; a plan does not use support=", parameter="support", value=self.support
            )
        if self.describe is not None and self.sample is not None:
            raise UsageError(
                "describe= says which scheme fits; plan it with sample= afterwards",
                parameter="describe",
                value=self.describe,
            )

    def check_delivery(self, delivery: Any) -> None:
        if self.describe is not None and delivery.output is not None:
            raise UsageError(
                "describe= says which scheme fits; plan it with sample= and output= afterwards",
                parameter="describe",
                value=self.describe,
            )


@dataclass(frozen=True, kw_only=True)
class CollectPerturb(TransactionsSource):
    """Perturb every record of IN by a scheme, so that a released record shifts anyone's odds by at most its gamma.

    IN holds baskets for a scheme over items, and a table with the scheme's columns for one over fields. What is
    released is drawn exactly, from the operating system's randomness, and shuffled. One perturbed record per person:
    drawing again from the same truth reveals as much again.
    """

    scheme: Any = setting(metavar="FILE", help="Scheme file (see confide collect plan).")
    columns: tuple[str, ...] | None = setting(
        None, metavar="NAME,...", help="Take only these columns of the table: the scheme's."
    )
    max_length: int | None = setting(None, ge=1, help="Longest record there may be, where the scheme does not say it.")
    labels_from_data: bool = setting(
        False,
        help="Take items and longest record from IN if nobody declared them: the passport then makes them public.",
    )
    keep_order: bool = setting(False, help="Do not shuffle: row i of the release is then row i of IN.")
    seed: int | None = setting(None, ge=0, help="Repeatable draws, for experiments: they protect nobody.")

    def check_delivery(self, delivery: Any) -> None:
        if self.seed is not None and (delivery.report or delivery.owner_report or delivery.sign):
            raise UsageError("a seeded draw is not released: leave out report=, owner_report= and sign=, or seed=")


@dataclass(frozen=True, kw_only=True)
class CollectMine(EngineReading):
    """Find the itemsets, or rules, that hold in enough of the *true* records behind PERTURBED.

    PERTURBED is a file of perturbed records (baskets for a scheme over items, a table for one over fields) or a
    collector's store (FILE.duckdb, postgresql://...). Supports are estimates; each has its standard error and two
    intervals: low to high holds for a set named beforehand, selected_low to selected_high for what is shown because it
    was found. Of rules, the confidence has them. -o writes .parquet, .jsonl or .csv.
    """

    perturbed: Any = source(help="Perturbed records, or a collector's store.", metavar="PERTURBED")
    scheme: Any = setting(None, metavar="FILE", help="The scheme they were perturbed by; a store knows its own.")
    min_support: Support = setting(short="-s", help="Fewest true records: a count (5), a share (0.01) or 1%.")
    max_length: int | None = setting(None, ge=1, help="Only sets of at most this many items.")
    keep_near: float = setting(0.0, ge=0, metavar="Z", help="Keep sets Z standard errors below, too.")
    consistent: bool = setting(False, help="Let no set's estimate exceed that of a part of it.")
    population: bool = setting(
        False, help="Errors and intervals for the population the people were drawn from, not for these people."
    )
    confidence: Share = setting(0.95, ge=0, le=1, help="Of the intervals low to high.")
    min_confidence: Share | None = setting(None, option="rules", help="Give rules of at least this confidence.")
    top: int | None = setting(
        None, ge=1, help="Only the surest: the largest selected_low (of rules confidence_selected_low)."
    )
    record_length: int | None = setting(None, ge=1, help="Items in each true record (Cut-and-Paste without fields).")
    format: Literal["dat", "basket", "long", "jsonl", "parquet"] | None = setting(
        None, group=READING, help="Format of a file of transactions, where its name does not say it."
    )


@dataclass(frozen=True, kw_only=True)
class CollectPrivacy(FileReading):
    """Say how much the scheme in SCHEME protects: gamma, epsilon, posteriors, and with --data two averages.

    The first hold for everybody, whatever is known about them. The averages, basic and reinterrogation privacy, are
    over people and guarantee nothing.
    """

    scheme: Any = source(help="Scheme file (see confide collect plan).", metavar="SCHEME")
    priors: tuple[Share, ...] = setting(
        (), option="prior", repeat=True, help="Priors to bound the posterior of [1% 5% 10% 25% 50%]."
    )
    max_length: int | None = setting(None, ge=1, help="Items of the longest true record.")
    data: Any = setting(
        None, metavar="FILE", help="True records, for the averages that need them (an owner's simulation)."
    )
    min_support: Support | None = setting(None, help="With --data: itemsets the attacker knows, such as 1%.")
    columns: tuple[str, ...] | None = setting(
        None, metavar="NAME,...", help="Columns of a table, where it has more than the scheme's fields."
    )
    seed: int | None = setting(None, ge=0, help="Repeat the same simulation.")

    def check(self) -> None:
        super().check()
        if self.min_support is not None and self.data is None:
            raise UsageError("min_support goes with data: reinterrogation needs the true records")


@dataclass(frozen=True, kw_only=True)
class CollectServe(Request):
    """Collect perturbed records over HTTP until Ctrl-C.

    Publishes the scheme, a page that says what leaves a device, a form and a browser client, and stores the perturbed
    records that arrive; no address, name or time is stored or logged. A record counts as received once it is on disk.
    """

    scheme: Any = source(help="Scheme file (see confide collect plan).", metavar="SCHEME.json")
    store: Any = setting(
        metavar="FILE|URL",
        help="A DuckDB file, or postgresql://user@host/name with the password in PGPASSWORD or PGPASSFILE.",
    )
    host: str = setting("127.0.0.1", help="Address to listen on.")
    port: int = setting(8000, ge=0, le=65535, help="0 takes a free one.")
    title: str = setting("Answer in confidence", help="Heading of the form.")
    form: Path | None = setting(None, help="TOML file: introduction, contact, consent, words of the form.")
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

    def stays_here(self, delivery: Any) -> bool:
        """True where nothing is served, or on the loopback address alone, with no proxy and no other site before it."""
        local = "://" not in str(self.store)
        alone = self.host in ("127.0.0.1", "::1") and not (self.trusted_proxies or self.allow_origins)
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


GROUPS = {"collect": "Collect records that people perturb on their own devices, and mine them."}

JOBS = (
    Job(
        name="collect plan",
        request=CollectPlan,
        at="confide.collect.jobs.plan:plan",
        delivery=StudyFiles,
        stray="{}: say what the file is for: --sample {} to plan for records like these, or --describe {} to compare "
        "schemes for them",
        examples=(
            "confide collect plan --describe registry.csv --columns sex,income,diagnosis",
            "confide collect plan --scheme emask --avg-support 0.01 --records 1000000 --report plan.html",
            "confide collect plan --sample registry.csv --columns age,sex,income --bins age=35,55,75 -o planned.json",
            "confide collect plan --values sex=female,male --values smokes=no,yes --bins age=35,55 -o declared.json",
            "confide collect plan --values sex=female,male --values smokes=no,yes --bins age=35,55 --within 2,3",
            "confide collect plan --rho1 5% --rho2 50%",
        ),
    ),
    Job(
        name="collect perturb",
        request=CollectPerturb,
        at="confide.collect.jobs.perturb:perturb",
        delivery=ReleaseFiles,
        examples=(
            "confide collect perturb answers.csv --scheme answers.scheme.json -o noisy.csv",
            "confide collect perturb registry.csv --columns age,sex,income --scheme answers.scheme.json -o noisy.csv",
            "confide collect perturb baskets.csv --scheme baskets.scheme.json --max-length 30 -o a.dat --report a.html",
        ),
    ),
    Job(
        name="collect mine",
        request=CollectMine,
        at="confide.collect.jobs.mine:mine",
        delivery=AnswerFiles,
        examples=(
            "confide collect mine received.csv --scheme answers.scheme.json --min-support 20% --table",
            "confide collect mine received.csv --scheme answers.scheme.json -s 5% --rules 0.4 -o rules.csv",
        ),
    ),
    Job(
        name="collect privacy",
        request=CollectPrivacy,
        at="confide.collect.jobs.privacy:privacy",
        delivery=DocumentOnly,
        examples=(
            "confide collect privacy baskets.scheme.json --data baskets.csv --min-support 2% --seed 1",
            "confide collect privacy answers.scheme.json --prior 0.05",
        ),
    ),
    Job(
        name="collect serve",
        request=CollectServe,
        at="confide.collect.jobs.serve:serve",
        delivery=CollectedFiles,
        live=True,
        remote=True,
        examples=("confide collect serve answers.scheme.json --store answers.duckdb --port 0",),
    ),
    Job(
        name="collect send",
        request=CollectSend,
        at="confide.collect.jobs.send:send",
        delivery=DocumentOnly,
        live=True,
        remote=True,
        examples=(
            "confide collect send answer.json --scheme answers.scheme.json --keep kept.json --dry-run",
            "confide collect send https://answers.example.org/ answer.json --keep kept.json",
        ),
    ),
)
