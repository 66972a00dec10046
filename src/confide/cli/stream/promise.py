"""Options that say what is promised of a stream, and by which windows."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from confide.cli.options import NUMBER

if TYPE_CHECKING:
    from confide.core.requirements import OutputPrivacy

__all__ = ["promise_options", "promised", "window_options"]

C = TypeVar("C", bound=Callable[..., Any])


def promise_options(command: C) -> C:
    """C, K, epsilon and delta."""
    for option in (
        click.option(
            "--delta",
            type=NUMBER,
            default=0.4,
            show_default=True,
            help="Least relative squared error of a rare pattern.",
        ),
        click.option(
            "--epsilon", type=NUMBER, help="Largest relative squared error of a support [1.25 times the least]."
        ),
        click.option(
            "--vulnerable", metavar="K", type=int, default=5, show_default=True, help="Patterns of up to K are rare."
        ),
        click.option("--min-support", metavar="C", type=int, required=True, help="Itemsets in C records are frequent."),
    ):
        command = option(command)
    return command


def window_options(command: C) -> C:
    """`--window` or `--seconds`, and `--every`."""
    for option in (
        click.option("--every", type=int, default=100, show_default=True, help="Records between two releases."),
        click.option("--seconds", type=NUMBER, help="A window of the last so many seconds, by time stamps."),
        click.option("--window", "records", type=int, help="A window of the last so many records."),
    ):
        command = option(command)
    return command


def promised(
    min_support: int, vulnerable: int, epsilon: float | None, delta: float, *, noise: str = "uniform"
) -> "OutputPrivacy":
    """The requirement; without --epsilon the usual one."""
    from confide.core.requirements import OutputPrivacy
    from confide.stream.planning.tradeoff import usual_epsilon

    if epsilon is None:
        epsilon = usual_epsilon(min_support=min_support, vulnerable=vulnerable, delta=delta, noise=noise)
    return OutputPrivacy(epsilon=epsilon, delta=delta, min_support=min_support, vulnerable=vulnerable)
