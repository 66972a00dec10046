"""Build, show, expose and edit a profile."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from confide.core.errors import UsageError
from confide.core.jobs.outcome import QUIET, Host, Outcome, Row, Writer
from confide.search.evidence.language_rates import has_rates
from confide.search.jobs.passphrases import new_passphrase, open_profile
from confide.search.jobs.requests import (
    SearchProfileBuild,
    SearchProfileEdit,
    SearchProfileExpose,
    SearchProfileShow,
)
from confide.search.profile.documents import Collection
from confide.search.profile.profile import Profile
from confide.search.profile.rows import interest_rows
from confide.search.sources.together import Sources
from confide.search.wrapper.local_index import LocalIndex

__all__ = ["build_profile", "edit_profile", "expose_profile", "show_profile"]

_HEAVIEST = 10
_NO_LIST = "there is no list of words for {}: nothing says which of its terms stand out"


def build_profile(request: SearchProfileBuild, host: Host = QUIET) -> Outcome:
    """Build a profile from a person's own files; the answer is the profile."""
    passphrase = new_passphrase(request.passphrase_file, host) if request.encrypt else None
    sources = Sources(
        documents=request.documents, mail=request.mail, history=request.history, bookmarks=request.bookmarks
    )
    profile = Profile.build(
        sources.read(skipped=host.say),
        minsup=request.minsup,
        delta=request.delta,
        min_share=request.min_share,
        max_depth=request.max_depth,
        languages=request.languages,
        vocabulary=request.vocabulary,
        names=request.names,
        index=None if request.index is None else LocalIndex.open(request.index),
    )
    kept = profile.without_documents() if request.without_documents else profile
    heaviest = profile.root.children[:_HEAVIEST]
    unknown = [name for name in request.languages if not has_rates(name)]
    informative = request.vocabulary == "informative"
    return Outcome(
        answer=kept,
        save=_writer(kept, passphrase, advice="; next: confide search profile show {}"),
        document={
            "documents": profile.n_documents,
            "interests": len(profile),
            "heaviest": [{"interest": child.label, "support": round(child.support, 3)} for child in heaviest],
        },
        notes=tuple(_NO_LIST.format(name) for name in unknown if informative),
    )


def _writer(profile: Profile, passphrase: str | None, *, advice: str = "") -> Writer:
    """Writes the profile, encrypted if there is a passphrase."""

    def write(path: Path, replace: bool) -> str:
        profile.save(path, passphrase=passphrase, replace=replace)
        return f"{_size(profile)}; written to {path}{advice.format(path)}"

    return write


def _size(profile: Profile) -> str:
    return f"{profile.n_documents:,} documents, {len(profile):,} interests"


def show_profile(request: SearchProfileShow, host: Host = QUIET) -> Outcome:
    """The owner's view of a profile: its interests, its documents, or all of it as one value."""
    profile, _ = open_profile(request.profile, request.passphrase_file, host)
    if request.export:
        return Outcome(answer=profile, document=profile.export())
    if request.documents:
        kept = profile.collection
        if kept is None or not kept.names:
            raise UsageError("this profile keeps no names of documents")
        return Outcome(answer=profile, rows=partial(_document_rows, kept))
    shown = request.min_detail
    exposed = None if shown is None else profile.expose(min_detail=shown, verify=False)
    notes = () if exposed is None else (f"at min_detail {shown:g}: {exposed.headline()}",)
    return Outcome(
        answer=profile,
        rows=lambda: interest_rows(profile, depth=request.depth, exposed=exposed),
        notes=(_size(profile), *notes),
    )


def _document_rows(collection: Collection) -> Iterator[Row]:
    for name, source in zip(collection.names, collection.sources, strict=True):
        yield {"name": name, "source": source}


def expose_profile(request: SearchProfileExpose, host: Host = QUIET) -> Outcome:
    """What a search service would get, checked against the profile; `answer` is the exposed part."""
    profile, _ = open_profile(request.profile, request.passphrase_file, host)
    asked = {"min_detail": request.min_detail, "hide": request.hide, "query": request.query}
    exposed = profile.expose(**asked, verify=False)  # type: ignore[arg-type]
    release = profile.release(**asked)  # type: ignore[arg-type]
    return Outcome(
        release=release,
        answer=exposed,
        notes=(release.requirement.promise(), release.passport.headline, *exposed.notes),
        document=exposed.to_dict(),
    )


def edit_profile(request: SearchProfileEdit, host: Host = QUIET) -> Outcome:
    """Change a profile; the answer is the changed one, and encrypted if the old one was."""
    # With `encrypt` the file holds the new passphrase; one that opens the profile is asked for.
    opens = None if request.encrypt else request.passphrase_file
    profile, passphrase = open_profile(request.profile, opens, host)
    changed = profile.changed(
        forget=request.forget, delete=request.delete, rename=request.rename, show=request.show, hide=request.hide,
        drop=request.drop,
    )  # fmt: skip
    if request.forget_searches or request.searches is not None:
        on = None if request.searches is None else request.searches == "on"
        changed = changed.forget_searches(keep=on) if request.forget_searches or not on else changed.keep_searches()
    if request.encrypt:
        passphrase = new_passphrase(request.passphrase_file, host)
    return Outcome(answer=changed, save=_writer(changed, passphrase))
