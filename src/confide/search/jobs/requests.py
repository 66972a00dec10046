"""What a person can ask of `search`; `search profile verify` needs the auditor, so it is in `cli/jobs/search.py`."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from confide.core.errors import UsageError
from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import Delivery, FileOnly, ReleaseFiles, RowsOnly
from confide.core.jobs.fields import setting, source
from confide.core.jobs.kinds import Share, Support
from confide.core.jobs.request import Request

__all__ = [
    "GROUPS",
    "JOBS",
    "Passphrase",
    "SearchIndex",
    "SearchProfileBuild",
    "SearchProfileEdit",
    "SearchProfileExpose",
    "SearchProfileShow",
]

Vocabulary = Literal["informative", "all"]

_PROFILE = "Your profile (see confide search profile build)."
_MIN_DETAIL = "Smallest share of an exposed interest; larger exposes less."
_HIDE = "Keep this branch here too. Once for each."
_REPLACE = "Overwrite files that exist."


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
    index: Path | None = setting(
        None, metavar="FILE", help="An index (confide search index): its texts, too, say what is ordinary."
    )
    names: bool = setting(False, help="Let names in From, To and Cc of mail count as words.")
    encrypt: bool = setting(False, help="Encrypt the file with a passphrase.")
    without_documents: bool = setting(False, help="Keep the tree only; then no document can be forgotten later.")

    def check(self) -> None:
        super().check()
        if self.passphrase_file is not None and not self.encrypt:
            raise UsageError(
                "passphrase_file= goes with encrypt=", parameter="passphrase_file", value=self.passphrase_file
            )


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
            raise UsageError("documents= and export= exclude each other", parameter="documents", value=self.documents)


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

    Changes are made in this order: forget, delete, rename, show, hide, drop. An encrypted profile stays encrypted.
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
    drop: tuple[str, ...] = setting(
        (), repeat=True, metavar="WORD", help="Take a word out for good: it orders nothing, and never leaves."
    )
    forget_searches: bool = setting(False, help="Forget the words that earlier searches brought.")
    searches: Literal["on", "off"] | None = setting(
        None, help="Whether an encrypted profile counts the words that searches bring; off forgets them, too [on]."
    )
    encrypt: bool = setting(False, help="Encrypt the file with a new passphrase.")

    def check(self) -> None:
        super().check()
        changes = (self.hide, self.show, self.rename, self.delete, self.forget, self.drop)
        if not (any(changes) or self.encrypt or self.forget_searches or self.searches):
            raise UsageError(
                "say what to change: hide=, show=, rename=, delete=, forget=, drop=, forget_searches=, searches= "
                "or encrypt="
            )

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
)
