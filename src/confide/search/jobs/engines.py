"""Index files, search, serve a page or a wrapper, and evaluate profiles."""

from dataclasses import fields
from functools import partial
from pathlib import Path

from confide.core.jobs.outcome import QUIET, Host, Outcome, Row
from confide.core.requirements import Exposure
from confide.search.evaluation.judgments import read_judgments
from confide.search.evaluation.study import best_trials, study_of
from confide.search.evaluation.trials import WHOLE, Evaluation, Trial, evaluate
from confide.search.exposed import ExposedProfile
from confide.search.jobs.passphrases import open_profile
from confide.search.jobs.requests import SearchEvaluate, SearchIndex, SearchQuery, SearchServe, SearchWrapper
from confide.search.local.ranker import LocalRanker
from confide.search.profile.profile import Profile
from confide.search.sources.together import Sources
from confide.search.wrapper.engine import open_engine
from confide.search.wrapper.local_index import LocalIndex
from confide.search.wrapper.ranking import Ranking
from confide.search.wrapper.remote import RemoteWrapper
from confide.search.wrapper.wrapper import Wrapper

__all__ = ["evaluate_profiles", "index_files", "query", "serve", "serve_results"]

_LINK = ("rank", "engine_rank", "up_rank", "up_score", "title", "url", "snippet")
_LINK_FOR_READING = ("rank", "engine_rank", "title", "url")
_TRIAL_FOR_READING = ("profile", "terms", "alpha", "exp_ratio", "precision", "gain", "error")


def index_files(request: SearchIndex, host: Host = QUIET) -> Outcome:
    """Index texts of a person's own files, in the file where the outcome goes, or in memory."""
    sources = Sources(
        documents=request.documents, mail=request.mail, history=request.history, bookmarks=request.bookmarks
    )
    index = LocalIndex.build(sources.read(skipped=host.say), host.output, replace=host.replace)
    return Outcome(answer=index, save=lambda path, replace: f"{len(index):,} documents indexed in {path}")


def query(request: SearchQuery, host: Host = QUIET) -> Outcome:
    """Ask the engine, or a service, and give the results in the person's order; the answer is a `Ranking`."""
    words = " ".join(request.words)
    if request.profile is not None and request.by_evidence:
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
        ranking = RemoteWrapper(str(request.wrapper), alpha=request.alpha, seconds=request.seconds).search(
            words, exposed
        )
    else:
        ranking = Wrapper(
            request.engine,
            alpha=request.alpha,
            scoring=request.scoring,
            top=request.top,
            languages=languages,
            pages=request.pages,
            confirm=partial(_may_fetch, host, agreed=request.yes),
            seconds=request.seconds,
        ).search(words, exposed)
    return _found(ranking, f"alpha {ranking.alpha:g}", _LINK, _LINK_FOR_READING)


def _order_here(request: SearchQuery, path: Path, words: str, host: Host) -> Outcome:
    """Order by the whole profile, hidden branches too: nothing of it leaves this machine."""
    profile, _ = open_profile(path, request.passphrase_file, host)
    if request.min_detail is not None or request.hide:
        host.say("min_detail and hide change nothing here: the profile orders as a whole, and nothing of it leaves")
    ranker = LocalRanker(profile, request.engine, strength=request.strength, top=request.top, seconds=request.seconds)
    host.say(f"only the query leaves this machine, to {ranker.engine.name}")
    ranking = ranker.search(words)
    return _found(ranking, f"strength {ranking.strength:g}", (*_LINK, "reasons"), (*_LINK_FOR_READING, "reasons"))


def _found(ranking: Ranking, setting: str, names: tuple[str, ...], reading: tuple[str, ...]) -> Outcome:
    nothing = () if ranking.results else ("nothing was found",)
    return Outcome(
        answer=ranking,
        rows=partial(_links, ranking, names),
        reading=partial(_links, ranking, reading),
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
        rows.append({**row, "reasons": ", ".join(link.reasons)} if "reasons" in row else row)
    return rows


def serve(request: SearchServe, host: Host = QUIET) -> Outcome:
    """Serve the page of a profile until a signal ends it."""
    from confide.search.page.application import serve_page
    from confide.search.page.judgment_file import Judgments
    from confide.search.page.session import Session

    Exposure(min_detail=request.min_detail)
    profile, passphrase = open_profile(request.profile, request.passphrase_file, host)

    def save(changed: Profile) -> None:
        changed.save(request.profile, passphrase=passphrase, replace=True)

    session = Session(
        profile,
        _searcher(request, profile),
        judgments=None if request.judgments is None else Judgments.open(request.judgments),
        save=save if request.save else None,
        min_detail=request.min_detail,
    )
    serve_page(
        session,
        host=request.host,
        port=request.port,
        also=request.allow_host,
        key_file=request.key_file,
        ready=lambda url: host.say(f"your page is at {url} (Ctrl-C ends)"),
        warn=host.say,
    )
    return Outcome(notes=("ended",))


def _searcher(request: SearchServe, profile: Profile) -> Wrapper | RemoteWrapper:
    if request.wrapper is not None:
        return RemoteWrapper(str(request.wrapper), seconds=request.seconds)
    return Wrapper(
        request.engine,
        scoring=request.scoring,
        top=request.top,
        seconds=request.seconds,
        languages=profile.settings.languages,
    )


def evaluate_profiles(request: SearchEvaluate, host: Host = QUIET) -> Outcome:
    """Try every profile with every setting on judged queries; the answer is the list of trials."""
    judged = read_judgments(request.judgments)
    setting = Evaluation(
        **({} if request.alpha is None else {"alphas": request.alpha}),
        min_details=request.min_detail,
        terms=request.terms or (WHOLE,),
        scorings=request.scoring,
        cuts=request.cuts,
        seed=request.seed,
        top=request.top,
    )
    profiles = {path.name: open_profile(path, request.passphrase_file, host)[0] for path in request.profiles}
    trials = evaluate(judged, profiles, open_engine(request.engine), asked=setting)
    return Outcome(
        answer=trials,
        rows=lambda: [trial.to_dict() for trial in trials],
        reading=lambda: [_trial_for_reading(trial) for trial in best_trials(trials)],
        legend="the best setting of each; as JSON or CSV all are listed",
        page=lambda: study_of(trials, name=request.judgments.name),
    )


def _trial_for_reading(trial: Trial) -> Row:
    shown = {field.name: getattr(trial, field.name) for field in fields(trial) if field.name in _TRIAL_FOR_READING}
    shown["terms"] = trial.terms or "whole"
    return {
        name: round(shown[name], 4) if isinstance(shown[name], float) else shown[name] for name in _TRIAL_FOR_READING
    }


def serve_results(request: SearchWrapper, host: Host = QUIET) -> Outcome:
    """Order results for several people, as a service that keeps nothing, until a signal ends it."""
    from confide.search.wrapper.service import serve_wrapper

    wrapper = Wrapper(
        request.engine,
        alpha=request.alpha,
        scoring=request.scoring,
        top=request.top,
        seconds=request.seconds,
        languages=request.languages,
    )
    serve_wrapper(
        wrapper,
        host=request.host,
        port=request.port,
        certificate=request.certificate,
        key=request.key,
        ready=lambda url: host.say(f"ordering results of {wrapper.engine.name} at {url} (Ctrl-C ends)"),
        warn=host.say,
    )
    return Outcome(notes=("ended; nothing was kept",))
