"""What a person can ask of `search`; `search profile verify` needs the auditor, so it is in `cli/jobs/search.py`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from confide.core.errors import UsageError
from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import Delivery, DocumentOnly, FileOnly, ReleaseFiles, RowsOnly
from confide.core.jobs.fields import setting, source
from confide.core.jobs.kinds import Share, Support, Whole
from confide.core.jobs.request import Request

__all__ = [
    "GROUPS",
    "JOBS",
    "Passphrase",
    "SearchEvaluate",
    "SearchIndex",
    "SearchProfileBuild",
    "SearchProfileEdit",
    "SearchProfileExpose",
    "SearchProfileShow",
    "SearchQuery",
    "SearchServe",
    "SearchWrapper",
]

Scoring = Literal["normalised", "raw"]
Order = Literal["evidence", "pprank"]
Vocabulary = Literal["informative", "all"]

_PROFILE = "Your profile (see confide search profile build)."
_ENGINE = "A SearXNG server (https://...), a mapping file (.toml), or an index made by confide search index."
_MIN_DETAIL = "Smallest share of an exposed interest; larger exposes less."
_HIDE = "Keep this branch here too. Once for each."
_SCORING = "raw, the thesis's own, favours long pages."
_TOP = "Results that are ordered."
_ALPHA = "0: the engine decides; 1: your profile does [by the length of the query]."
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
class Passphrase(Request):
    """A job that opens a profile, which may be encrypted. The passphrase is read from a file, or asked for."""

    passphrase_file: Path | None = setting(
        None, metavar="FILE", help="File whose first line is the passphrase, instead of asking for it."
    )


@dataclass(frozen=True, kw_only=True)
class _OwnFiles(Request):
    """A person's own files; each source is on only if it is named."""

    documents: tuple[Path, ...] = setting(
        (), repeat=True, metavar="PATH", help="A folder of text, Markdown, HTML and PDF files."
    )
    mail: tuple[Path, ...] = setting(
        (), repeat=True, metavar="PATH", help="An mbox, a Maildir, an .eml file, or a folder of these."
    )
    history: tuple[Path, ...] = setting(
        (), repeat=True, metavar="PATH", help="A browser's profile folder, or the database in it."
    )
    bookmarks: tuple[Path, ...] = setting(
        (), repeat=True, metavar="PATH", help="A browser's profile folder, its bookmarks file, or an exported .html."
    )

    def check(self) -> None:
        super().check()
        if not (self.documents or self.mail or self.history or self.bookmarks):
            raise UsageError("name what to read: documents=, mail=, history= or bookmarks=")


@dataclass(frozen=True, kw_only=True)
class SearchProfileBuild(_OwnFiles, Passphrase):
    """Build a profile from your own files. Nothing leaves this machine, and your files are only read.

    Name each source you want in it. A file that cannot be read is passed over with a line.
    """

    minsup: Support = setting(5, help="Documents a term must be in, or a share.")
    delta: float = setting(0.6, help="Overlap that makes two terms related.")
    min_share: Share = setting(0.001, help="Divide an interest down to this share.")
    max_depth: int = setting(8, help="Levels of the tree.")
    languages: tuple[str, ...] = setting(("english",), option="language", repeat=True, help="Once for each.")
    vocabulary: Vocabulary = setting(
        "informative", help="Terms that stand out against ordinary language; all: every term, as in the thesis."
    )
    names: bool = setting(False, help="Let names in From, To and Cc of mail count as words.")
    encrypt: bool = setting(False, help="Encrypt the file with a passphrase.")
    without_documents: bool = setting(False, help="Keep the tree only; then no document can be forgotten later.")

    def check(self) -> None:
        super().check()
        if self.passphrase_file is not None and not self.encrypt:
            raise UsageError("passphrase_file= goes with encrypt=")


@dataclass(frozen=True, kw_only=True)
class SearchProfileShow(Passphrase):
    """Show your profile: interests with their weight and how surprising they are. For your eyes only."""

    profile: Path = source(help=_PROFILE, metavar="PROFILE")
    min_detail: Share | None = setting(None, help="Mark what would be exposed at this share.")
    depth: int = setting(2, ge=1, help="Levels to show.")
    documents: bool = setting(False, help="List the documents instead, by name and source.")
    export: bool = setting(False, help="Print the whole tree as one JSON value instead.")

    def check(self) -> None:
        super().check()
        if self.documents and self.export:
            raise UsageError("documents= and export= exclude each other")


@dataclass(frozen=True, kw_only=True)
class SearchProfileExpose(Passphrase):
    """Show what would leave the machine: interests of at least --min-detail, as words with a weight, and expRatio.

    With -o the pairs are written to a file, with a passport that you, who have the profile, can verify.
    """

    profile: Path = source(help=_PROFILE, metavar="PROFILE")
    min_detail: Share = setting(help=_MIN_DETAIL)
    hide: tuple[str, ...] = setting((), repeat=True, metavar="BRANCH", help=_HIDE)
    query: str | None = setting(None, metavar="WORDS", help="Expose only what has to do with this query.")


