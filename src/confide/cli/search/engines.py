"""The options that name an engine, and those that say what may be seen of a profile."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from confide.cli.options import NUMBER

__all__ = ["engine_options", "languages_option"]

C = TypeVar("C", bound=Callable[..., Any])


def languages_option(command: C) -> C:
    """`--language NAME`, several times."""
    return click.option(
        "--language", "languages", multiple=True, default=("english",), show_default=True, help="Once for each."
    )(command)


def engine_options(command: C) -> C:
    """`--engine`, `--alpha`, `--scoring`, `--top`, `--seconds` and `--language`."""
    command = languages_option(command)
    command = click.option(
        "--seconds", type=NUMBER, default=10.0, show_default=True, help="Longest wait for the engine."
    )(command)
    command = click.option(
        "--top", type=click.IntRange(1, 1000), default=50, show_default=True, help="Results that are ordered."
    )(command)
    command = click.option(
        "--scoring",
        type=click.Choice(["normalised", "raw"]),
        default="normalised",
        show_default=True,
        help="raw, the thesis's own, favours long pages.",
    )(command)
    command = click.option(
        "--alpha", type=NUMBER, help="0: the engine decides; 1: your profile does [by the length of the query]."
    )(command)
    return click.option(
        "--engine",
        required=True,
        metavar="ADDRESS|FILE",
        help="A SearXNG server (https://...), a mapping file (.toml), or an index made by confide search index.",
    )(command)
