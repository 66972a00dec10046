"""`confide search ...`: personal results, with a say in how much of you leaves the machine."""

import click

from confide.cli.lazy import LazyGroup

__all__ = ["COMMANDS", "profile", "search"]

PROFILE = {
    "build": ("confide.cli.search.profile.build:build", "Build a profile from your own files."),
    "show": ("confide.cli.search.profile.show:show", "Show your profile."),
    "expose": ("confide.cli.search.profile.expose:expose", "Show, or write, what a search service would get."),
    "edit": ("confide.cli.search.profile.edit:edit", "Hide, rename or delete branches; forget documents."),
    "verify": ("confide.cli.search.profile.verify:verify", "Check an exposed profile against yours."),
}


@click.group(
    cls=LazyGroup,
    commands_at=PROFILE,
    epilog="""\b
Example:
  confide search profile build --documents notes -o me.profile
""",
)
def profile() -> None:
    """Your profile of interests: it stays on this machine."""


COMMANDS = {
    "profile": ("confide.cli.search.group:profile", "Build, show, expose and edit your profile of interests."),
    "index": ("confide.cli.search.index:index", "Index files of your own, to search without a network."),
    "query": ("confide.cli.search.query:query", "Search, with results in your order."),
    "serve": ("confide.cli.search.serve:serve", "Search on a page, with sliders for how much of you is seen."),
    "evaluate": ("confide.cli.search.evaluate:evaluate", "Say when your profile helps, by queries you judged."),
    "wrapper": ("confide.cli.search.wrapper:wrapper", "Order results for several people, as a service."),
}


@click.group(
    cls=LazyGroup,
    commands_at=COMMANDS,
    epilog="""\b
Example:
  confide search query evening --engine notes.sqlite --profile my.profile --min-detail 2%
""",
)
def search() -> None:
    """Search with results in your own order, and a say in how much of you leaves the machine."""
