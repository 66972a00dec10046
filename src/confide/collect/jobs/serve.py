"""A collector over HTTP, a release of what its store holds, and how its survey is going."""

from collections.abc import Mapping
from typing import Any

from confide.collect.jobs.requests import CollectServe, CollectSurvey
from confide.collect.schemes.promise import gamma_words
from confide.collect.schemes.scheme import Scheme, read_scheme
from confide.collect.service.client import Client
from confide.collect.service.desk import read_state, write_state
from confide.collect.service.export import release_collected
from confide.collect.service.server import serve as run
from confide.collect.service.store import hide_password, opened, read_store
from confide.collect.survey.survey_file import read_survey
from confide.collect.survey.survey_progress import measure_progress
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.web.guard import read_key

__all__ = ["serve", "survey"]


def serve(request: CollectServe, host: Host = QUIET) -> Outcome:
    """Collect until SIGINT or SIGTERM; with `host.output`, release what the store holds and collect nothing."""
    scheme, store = read_scheme(request.scheme), str(request.store)
    if host.output is not None:
        collected = read_store(store, scheme=scheme)
        said = f"{len(collected.records):,} records in {hide_password(store)}"
        return Outcome(release=release_collected(collected), notes=(said,))
    _collect(request, scheme, store, host)
    return Outcome(notes=("ended; everything acknowledged is stored",))


def _collect(request: CollectServe, scheme: Scheme, store: str, host: Host) -> None:
    def ready(url: str, team: str, count: tuple[int, int]) -> None:
        promised = gamma_words(scheme.amplification().epsilon)
        host.say(f"scheme {scheme.kind}, gamma {promised}; {count[1]:,} records held")
        host.say(f"collecting at {url} (Ctrl-C ends)")
        host.say(f"the team's page, whose address is its key: {team}")

    run(
        scheme,
        store,
        host=request.host,
        port=request.port,
        title=request.title,
        survey=None if request.form is None else read_survey(request.form),
        links=request.links,
        people=request.people,
        within=request.within or (),
        address=request.address,
        team_key=request.team_key,
        allow_origins=request.allow_origins,
        certificate=request.certificate,
        key=request.key,
        trusted_proxies=request.trusted_proxies,
        ready=ready,
        trouble=host.say,
        progress=lambda records: host.say(f"{records:,} records came in since the start"),
        warn=host.say,
    )


def survey(request: CollectSurvey, host: Host = QUIET) -> Outcome:
    """How a survey is going, from its store or its running collector; opens, pauses or closes it first if asked."""
    if request.team_key is not None:
        found = _ask_collector(request)
        return Outcome(document=found, notes=(str(found.get("advice", "")),))
    address = str(request.store)
    with opened(address) as store:
        scheme = Scheme.from_json(store.scheme_text(), source=hide_password(address))
    with opened(address, scheme if request.state is not None else None) as store:
        if request.state is not None:
            write_state(store, request.state)
        state, (_, records) = read_state(store), store.count()
    progress = measure_progress(scheme, records, state=state, within=request.within or ())
    return Outcome(document=progress.to_dict(), notes=(progress.advice(),))


def _ask_collector(request: CollectSurvey) -> Mapping[str, Any]:
    assert request.team_key is not None
    client = Client(str(request.store))
    return client.team_progress(read_key(request.team_key), state=request.state)
