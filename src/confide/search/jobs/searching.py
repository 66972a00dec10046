"""What a person can ask of an engine through a profile: query, order, serve, evaluate; and a wrapper for others."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from confide.core.errors import UsageError
from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import DocumentOnly, RowsOnly
from confide.core.jobs.fields import setting, source
from confide.core.jobs.kinds import Share, Whole
from confide.core.jobs.request import Request
from confide.search.jobs.requests import Passphrase

OrderBy = Literal["evidence", "pprank"]
Scoring = Literal["normalised", "raw"]

__all__ = ["GROUPS", "JOBS", "SearchEvaluate", "SearchOrder", "SearchQuery", "SearchServe", "SearchWrapper"]

_PROFILE = "Your profile (see confide search profile build)."
_ENGINE = "A SearXNG server (https://...), a mapping file (.toml), or an index made by confide search index."
_HIDE = "Keep this branch here too. Once for each."
_STRENGTH = "0: the engine decides; 1: your words do [by the length of the query]."
_ALPHA = "0: the engine decides; 1: your profile does [by the length of the query]."
_SCORING = "raw, the thesis's own, favours long pages."
_TOP = "Results that are ordered."
_WAIT = "Longest wait for the engine."
_REPLACE = "Overwrite files that exist."
_LARGEST_TOP = 1000


class _Terms(Whole):
    """A number of terms, or `whole`, which is kept as 0."""

    name = "number of terms"
    metavar = "N|whole"

    def parse(self, text: str) -> int:
        return self.check("whole" if text == "whole" else int(text) if text.isdigit() else -1)

    def check(self, value: Any) -> int:
        if value != "whole" and (type(value) is not int or not 0 <= value <= 100):
            raise ValueError("is not a number of terms; give for example 1,2,3,whole")
        return 0 if value == "whole" else value

    def plain(self, value: int) -> int | str:
        return value or "whole"


Terms = Annotated[int, _Terms()]


@dataclass(frozen=True, kw_only=True)
class _Ranked(Request):
    """By what results are ordered."""

    ranking: OrderBy | None = setting(
        None, help="evidence, or pprank: the thesis's, by what is exposed [evidence, unless alpha or raw is asked for]."
    )
    strength: float | None = setting(None, help=_STRENGTH)
    alpha: float | None = setting(None, help=f"With pprank. {_ALPHA}")
    scoring: Scoring = setting("normalised", help=f"With pprank. {_SCORING}")

    def check(self) -> None:
        super().check()
        if self.by_evidence and self.wants_pprank:
            raise UsageError(
                "alpha=, scoring='raw' and pages= go with ranking='pprank'", parameter="alpha", value=self.alpha
            )
        if not self.by_evidence and self.strength is not None:
            raise UsageError(
                f"strength={self.strength} goes with ranking='evidence'", parameter="strength", value=self.strength
            )

    @property
    def wants_pprank(self) -> bool:
        """Whether something is asked for that only PPRank has."""
        return self.alpha is not None or self.scoring != "normalised"

    @property
    def by_evidence(self) -> bool:
        """Whether results are ordered by evidence."""
        return self.ranking == "evidence" or (self.ranking is None and not self.wants_pprank)


@dataclass(frozen=True, kw_only=True)
class _Ordering(_Ranked):
    """Who is asked, and how results are ordered: by an engine here, or by a service elsewhere."""

    engine: Any = setting(None, metavar="ADDRESS|FILE", help=_ENGINE)
    wrapper: Any = setting(None, metavar="ADDRESS", help="Instead of --engine: a wrapper that runs as a service.")
    top: int = setting(50, ge=1, le=_LARGEST_TOP, help=_TOP)
    seconds: float = setting(10.0, help=_WAIT)

    def check(self) -> None:
        super().check()
        if (self.engine is None) == (self.wrapper is None):
            raise UsageError("give engine=, or wrapper= for a service that orders for you")
        if self.wrapper is not None and self.ranking == "pprank" and self.alpha is None:
            raise UsageError(
                "a service orders as it was started to; alpha=0.4, for example, asks it for pprank",
                parameter="alpha",
                value=self.alpha,
            )
        if self.wrapper is not None and self.scoring != "normalised":
            raise UsageError(
                "scoring= goes with engine=; a service scores as it was started to",
                parameter="scoring",
                value=self.scoring,
            )


@dataclass(frozen=True, kw_only=True)
class SearchQuery(_Ordering, Passphrase):
    """Search for WORDS. With --engine the whole profile orders, here: only the query leaves the machine.

    With --wrapper the query and the exposed pairs go to that service, and nothing else; --min-detail says how much of
    the profile that is.
    """

    words: tuple[str, ...] = source(help="What to search for.", metavar="WORDS")
    profile: Path | None = setting(None, metavar="FILE", help="Your profile; without it the engine's order stays.")
    min_detail: Share | None = setting(None, help="Smallest share of an interest that --wrapper is sent.")
    hide: tuple[str, ...] = setting((), repeat=True, metavar="BRANCH", help=_HIDE)
    related: bool = setting(False, help="Expose only what has to do with this query.")
    pages: bool = setting(
        False, help="With pprank: score the pages themselves: names the hosts, and asks before fetching."
    )
    yes: bool = setting(False, help="With --pages: do not ask.")

    def check(self) -> None:
        super().check()
        if self.profile is None and (self.hide or self.related or self.min_detail is not None):
            raise UsageError("hide=, related= and min_detail= go with profile=", parameter="hide")
        if self.profile is not None and self.min_detail is None and not self.here:
            raise UsageError(
                "say how much of the profile is exposed: min_detail=0.02, for example",
                parameter="min_detail",
                value=self.min_detail,
            )
        if self.wrapper is not None and self.pages:
            raise UsageError(
                "pages= goes with engine=; a service decides for itself what it fetches",
                parameter="pages",
                value=self.pages,
            )

    @property
    def wants_pprank(self) -> bool:
        """Whether something is asked for that only PPRank has."""
        return super().wants_pprank or self.pages or (self.related and self.wrapper is None)

    @property
    def here(self) -> bool:
        """Whether the whole profile orders on this machine."""
        return self.by_evidence and self.wrapper is None


@dataclass(frozen=True, kw_only=True)
class SearchOrder(_Ranked, Passphrase):
    """Order results that another program found, by the whole profile: JSON in, JSON out, and nothing leaves.

    RESULTS holds {"query": "...", "results": [{"title": "...", "snippet": "..."}, ...]}. The answer says in "order" the
    places, from 0, that the results had, and in "reasons" the words that moved each.
    """

    results: Path = source(help="A file of JSON; - for standard input.", metavar="RESULTS")
    profile: Path = setting(metavar="FILE", help=_PROFILE)
    min_detail: Share | None = setting(None, help="With pprank: smallest share of an interest that counts.")

    def check(self) -> None:
        super().check()
        if not self.by_evidence and self.min_detail is None:
            raise UsageError(
                "pprank orders by what is exposed: min_detail=0.02, for example",
                parameter="min_detail",
                value=self.min_detail,
            )


@dataclass(frozen=True, kw_only=True)
class SearchServe(_Ordering, Passphrase):
    """Serve a page for searching, until Ctrl-C: what leaves, results in both orders, and why a result moved.

    Open the address that is printed: it holds a key, so that nobody else on this machine can use the page. It works
    offline, and loads nothing from elsewhere. A browser can take it as a search engine of its address bar; give a
    --key-file then, so that its address stays the same. With the key in the header X-Confide-Key, other programs on
    this machine have their results ordered by POST /api/order.
    """

    profile: Path = source(help=_PROFILE, metavar="PROFILE")
    min_detail: Share = setting(0.02, help="Where the slider begins: what a service is sent, or would be.")
    judgments: Path | None = setting(
        None, metavar="FILE", help="Keep what you judge in this file (JSON lines), for you only."
    )
    save: bool = setting(False, help="Let the page hide branches and take out words in PROFILE itself.")
    host: str = setting("127.0.0.1", help="Address to listen on.")
    allow_host: tuple[str, ...] = setting(
        (), repeat=True, metavar="NAME", help="Name by which another machine may ask, with --host."
    )
    allow_extension: tuple[str, ...] = setting(
        (), repeat=True, metavar="ORIGIN", help="Origin of a browser's extension beside our own for Chromium."
    )
    port: int = setting(8002, ge=0, le=65535, help="0 takes a free one.")
    key_file: Path | None = setting(
        None, metavar="FILE", help="Keep the key of the page here (made if absent) [a new key in each run]."
    )

    def check(self) -> None:
        super().check()
        for origin in self.allow_extension:
            if not re.fullmatch(r"(chrome|moz)-extension://[0-9a-z-]+", origin):
                raise UsageError(f"{origin[:80]!r} is no extension; write it like 'moz-extension://UUID'")


@dataclass(frozen=True, kw_only=True)
class SearchEvaluate(Passphrase):
    """Order judged results by each profile, alpha and minDetail, and say how near the top the relevant ones come.

    JUDGMENTS is what the page of confide search serve keeps with --judgments. The engine gets the queries again, and
    nothing of any profile. Give somebody else's profile too, as a control: a gain that it shares is not yours.
    """

    judgments: Path = source(help="Judged queries, as confide search serve keeps them.", metavar="JUDGMENTS")
    profiles: tuple[Path, ...] = setting(
        option="profile",
        repeat=True,
        metavar="FILE",
        help="A profile; once for each, such as one from mail and one from documents.",
    )
    engine: Any = setting(metavar="ADDRESS|FILE", help="Asked again, once for each query.")
    ranking: OrderBy | None = setting(None, help="pprank: the thesis's [evidence, unless alpha or scoring is given].")
    strength: tuple[Share, ...] | None = setting(None, help="One or several [0 to 0.5 by 0.1].")
    alpha: tuple[Share, ...] | None = setting(None, help="With pprank: one or several [0 to 1 by 0.1].")
    min_detail: tuple[Share, ...] = setting(
        (), help="What a service would be sent, one or several, beside the whole profile here [0 with pprank]."
    )
    terms: tuple[Terms, ...] | None = setting(None, help="Cut queries to so many terms [whole].")
    scoring: tuple[Scoring, ...] = setting((), repeat=True, help=f"With pprank. {_SCORING} [normalised]")
    cuts: int = setting(1, ge=1, le=100, help="How often each cut is drawn.")
    seed: int = setting(0, ge=0, help="Other cuts.")
    top: int = setting(50, ge=1, le=_LARGEST_TOP, help=_TOP)

    def check(self) -> None:
        super().check()
        if self.ranking == "evidence" and (self.alpha or self.scoring):
            raise UsageError("alpha= and scoring= go with ranking='pprank'", parameter="alpha", value=self.alpha)
        if not self.by_evidence and self.strength is not None:
            raise UsageError("strength= goes with ranking='evidence'", parameter="strength", value=self.strength)

    @property
    def by_evidence(self) -> bool:
        """Whether results are ordered by evidence."""
        return self.ranking == "evidence" or (self.ranking is None and not (self.alpha or self.scoring))


@dataclass(frozen=True, kw_only=True)
class SearchWrapper(_Ranked):
    """Serve a wrapper until Ctrl-C: people send a query and exposed pairs, and get results in their order.

    Nothing is stored or logged, and each request is answered from its own pairs alone.
    """

    engine: Any = setting(metavar="ADDRESS|FILE", help=_ENGINE)
    top: int = setting(50, ge=1, le=_LARGEST_TOP, help=_TOP)
    seconds: float = setting(10.0, help=_WAIT)
    languages: tuple[str, ...] = setting(("english",), option="language", repeat=True, help="Once for each.")
    host: str = setting("127.0.0.1", help="Address to listen on.")
    port: int = setting(8001, ge=0, le=65535, help="0 takes a free one.")
    certificate: Path | None = setting(
        None, metavar="FILE", help="TLS certificate chain (PEM); without it, put a TLS proxy before."
    )
    key: Path | None = setting(None, metavar="FILE", help="Private key of the certificate (PEM).")

    def check(self) -> None:
        super().check()
        if (self.certificate is None) != (self.key is None):
            raise UsageError("certificate= and key= go together", parameter="certificate", value=self.certificate)


@dataclass(frozen=True, kw_only=True)
class EvaluationFiles(RowsOnly):
    """Trials go to standard output, a page about them to a file."""

    report: Path | None = setting(None, metavar="FILE", help="Write a page with charts here; it is yours alone.")
    replace: bool = setting(False, help=_REPLACE)

    @property
    def targets(self) -> tuple[Path | None, ...]:
        return (self.report,)


GROUPS: dict[str, str] = {}

_RUN = "confide.search.jobs"

JOBS = (
    Job(
        name="search query",
        request=SearchQuery,
        at=f"{_RUN}.querying:query",
        delivery=RowsOnly,
        live=True,
        remote=True,
        examples=("confide search query evening --engine notes.sqlite --profile my.profile --table",),
    ),
    Job(
        name="search order",
        request=SearchOrder,
        at=f"{_RUN}.querying:order_found",
        delivery=DocumentOnly,
        live=True,
        examples=("confide search order found.json --profile my.profile",),
    ),
    Job(
        name="search serve",
        request=SearchServe,
        at=f"{_RUN}.engines:serve",
        delivery=DocumentOnly,
        live=True,
        remote=True,
        examples=("confide search serve my.profile --engine notes.sqlite --port 0",),
    ),
    Job(
        name="search evaluate",
        request=SearchEvaluate,
        at=f"{_RUN}.engines:evaluate_profiles",
        delivery=EvaluationFiles,
        live=True,
        remote=True,
        examples=(
            "confide search evaluate judged.jsonl --engine notes.sqlite --profile my.profile --min-detail 0,2% --table",
        ),
    ),
    Job(
        name="search wrapper",
        request=SearchWrapper,
        at=f"{_RUN}.engines:serve_results",
        delivery=DocumentOnly,
        live=True,
        remote=True,
        examples=("confide search wrapper --engine notes.sqlite --port 0",),
    ),
)
