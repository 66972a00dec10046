"""A collector over HTTP; or, where the outcome is to be written, a release of what its store holds."""

from confide.collect.jobs.requests import CollectServe
from confide.collect.schemes.promise import gamma_words
from confide.collect.schemes.scheme import Scheme, read_scheme
from confide.collect.service.export import release_collected
from confide.collect.service.form_texts import read_form_texts
from confide.collect.service.server import serve as run
from confide.collect.service.store import read_store, shown
from confide.core.jobs.outcome import QUIET, Host, Outcome

__all__ = ["serve"]


def serve(request: CollectServe, host: Host = QUIET) -> Outcome:
    """Collect until SIGINT or SIGTERM; with `host.output`, release what the store holds and collect nothing."""
    scheme, store = read_scheme(request.scheme), str(request.store)
    if host.output is not None:
        collected = read_store(store, scheme=scheme)
        said = f"{len(collected.records):,} records in {shown(store)}"
        return Outcome(release=release_collected(collected), notes=(said,))
    _collect(request, scheme, store, host)
    return Outcome(notes=("ended; everything acknowledged is stored",))


def _collect(request: CollectServe, scheme: Scheme, store: str, host: Host) -> None:
    def ready(url: str, count: tuple[int, int]) -> None:
        promised = gamma_words(scheme.amplification().epsilon)
        host.say(f"scheme {scheme.kind}, gamma {promised}; {count[1]:,} records held")
        host.say(f"collecting at {url} (Ctrl-C ends)")

    run(
        scheme,
        store,
        host=request.host,
        port=request.port,
        title=request.title,
        texts=None if request.form is None else read_form_texts(request.form),
        allow_origins=request.allow_origins,
        certificate=request.certificate,
        key=request.key,
        trusted_proxies=request.trusted_proxies,
        ready=ready,
        trouble=host.say,
        progress=lambda records: host.say(f"{records:,} records came in since the start"),
        warn=host.say,
    )