@dataclass(frozen=True, kw_only=True)
class SearchProfileEdit(Passphrase):
    """Change a profile. A branch is a word ('soccer') or a path ('sports > soccer').

    Changes are made in this order: forget, delete, rename, show, hide. An encrypted profile stays encrypted.
    """

    profile: Path = source(help=_PROFILE, metavar="PROFILE")
    hide: tuple[str, ...] = setting((), repeat=True, metavar="BRANCH", help="Never let this branch leave the machine.")
    show: tuple[str, ...] = setting((), repeat=True, metavar="BRANCH", help="Take back --hide.")
    rename: tuple[tuple[str, str], ...] = setting(
        (), repeat=True, metavar="BRANCH NAME", help="Call a branch otherwise, for you only."
    )
    delete: tuple[str, ...] = setting((), repeat=True, metavar="BRANCH", help="Take a branch out of the profile.")
    forget: tuple[str, ...] = setting(
        (), repeat=True, metavar="NAME", help="Build again without the document of this name."
    )
    encrypt: bool = setting(False, help="Encrypt the file with a new passphrase.")

    def check(self) -> None:
        super().check()
        if not (self.hide or self.show or self.rename or self.delete or self.forget or self.encrypt):
            raise UsageError("say what to change: hide=, show=, rename=, delete=, forget= or encrypt=")

    @property
    def default_output(self) -> Path:
        return self.profile

    def inputs(self) -> list[Path]:
        """Without the profile itself, which may be replaced."""
        return [] if self.passphrase_file is None else [self.passphrase_file]


@dataclass(frozen=True, kw_only=True)
class SearchIndex(_OwnFiles):
    """Index files of your own, so that they can be searched with --engine FILE. The index holds their texts."""


@dataclass(frozen=True, kw_only=True)
class _Ordering(Request):
    """Who is asked, and how results are ordered: by an engine here, or by a service elsewhere."""

    engine: Any = setting(None, metavar="ADDRESS|FILE", help=_ENGINE)
    wrapper: Any = setting(None, metavar="ADDRESS", help="Instead of --engine: a wrapper that runs as a service.")
    scoring: Scoring = setting("normalised", help=_SCORING)
    top: int = setting(50, ge=1, le=_LARGEST_TOP, help=_TOP)
    seconds: float = setting(10.0, help=_WAIT)

    def check(self) -> None:
        super().check()
        if (self.engine is None) == (self.wrapper is None):
            raise UsageError("give engine=, or wrapper= for a service that orders for you")


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
    ranking: Order | None = setting(
        None, help="pprank: the thesis's, by what is exposed [evidence, by the whole profile, with --engine]."
    )
    strength: float | None = setting(None, help="0: the engine decides; 1: your words do [by the length of the query].")
    alpha: float | None = setting(None, help=f"With pprank. {_ALPHA}")
    pages: bool = setting(
        False, help="With pprank: score the pages themselves: names the hosts, and asks before fetching."
    )
    yes: bool = setting(False, help="With --pages: do not ask.")

    def check(self) -> None:
        super().check()
        if self.profile is None and (self.hide or self.related or self.min_detail is not None):
            raise UsageError("hide=, related= and min_detail= go with profile=")
        if self.by_evidence and (self.alpha is not None or self.pages):
            raise UsageError("alpha= and pages= go with ranking='pprank'")
        if not self.by_evidence and self.strength is not None:
            raise UsageError(f"strength={self.strength} goes with ranking='evidence', on this machine (engine=)")
        if self.profile is not None and self.min_detail is None and not self.by_evidence:
            raise UsageError("say how much of the profile is exposed: min_detail=0.02, for example")
        if self.wrapper is not None and self.pages:
            raise UsageError("pages= goes with engine=; a service decides for itself what it fetches")
        if self.wrapper is not None and self.ranking == "evidence":
            raise UsageError("ranking='evidence' goes with engine=; a service orders as it was started to")

    @property
    def by_evidence(self) -> bool:
        """Whether results are ordered here by the whole profile, which nothing of the thesis's order asks for."""
        if self.ranking is not None or self.wrapper is not None:
            return self.ranking == "evidence" and self.wrapper is None
        return self.alpha is None and not self.pages and not self.related


