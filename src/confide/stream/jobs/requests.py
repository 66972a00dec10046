"""What can be asked of a stream; `stream attack` needs the auditor, so it is in `cli/jobs/stream.py`."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from confide.core.errors import RequestError, UsageError
from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import Delivery, DocumentOnly, RowsOnly
from confide.core.jobs.fields import READING, setting, source
from confide.core.jobs.kinds import Share
from confide.core.jobs.request import Request

__all__ = ["GROUPS", "JOBS", "StreamLook", "StreamPlan", "StreamRelease", "StreamReplay"]

Noise = Literal["uniform", "triangular", "rademacher"]

_MIN_SUPPORT = "Itemsets in at least C records are frequent."
_VULNERABLE = "Patterns of up to K records are rare."
_WINDOW = "A window of the last so many records."
_LIMIT = "End after so many records."
_REPLACE = "Overwrite files that exist."
_PORT = {"ge": 0, "le": 65535}
_WINDOWS, _STATE, _PAGES = "Windows and schemes", "Going on after an end or a crash", "Pages"


@dataclass(frozen=True, kw_only=True)
class StreamPlan(Request):
    """Choose epsilon and delta for a stream, and write the request that confide run releases by.

    The answer goes to stdout as JSON. With --sample, adversaries who know every rule play against its windows, and
    noise is raised until they are left with what was asked for. Exit status 1 when no noise fits within the precision
    asked for. With --promise none: the paper's schemes, and what lambda buys on the sample.
    """

    min_support: int = setting(metavar="C", help=_MIN_SUPPORT)
    vulnerable: int = setting(5, metavar="K", help=_VULNERABLE)
    error: Share | None = setting(None, help="Wanted precision: how far off a support of C may be (15%).")
    epsilon: float | None = setting(None, help="The same as a relative squared error (0.0225).")
    delta: float | None = setting(None, help="Wanted protection [the most that precision leaves; else 0.4].")
    noise: Noise = setting("uniform", help="promise none: the law that noise is drawn from.")
    sample: Any = setting(None, metavar="FILE", help="Records to try it on (.dat, .jsonl, .csv, .parquet).")
    window: int = setting(2000, ge=1, help=_WINDOW)
    every: int = setting(100, ge=1, because="is not a number of records", help="Records between two releases.")
    promise: Literal["run", "release", "stretch", "none"] = setting("run", help="What delta covers.")
    records: Any = setting(None, metavar="IN", help="What the request releases [the sample; else stdin].")
    noise_key: Path = setting(Path("stream.key"), metavar="FILE", help="The key file that the request names.")

    def check(self) -> None:
        super().check()
        if self.error is not None and self.epsilon is not None:
            raise UsageError("error= and epsilon= say the same; give one", parameter="error", value=self.error)
        if self.promise != "none" and self.window % self.every:
            raise RequestError("window", self.window, f"is not a multiple of every={self.every}; use a multiple")


@dataclass(frozen=True, kw_only=True)
class StreamRelease(Request):
    """Release the frequent itemsets of IN, window after window: a .dat, .jsonl or .csv file, - for stdin, a Redis
    stream, or a Kafka topic.

    Noise is drawn under the key in --noise-key FILE, which is made if absent: keep it, and use it for this stream
    alone. Releases go to -o, to --to, to a live page, or to stdout. An auditor checks each one before it leaves.
    SIGTERM and Ctrl-C end a run cleanly; with --state, the same command goes on where it ended, even after a crash.
    """

    records: Any = source(
        help="A .dat, .jsonl or .csv file, - for stdin, redis://host:port/0?stream=NAME or kafka://host:port/TOPIC."
    )
    to: Any = setting(None, metavar="URL", help="Also into redis://host:port/0?stream=NAME or kafka://host:port/TOPIC.")
    min_support: int = setting(metavar="C", help=_MIN_SUPPORT)
    vulnerable: int = setting(5, metavar="K", help=_VULNERABLE)
    epsilon: float | None = setting(
        None, help="Bound on the mean squared relative error of a support, before selection [1.25 times the least]."
    )
    delta: float = setting(0.4, help="Variance left to whoever infers a rare pattern, as a share of K squared.")
    promise: Literal["run", "release", "stretch", "none"] | None = setting(
        None,
        help="What delta covers: all releases together; one; also the records between any two; nothing (the paper's "
        "schemes) [run].",
    )
    noise_key: Path | None = setting(
        None, metavar="FILE", help="The key that noise is drawn under: 32 bytes of this stream, made if absent."
    )
    limit: int | None = setting(None, ge=1, help=_LIMIT)
    seed: int | None = setting(None, ge=0, help="For experiments, in place of a key: noise that anybody can repeat.")

    window: int | None = setting(None, group=_WINDOWS, help=_WINDOW)
    seconds: float | None = setting(
        None,
        above=0,
        because="is not a duration",
        group=_WINDOWS,
        help="A window of the last so many seconds, by time stamps.",
    )
    every: int | None = setting(
        None,
        ge=1,
        because="is not a number of records",
        group=_WINDOWS,
        help="Records between two releases; a window holds a whole number of times as many [100].",
    )
    every_seconds: float | None = setting(
        None,
        above=0,
        because="is not a duration",
        group=_WINDOWS,
        help="Seconds between two releases of a window by time, which holds a whole number of times as many.",
    )
    itemsets: Literal["all", "closed"] = setting("all", group=_WINDOWS, help="Which frequent itemsets.")
    scheme: Literal["blocks", "basic", "order", "ratio", "hybrid"] = setting(
        "blocks", group=_WINDOWS, help="blocks keeps the promise; the others are the paper's, and promise nothing."
    )
    lam: Share = setting(
        0.4, group=_WINDOWS, when={"scheme": "hybrid"}, help="hybrid: share of order, the rest is ratio."
    )
    depth: int = setting(2, group=_WINDOWS, when={"scheme": "order"}, help="order: larger is better and slower.")
    noise: Noise = setting("uniform", group=_WINDOWS, help="The law of the paper's schemes.")
    epoch: int | None = setting(
        None, group=_WINDOWS, help="The paper's: releases after which supports that have gone are forgotten [never]."
    )

    state: Path | None = setting(
        None, group=_STATE, metavar="FILE", help="Owner's file that a run goes on from after an end or a crash."
    )
    state_key: Path | None = setting(
        None, group=_STATE, metavar="FILE", help="File of 32 bytes that encrypts the state."
    )
    sync: Literal["group", "each", "none"] = setting(
        "group", group=_STATE, help="What is synced to disk at once, before it leaves."
    )
    no_sync: bool = setting(
        False, group=_STATE, help="Leave syncing to the system (--sync none): faster, a power cut may lose releases."
    )

    serve: int | None = setting(
        None, **_PORT, group=_PAGES, help="Show a live page for everybody on this port (0: any)."
    )
    title: str | None = setting(None, group=_PAGES, help="Title of the live page [What is frequent now].")
    host: str = setting("127.0.0.1", group=_PAGES, help="Address of the live page.")
    trusted_proxy: tuple[str, ...] = setting(
        (),
        repeat=True,
        group=_PAGES,
        metavar="ADDRESS",
        help="Proxy before the live page: its clients are counted.",
    )
    owner_serve: int | None = setting(
        None, **_PORT, group=_PAGES, help="Show the adversary's view on this machine only."
    )
    owner_key_file: Path | None = setting(
        None, group=_PAGES, metavar="FILE", help="Keep the key of that page here (made if absent) [a new one]."
    )

    format: Literal["dat", "jsonl", "csv"] | None = setting(
        None, group=READING, help="Format of IN, where its name does not say it."
    )
    bad_records: str = setting(
        "stop",
        group=READING,
        metavar="stop|skip|FILE",
        help="A record that cannot be read ends the run, is left out, or is set aside in this file of yours.",
    )
    follow: bool = setting(False, group=READING, help="Wait for IN to grow.")

    def check(self) -> None:
        super().check()
        self._settle_promise()
        if (self.window is None) == (self.seconds is None):
            raise UsageError("a window is so many records or so many seconds; give one of window= and seconds=")
        if self.window is not None and self.window < self.min_support:
            what = "is less than the smallest support, so nothing would ever be published; use {} or more"
            raise RequestError("window", self.window, what, cure=self.min_support)
        self._settle_blocks()
        if self.owner_key_file is not None and self.owner_serve is None:
            raise UsageError(
                "owner_key_file= goes with owner_serve=", parameter="owner_key_file", value=self.owner_key_file
            )
        if self.state_key is not None and self.state is None:
            raise UsageError(
                "a key encrypts the state; say where that goes with state=", parameter="state", value=self.state
            )
        if self.no_sync:
            object.__setattr__(self, "sync", "none")

    def _settle_promise(self) -> None:
        """Fill in what `scheme` and `promise` say of each other, and see that there is a key where noise needs one."""
        if self.promise == "none" and self.scheme == "blocks":
            object.__setattr__(self, "scheme", "basic")
        if self.promise is None:
            object.__setattr__(self, "promise", "run" if self.scheme == "blocks" else "none")
        if self.scheme != "blocks" and self.promise != "none":
            what = f"is a scheme of the paper, which cannot keep promise={self.promise}; use {{}}"
            raise RequestError("scheme", self.scheme, what, cure="blocks")
        if self.scheme != "blocks":
            if self.noise_key is not None:
                raise UsageError(
                    f"noise_key= goes with scheme=blocks; scheme={self.scheme} draws by chance", parameter="noise_key"
                )
            return
        if self.noise_key is None and self.seed is None:
            raise UsageError(
                "noise is drawn under a key; give noise_key=, a file that is made if absent (or promise=none, which "
                "needs no key and protects against nobody who knows the rules)"
            )
        if self.noise_key is not None and self.seed is not None:
            raise UsageError(
                "seed= makes a key that anybody can make; give seed= or noise_key=, not both",
                parameter="seed",
                value=self.seed,
            )

    def _settle_blocks(self) -> None:
        """See that a window holds a whole number of blocks."""
        if self.scheme != "blocks" or self.window is not None:
            if self.every_seconds is not None:
                raise UsageError(
                    "every_seconds= goes with seconds= and scheme=blocks; use every= here",
                    parameter="every_seconds",
                    value=self.every_seconds,
                )
            object.__setattr__(self, "every", 100 if self.every is None else self.every)
        if self.scheme != "blocks":
            return
        if self.window is not None:
            assert self.every is not None
            if self.window % self.every:
                whole = f"use {self.window // self.every * self.every or self.every} or another multiple of it"
                raise RequestError("window", self.window, f"is not a multiple of every={self.every}; {whole}")
        elif self.every is not None:
            raise UsageError(
                "every= counts records; a window by time is released every so many seconds: every_seconds=",
                parameter="every",
                value=self.every,
            )
        elif self.every_seconds is None:
            raise UsageError(
                "a window by time needs the seconds between two releases; give every_seconds=",
                parameter="every_seconds",
                value=self.every_seconds,
            )
        elif self.blocks < 1:
            what = f"is not a multiple of every_seconds={self.every_seconds:g}; use a multiple"
            raise RequestError("seconds", self.seconds, what)

    @property
    def blocks(self) -> int:
        """How many blocks a window has; 0 where that is not a whole number."""
        whole = Fraction(repr(self.window if self.window is not None else self.seconds))
        parts = whole / Fraction(repr(self.every if self.window is not None else self.every_seconds))
        return int(parts) if parts.denominator == 1 else 0

    def check_delivery(self, delivery: Any) -> None:
        if delivery.output is not None:
            if delivery.report is not None and delivery.report.resolve() == delivery.output.resolve():
                raise UsageError(f"{delivery.report} is the file of the run; give the page another name")
            return
        if delivery.report is not None:
            raise UsageError("a page describes the file of a run; say where that goes with output=", parameter="report")
        if delivery.sign is not None:
            raise UsageError("without output= no passport is written, so there is nothing to sign", parameter="sign")


@dataclass(frozen=True, kw_only=True)
class StreamLook(Request):
    """Read a release of a published run: its largest sets, or association rules, each with what is certain of it.

    Anybody can do this: bounds follow from the first line of the run. Verify the run first (confide verify).
    """

    run: Path = source(help="What confide stream release wrote.", metavar="RUN.jsonl")
    release: int | None = setting(None, ge=1, help="Which release [the last].")
    windows: int = setting(
        1, ge=1, help="Supports over so many windows, one after another, that end with this release: at no cost."
    )
    top: int | None = setting(None, ge=1, help="The so many largest sets [20].")
    rules: Share | None = setting(None, help="Instead: association rules that may reach this confidence.")

    def check(self) -> None:
        super().check()
        if self.top is not None and self.rules is not None:
            raise UsageError("top= and rules= are two questions; ask one at a time", parameter="top", value=self.top)


@dataclass(frozen=True, kw_only=True)
class StreamReplay(Request):
    """Play a recorded stream: its records as JSON lines on stdout, or into Redis or Kafka, no faster than asked for.

    Pipe it into confide stream release - to see a run live.
    """

    records: Path = source(help="A recorded stream: .dat or .jsonl.")
    rate: float | None = setting(None, help="Records a second.")
    speed: float | None = setting(None, help="By the records' time stamps, so many times as fast (1: as it was).")
    to: Any = setting(None, metavar="URL", help="redis://host:port/0?stream=NAME or kafka://host:port/TOPIC [stdout].")
    limit: int | None = setting(None, ge=1, help=_LIMIT)


@dataclass(frozen=True, kw_only=True)
class PlanPage(Delivery):
    """The plan goes to standard output, a page about it to a file."""

    report: Path | None = setting(None, metavar="FILE", help="Write a page with the trade-off here.")
    request: Path | None = setting(
        None, metavar="FILE", help="Write the planned release here (.toml), for confide run."
    )
    replace: bool = setting(False, help=_REPLACE)

    @property
    def targets(self) -> tuple[Path | None, ...]:
        return (self.report, self.request)


@dataclass(frozen=True, kw_only=True)
class RunFiles(Delivery):
    """A run goes to a file while it goes on, and gets its passport and page at the end.

    Whether the file may be there already depends on the state, so the run itself checks that.
    """

    output: Path | None = setting(
        None, short="-o", metavar="FILE", help="Write releases here (.jsonl), and FILE.passport.json at the end."
    )
    report: Path | None = setting(None, metavar="FILE", help="Write a page about the run here.")
    sign: Path | None = setting(None, metavar="FILE", help="Sign the passport with this private key (PEM).")
    replace: bool = setting(False, help=_REPLACE)

    @property
    def targets(self) -> tuple[Path | None, ...]:
        return (self.report,)


GROUPS = {
    "stream": "Publish which itemsets are frequent in a live stream; no rare pattern can be inferred from its releases."
}

JOBS = (
    Job(
        name="stream plan",
        request=StreamPlan,
        at="confide.stream.jobs.readings:plan",
        delivery=PlanPage,
        examples=(
            "confide stream plan --min-support 25 --vulnerable 5 --error 15%",
            "confide stream plan --min-support 25 --delta 0.2 --sample clicks.jsonl --window 1000 --request plan.toml",
        ),
    ),
    Job(
        name="stream release",
        request=StreamRelease,
        at="confide.stream.jobs.live_release:release",
        delivery=RunFiles,
        live=True,
        examples=(
            "confide stream release clicks.jsonl -o frequent.jsonl --noise-key shop.key --min-support 25 --window 1000",
            "confide stream release clicks.jsonl -o a.jsonl --noise-key a.key --state s --min-support 25 --window 500",
            "confide stream release clicks.jsonl --noise-key my.key --min-support 25 --seconds 600 --every-seconds 60",
        ),
    ),
    Job(
        name="stream look",
        request=StreamLook,
        at="confide.stream.jobs.readings:look",
        delivery=RowsOnly,
        examples=(
            "confide stream look frequent.jsonl --top 5 --table",
            "confide stream look frequent.jsonl --release 1 --rules 50% --table",
        ),
    ),
    Job(
        name="stream replay",
        request=StreamReplay,
        at="confide.stream.jobs.readings:replay",
        delivery=DocumentOnly,
        live=True,
        remote=True,
        examples=(
            "confide stream replay clicks.jsonl --rate 1000 --limit 20",
            "confide stream replay clicks.jsonl --speed 1000000 --limit 20",
        ),
    ),
)
