"""Index files, serve a page or a wrapper, and evaluate profiles."""

from dataclasses import fields

from confide.core.jobs.outcome import QUIET, Host, Outcome, Row
from confide.core.requirements import Exposure
from confide.search.evaluation.judgments import read_judgments
from confide.search.evaluation.study import best_trials, study_of
from confide.search.evaluation.trials import WHOLE, Evaluation, Trial, evaluate
from confide.search.jobs.passphrases import open_profile
from confide.search.jobs.querying import remember_searches, remembers
from confide.search.jobs.requests import SearchIndex
from confide.search.jobs.searching import SearchEvaluate, SearchServe, SearchWrapper
from confide.search.local.ranker import LocalRanker
from confide.search.profile.profile import Profile
from confide.search.sources.together import Sources
from confide.search.wrapper.engine import open_engine
from confide.search.wrapper.local_index import LocalIndex
from confide.search.wrapper.remote import RemoteWrapper
from confide.search.wrapper.wrapper import Wrapper

__all__ = ["evaluate_profiles", "index_files", "serve", "serve_results"]

_TRIAL_FOR_READING = ("profile", "terms", "weight", "exp_ratio", "words", "fits", "precision", "gain")


def index_files(request: SearchIndex, host: Host = QUIET) -> Outcome:
    """Index texts of a person's own files, in the file where the outcome goes, or in memory."""
    sources = Sources(
        documents=request.documents, mail=request.mail, history=request.history, bookmarks=request.bookmarks
    )
    index = LocalIndex.build(sources.read(skipped=host.say), host.output, replace=host.replace)
    return Outcome(answer=index, save=lambda path, replace: f"{len(index):,} documents indexed in {path}")


def serve(request: SearchServe, host: Host = QUIET) -> Outcome:
    """Serve the page of a profile until a signal ends it."""
    from confide.search.page.application import serve_page
    from confide.search.page.judgment_file import Judgments
    from confide.search.page.session import Session

    Exposure(min_detail=request.min_detail)
    profile, passphrase = open_profile(request.profile, request.passphrase_file, host)

    searcher = _searcher(request, profile)
    writes = remembers(profile, getattr(searcher, "engine", None), passphrase)

    def save(changed: Profile) -> None:
        kept = changed if writes else changed.forget_searches()
        kept.save(request.profile, passphrase=passphrase, replace=True)

    session = Session(
        profile,
        searcher,
        judgments=None if request.judgments is None else Judgments.open(request.judgments),
        save=save if request.save else None,
        min_detail=request.min_detail,
        weight=request.strength if request.by_evidence else request.alpha,
    )
    serve_page(
        session,
        host=request.host,
        port=request.port,
        also=request.allow_host,
        extensions=request.allow_extension,
        key_file=request.key_file,
        ready=lambda url: host.say(f"your page is at {url} (Ctrl-C ends)"),
        warn=host.say,
    )
    if writes and session.unsaved:
        remember_searches(request.profile, passphrase, session.unsaved, host)
    return Outcome(notes=("ended",))


def _searcher(request: SearchServe, profile: Profile) -> LocalRanker | Wrapper | RemoteWrapper:
    if request.wrapper is not None:
        return RemoteWrapper(
            str(request.wrapper), alpha=request.alpha, strength=request.strength, seconds=request.seconds
        )
    if request.by_evidence:
        return LocalRanker(profile, request.engine, strength=request.strength, top=request.top, seconds=request.seconds)
    return Wrapper(
        request.engine,
        ranking="pprank",
        alpha=request.alpha,
        scoring=request.scoring,
        top=request.top,
        seconds=request.seconds,
        languages=profile.settings.languages,
    )


def evaluate_profiles(request: SearchEvaluate, host: Host = QUIET) -> Outcome:
    """Try every profile with every setting on judged queries; the answer is the list of trials."""
    judged = read_judgments(request.judgments)
    setting = Evaluation(
        ranking="evidence" if request.by_evidence else "pprank",
        **({} if request.alpha is None else {"alphas": request.alpha}),
        **({} if request.strength is None else {"strengths": request.strength}),
        min_details=request.min_detail,
        terms=request.terms or (WHOLE,),
        scorings=request.scoring or ("normalised",),
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
        ranking="evidence" if request.by_evidence else "pprank",
        strength=request.strength,
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