@dataclass(frozen=True, kw_only=True)
class SearchServe(_Ordering, Passphrase):
    """Serve a page for searching, until Ctrl-C: results in both orders, sliders, and what leaves the machine.

    Open the address that is printed: it holds a key, so that nobody else on this machine can use the page. It works
    offline, and loads nothing from elsewhere. A browser can take it as a search engine of its address bar; give a
    --key-file then, so that its address stays the same.
    """

    profile: Path = source(help=_PROFILE, metavar="PROFILE")
    min_detail: Share = setting(0.02, help="Where the slider begins.")
    judgments: Path | None = setting(
        None, metavar="FILE", help="Keep what you judge in this file (JSON lines), for you only."
    )
    save: bool = setting(False, help="Let the page hide branches in PROFILE itself.")
    host: str = setting("127.0.0.1", help="Address to listen on.")
    allow_host: tuple[str, ...] = setting(
        (), repeat=True, metavar="NAME", help="Name by which another machine may ask, with --host."
    )
    port: int = setting(8002, ge=0, le=65535, help="0 takes a free one.")
    key_file: Path | None = setting(
        None, metavar="FILE", help="Keep the key of the page here (made if absent) [a new key in each run]."
    )


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
    alpha: tuple[Share, ...] | None = setting(None, help="One or several [0 to 1 by 0.1].")
    min_detail: tuple[Share, ...] = setting((0.0,), help="One or several.")
    terms: tuple[Terms, ...] | None = setting(None, help="Cut queries to so many terms [whole].")
    scoring: tuple[Scoring, ...] = setting(("normalised",), repeat=True, help=_SCORING)
    cuts: int = setting(1, ge=1, le=100, help="How often each cut is drawn.")
    seed: int = setting(0, ge=0, help="Other cuts.")
    top: int = setting(50, ge=1, le=_LARGEST_TOP, help=_TOP)


@dataclass(frozen=True, kw_only=True)
class SearchWrapper(Request):
    """Serve a wrapper until Ctrl-C: people send a query and exposed pairs, and get results in their order.

    Nothing is stored or logged, and each request is answered from its own pairs alone.
    """

    engine: Any = setting(metavar="ADDRESS|FILE", help=_ENGINE)
    alpha: float | None = setting(None, help=_ALPHA)
    scoring: Scoring = setting("normalised", help=_SCORING)
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
            raise UsageError("certificate= and key= go together")


@dataclass(frozen=True, kw_only=True)
class OwnFile(FileOnly):
    """A file that only its owner can read."""

    output: Path = setting(short="-o", metavar="FILE", help="Where it goes; only you can read the file.")


@dataclass(frozen=True, kw_only=True)
class ChangedFile(Delivery):
    """The changed file goes to another, or takes the place of the one that was read."""

    output: Path | None = setting(
        None, short="-o", metavar="FILE", help="Where the changed profile goes [PROFILE itself, with --replace]."
    )
    replace: bool = setting(False, help=_REPLACE)

    @property
    def targets(self) -> tuple[Path | None, ...]:
        return (self.output,)


@dataclass(frozen=True, kw_only=True)
class ExposedFiles(ReleaseFiles):
    """What is exposed is shown, and written if a file is named."""

    OUTPUT_NEEDED: ClassVar[bool] = False


@dataclass(frozen=True, kw_only=True)
class TrialFiles(RowsOnly):
    """Trials go to standard output, a page about them to a file."""

    report: Path | None = setting(None, metavar="FILE", help="Write a page with charts here; it is yours alone.")
    replace: bool = setting(False, help=_REPLACE)

    @property
    def targets(self) -> tuple[Path | None, ...]:
        return (self.report,)


GROUPS = {
    "search": "Search with results in your own order, and a say in how much of you leaves the machine.",
    "search profile": "Your profile of interests: build, show, expose and edit it. It stays on this machine.",
}

_RUN = "confide.search.jobs"

JOBS = (
    Job(
        name="search profile build",
        request=SearchProfileBuild,
        at=f"{_RUN}.profiles:build_profile",
        delivery=OwnFile,
        live=True,
        examples=("confide search profile build --documents notes -o me.profile",),
    ),
    Job(
        name="search profile show",
        request=SearchProfileShow,
        at=f"{_RUN}.profiles:show_profile",
        delivery=RowsOnly,
        live=True,
        examples=("confide search profile show my.profile --min-detail 2% --table",),
    ),
    Job(
        name="search profile expose",
        request=SearchProfileExpose,
        at=f"{_RUN}.profiles:expose_profile",
        delivery=ExposedFiles,
        live=True,
        examples=("confide search profile expose my.profile --min-detail 2% --hide illness",),
    ),
    Job(
        name="search profile edit",
        request=SearchProfileEdit,
        at=f"{_RUN}.profiles:edit_profile",
        delivery=ChangedFile,
        live=True,
        examples=("confide search profile edit my.profile --hide illness --rename sport training --replace",),
    ),
    Job(
        name="search index",
        request=SearchIndex,
        at=f"{_RUN}.engines:index_files",
        delivery=OwnFile,
        examples=("confide search index --documents notes -o mine.sqlite",),
    ),
    Job(
        name="search query",
        request=SearchQuery,
        at=f"{_RUN}.engines:query",
        delivery=RowsOnly,
        live=True,
        examples=("confide search query evening --engine notes.sqlite --profile my.profile --table",),
    ),
    Job(
        name="search serve",
        request=SearchServe,
        at=f"{_RUN}.engines:serve",
        delivery=DocumentOnly,
        live=True,
        examples=("confide search serve my.profile --engine notes.sqlite --port 0",),
    ),
    Job(
        name="search evaluate",
        request=SearchEvaluate,
        at=f"{_RUN}.engines:evaluate_profiles",
        delivery=TrialFiles,
        live=True,
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
        examples=("confide search wrapper --engine notes.sqlite --port 0",),
    ),
)
