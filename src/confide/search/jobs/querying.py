"""Order results of a query: of an engine here, by a service, or of another program; and remember what came back."""

import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from confide.core.errors import ConfideError, UsageError
from confide.core.files import read_regular
from confide.core.jobs.outcome import QUIET, Host, Outcome, Row
from confide.core.json_text import read_json
from confide.search.exposed import ExposedProfile
from confide.search.jobs.passphrases import open_profile
from confide.search.jobs.searching import SearchOrder, SearchQuery
from confide.search.local.order_request import OrderRequest
from confide.search.local.ranker import LocalRanker
from confide.search.profile.profile import Profile
from confide.search.wrapper.engine import Engine, NoEngine
from confide.search.wrapper.ranking import Ranking
from confide.search.wrapper.remote import RemoteWrapper
from confide.search.wrapper.wrapper import Wrapper

__all__ = ["order_found", "query", "remember_searches"]

_LINK = ("rank", "engine_rank", "up_rank", "up_score", "title", "url", "snippet")
_LINK_FOR_READING = ("rank", "engine_rank", "title", "url")
_MOST_BYTES = 1 << 20


def query(request: SearchQuery, host: Host = QUIET) -> Outcome:
    """Ask the engine, or a service, and give the results in the person's order; the answer is a `Ranking`."""
    words = " ".join(request.words)
    if request.profile is not None and request.here:
        return _order_here(request, request.profile, words, host)
    exposed = ExposedProfile()
    languages: tuple[str, ...] = ("english",)
    if request.profile is not None and request.min_detail is not None:
        profile, _ = open_profile(request.profile, request.passphrase_file, host)
        related = words if request.related else None
        shown = profile.expose(min_detail=request.min_detail, hide=request.hide, query=related)
        exposed, languages = shown.profile, profile.settings.languages
        where = "nowhere: results are ordered here" if request.wrapper is None else f"to {request.wrapper}"
        host.say(f"{shown.headline()}; they go {where}")
    if request.wrapper is not None:
        service = RemoteWrapper(
            str(request.wrapper), alpha=request.alpha, strength=request.strength, seconds=request.seconds
        )
        return _found(service.search(words, exposed))
    wrapper = Wrapper(
        request.engine,
        ranking="evidence" if request.by_evidence else "pprank",
        alpha=request.alpha,
        scoring=request.scoring,
        top=request.top,
        languages=languages,
        pages=request.pages,
        confirm=partial(_may_fetch, host, agreed=request.yes),
        seconds=request.seconds,
    )
    return _found(wrapper.search(words, exposed))


def _order_here(request: SearchQuery, path: Path, words: str, host: Host) -> Outcome:
    """Order by the whole profile, hidden branches too: nothing of it leaves this machine."""
    profile, passphrase = open_profile(path, request.passphrase_file, host)
    if request.min_detail is not None or request.hide:
        host.say("min_detail and hide change nothing here: the profile orders as a whole, and nothing of it leaves")
    ranker = LocalRanker(profile, request.engine, strength=request.strength, top=request.top, seconds=request.seconds)
    host.say(f"only the query leaves this machine, to {ranker.engine.name}")
    ranking = ranker.search(words)
    if remembers(profile, ranker.engine, passphrase):
        remember_searches(path, passphrase, [f"{link.title}\n{link.snippet}" for link in ranking.results], host)
    return _found(ranking)


def remembers(profile: Profile, engine: Engine | None, passphrase: str | None) -> bool:
    """Whether what a search brings is counted in the profile's file.

    Only in an encrypted one that allows it; an index tells by itself what its documents hold.
    """
    return passphrase is not None and profile.snippets.kept and not hasattr(engine, "count_terms")


def remember_searches(path: Path, passphrase: str | None, texts: Iterable[str], host: Host) -> None:
    """Add what a search brought to the profile as it is in its file now, which somebody may have changed meanwhile."""
    try:
        Profile.read(path, passphrase=passphrase).remember(texts).save(path, passphrase=passphrase, replace=True)
    except ConfideError as error:
        host.say(f"what came back was not counted: {error}")


def order_found(request: SearchOrder, host: Host = QUIET) -> Outcome:
    """Order what another program found; the answer is what it reads."""
    found = OrderRequest.read(_read(request.results))
    profile, _ = open_profile(request.profile, request.passphrase_file, host)
    if request.by_evidence:
        if request.min_detail is not None:
            host.say("min_detail changes nothing here: the profile orders as a whole, and nothing of it leaves")
        strength = found.strength if found.strength is not None else request.strength
        order = partial(LocalRanker(profile, None).order, strength=strength)
    else:
        exposed = profile.expose(min_detail=request.min_detail or 0.0, verify=False).profile
        wrapper = Wrapper(
            NoEngine(),
            ranking="pprank",
            alpha=request.alpha,
            scoring=request.scoring,
            languages=profile.settings.languages,
        )
        order = partial(wrapper.order, exposed=exposed)
    answer = found.answer(order)
    return Outcome(answer=answer, document=answer)


def _read(path: Path) -> object:
    if str(path) != "-":
        return read_json(read_regular(path, max_bytes=_MOST_BYTES), what="results in JSON", source=path)
    if sys.stdin is None:
        raise UsageError("there is no standard input to read")
    return read_json(sys.stdin.buffer.read(_MOST_BYTES), what="results in JSON", source=Path("standard input"))


def _found(ranking: Ranking) -> Outcome:
    by_evidence = ranking.strength is not None
    setting = f"strength {ranking.strength:g}" if by_evidence else f"alpha {ranking.alpha:g}"
    reasons = ("reasons",) if by_evidence else ()
    nothing = () if ranking.results else ("nothing was found",)
    return Outcome(
        answer=ranking,
        rows=partial(_links, ranking, (*_LINK, *reasons)),
        reading=partial(_links, ranking, (*_LINK_FOR_READING, *reasons)),
        notes=(*ranking.notes, *nothing, setting),
    )


def _may_fetch(host: Host, names: list[str], *, agreed: bool) -> bool:
    """Say which hosts would be asked for pages, and ask whether they may, unless the person has agreed."""
    host.say(f"pages would be fetched from {len(names):,} hosts, which then learn of your visit: {', '.join(names)}")
    return agreed or host.ask("Fetch them?")


def _links(ranking: Ranking, names: tuple[str, ...]) -> list[Row]:
    rows: list[Row] = []
    for link in ranking.results:
        row = {name: getattr(link, name) for name in names}
        why = ", ".join(link.reasons) if ranking.strength else ""  # at strength 0 nothing moves
        rows.append({**row, "reasons": why} if "reasons" in row else row)
    return rows
