"""`confide search serve`: the page."""

from pathlib import Path
from typing import cast

import click

from confide.cli.options import EXISTING, NEW, NUMBER, SHARE, note
from confide.cli.search.passphrases import open_profile, passphrase_option

__all__ = ["serve"]


@click.command(
    epilog="""\b
Example:
  confide search serve my.profile --engine notes.sqlite --port 0
"""
)
@click.argument("source", metavar="PROFILE", type=EXISTING)
@click.option("--engine", metavar="ADDRESS|FILE", help="A SearXNG server, a mapping file (.toml), or an index.")
@click.option("--wrapper", metavar="ADDRESS", help="Instead of --engine: a wrapper that runs as a service.")
@click.option("--min-detail", type=SHARE, default="2%", show_default=True, help="Where the slider begins.")
@click.option("--scoring", type=click.Choice(["normalised", "raw"]), default="normalised", show_default=True)
@click.option("--top", type=click.IntRange(1, 1000), default=50, show_default=True, help="Results that are ordered.")
@click.option("--seconds", type=NUMBER, default=10.0, show_default=True, help="Longest wait for the engine.")
@click.option("--judgments", type=NEW, help="Keep what you judge in this file (JSON lines), for you only.")
@click.option("--save", is_flag=True, help="Let the page hide branches in PROFILE itself.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--allow-host", metavar="NAME", multiple=True, help="Name by which another machine may ask, with --host.")
@click.option("--port", type=click.IntRange(0, 65535), default=8002, show_default=True, help="0 takes a free one.")
@click.option("--key-file", type=NEW, help="Keep the key of the page here (made if absent) [a new key in each run].")
@passphrase_option
def serve(
    source: Path,
    engine: str | None,
    wrapper: str | None,
    min_detail: float,
    scoring: str,
    top: int,
    seconds: float,
    judgments: Path | None,
    save: bool,
    host: str,
    allow_host: tuple[str, ...],
    port: int,
    key_file: Path | None,
    passphrase_file: Path | None,
) -> None:
    """Serve a page for searching, until Ctrl-C: results in both orders, sliders, and what leaves the machine.

    Open the address that is printed: it holds a key, so that nobody else on this machine can use the page. It works
    offline, and loads nothing from elsewhere. A browser can take it as a search engine of its address bar; give a
    --key-file then, so that its address stays the same.
    """
    from confide.core.errors import UsageError
    from confide.core.requirements import Exposure
    from confide.search import Profile, RemoteWrapper, Wrapper
    from confide.search.page.application import serve_page
    from confide.search.page.judgments import Judgments
    from confide.search.page.session import Session
    from confide.search.wrapper.scoring import Scoring

    if (engine is None) == (wrapper is None):
        raise UsageError("give --engine, or --wrapper for a service that orders for you")
    Exposure(min_detail=min_detail)
    profile, passphrase = open_profile(source, passphrase_file)
    searcher: Wrapper | RemoteWrapper
    if wrapper is not None:
        searcher = RemoteWrapper(wrapper, seconds=seconds)
    else:
        assert engine is not None
        languages = profile.settings.languages
        searcher = Wrapper(engine, scoring=cast(Scoring, scoring), top=top, seconds=seconds, languages=languages)

    def keep(changed: Profile) -> None:
        changed.save(source, passphrase=passphrase, replace=True)

    session = Session(
        profile,
        searcher,
        judgments=None if judgments is None else Judgments.open(judgments),
        save=keep if save else None,
        min_detail=min_detail,
    )

    def ready(url: str) -> None:
        note(f"your page is at {url} (Ctrl-C ends)")

    serve_page(session, host=host, port=port, also=allow_host, key_file=key_file, ready=ready, warn=note)
    note("ended")
