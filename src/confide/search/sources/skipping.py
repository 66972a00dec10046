"""What a source passes over: one line each, to whoever listens. A broken file never ends the reading of the others."""

from collections.abc import Callable

__all__ = ["MOST_TEXT", "Skipped", "ignore"]

Skipped = Callable[[str], None]
"""Called with one line: what was passed over, and why."""

MOST_TEXT = 5_000_000
"""Characters of one document; longer ones are cut there: what follows hardly changes which words they hold."""


def ignore(line: str) -> None:
    """Listen to nothing."""
