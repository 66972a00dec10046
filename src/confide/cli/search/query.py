"""`confide search query`: search, with results in your order."""

from pathlib import Path
from typing import cast

import click

from confide.cli.options import EXISTING, NUMBER, SHARE, form_options, note, print_rows
from confide.cli.search.passphrases import open_profile, passphrase_option

__all__ = ["query"]


@click.command(
    epilog="""\b
Example:
  confide search query evening --engine notes.sqlite --profile my.profile --min-detail 2% --table
"""
)
@click.argument("words", metavar="WORDS...", nargs=-1, required=True)
@click.option("--engine", metavar="ADDRESS|FILE", help="A SearXNG server, a mapping file (.toml), or an index.")
@click.option("--wrapper", metavar="ADDRESS", help="Instead of --engine: a wrapper that runs as a service.")
@click.option("--profile", type=EXISTING, help="Your profile; without it the engine's order stays.")
@click.option("--min-detail", type=SHARE, help="Smallest share of an exposed interest; goes with --profile.")
@click.option("--hide", metavar="BRANCH", multiple=True, help="Keep this branch here too. Once for each.")
@click.option("--related", is_flag=True, help="Expose only what has to do with this query.")
@click.option("--alpha", type=NUMBER, help="0: the engine decides; 1: your profile does [by the length of the query].")
@click.option("--scoring", type=click.Choice(["normalised", "raw"]), default="normalised", show_default=True)
@click.option("--top", type=click.IntRange(1, 1000), default=50, show_default=True, help="Results that are ordered.")
@click.option("--pages", is_flag=True, help="Score the pages themselves: names the hosts, and asks before fetching.")
@click.option("--yes", is_flag=True, help="With --pages: do not ask.")
@click.option("--seconds", type=NUMBER, default=10.0, show_default=True, help="Longest wait for the engine.")
@passphrase_option
@form_options
def query(
    words: tuple[str, ...],
    engine: str | None,
    wrapper: str | None,
    profile: Path | None,
    min_detail: float | None,
    hide: tuple[str, ...],
    related: bool,
    alpha: float | None,
    scoring: str,
    top: int,
    pages: bool,
    yes: bool,
    seconds: float,
    passphrase_file: Path | None,
    form: str,
) -> None:
    """Search for WORDS. With --engine the ordering is done here: only the query leaves the machine.

    With --wrapper the query and the exposed pairs go to that service, and nothing else.
    """
    from confide.core.errors import UsageError
    from confide.search import ExposedProfile, RemoteWrapper, Wrapper
    from confide.search.wrapper.scoring import Scoring

    if (engine is None) == (wrapper is None):
        raise UsageError("give --engine, or --wrapper for a service that orders for you")
    if (profile is None) != (min_detail is None):
        raise UsageError("--profile and --min-detail go together: say how much of the profile is exposed")
    if profile is None and (hide or related):
        raise UsageError("--hide and --related go with --profile")
    if wrapper is not None and pages:
        raise UsageError("--pages goes with --engine; a service decides for itself what it fetches")
    asked = " ".join(words)
    exposed = ExposedProfile()
    languages: tuple[str, ...] = ("english",)
    if profile is not None and min_detail is not None:
        mine, _ = open_profile(profile, passphrase_file)
        shown = mine.expose(min_detail=min_detail, hide=hide, query=asked if related else None)
        exposed, languages = shown.profile, mine.settings.languages
        goes = f"to {wrapper}" if wrapper is not None else "nowhere: results are ordered here"
        note(f"{shown.headline()}; they go {goes}")
    if wrapper is not None:
        ranking = RemoteWrapper(wrapper, alpha=alpha, seconds=seconds).search(asked, exposed)
    else:
        assert engine is not None
        ranking = Wrapper(
            engine, alpha=alpha, scoring=cast(Scoring, scoring), top=top, languages=languages, pages=pages,
            confirm=lambda hosts: _may_fetch(hosts, yes=yes), seconds=seconds,
        ).search(asked, exposed)  # fmt: skip
    for line in ranking.notes:
        note(line)
    if not ranking.results:
        note("nothing was found")
    names = ("rank", "engine_rank", "up_rank", "up_score", "title", "url", "snippet")
    shown_names = ("rank", "engine_rank", "title", "url") if form == "table" else names
    print_rows(({name: getattr(link, name) for name in shown_names} for link in ranking.results), form=form)
    note(f"alpha {ranking.alpha:g}")


def _may_fetch(hosts: list[str], *, yes: bool) -> bool:
    import sys

    note(f"pages would be fetched from {len(hosts):,} hosts, which then learn of your visit: {', '.join(hosts)}")
    if yes:
        return True
    return sys.stdin.isatty() and click.confirm("Fetch them?", err=True)
