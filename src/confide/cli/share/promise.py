"""Options that say what a published tree promises: `--k`, or `--l` with or without `--c`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from confide.core.requirements import Requirement

__all__ = ["promise_options", "promised"]

C = TypeVar("C", bound=Callable[..., Any])


def promise_options(command: C) -> C:
    """`--k N`; `--l N`; `--l N --c X`."""
    command = click.option(
        "--c", type=float, help="With --l: recursive diversity; how far the commonest class may outweigh the rare."
    )(command)
    command = click.option(
        "--l", "l", type=int, help="Diversity: no class has more than 1/l of a leaf's records (without --c)."
    )(command)
    return click.option("--k", type=int, help="k-anonymity: fewest records of a leaf.")(command)


def promised(k: int | None, l: int | None, c: float | None) -> "Requirement":  # noqa: E741 - the paper's letter
    """The requirement that these options name; exactly one."""
    from confide.core.errors import UsageError
    from confide.core.requirements import KAnonymity, RecursiveDiversity, SimpleDiversity

    if k is not None and l is not None:
        raise UsageError(
            "--k and --l are two promises, and a tree keeps one: give --k N, or --l N with or without --c X"
        )
    if (k is None) == (l is None) or (c is not None and l is None):
        raise UsageError("say what the tree promises: --k N, or --l N, or --l N with --c X")
    if k is not None:
        return KAnonymity(k=k)
    assert l is not None
    return SimpleDiversity(l=l) if c is None else RecursiveDiversity(c=c, l=l)
