"""The passphrase of an encrypted profile: from a file, or asked for on the terminal; never from the command line."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from confide.cli.options import EXISTING

if TYPE_CHECKING:
    from confide.search import Profile

__all__ = ["new_passphrase", "open_profile", "passphrase_option"]

C = TypeVar("C", bound=Callable[..., Any])


def passphrase_option(command: C) -> C:
    """`--passphrase-file FILE`."""
    return click.option(
        "--passphrase-file", type=EXISTING, help="File whose first line is the passphrase, instead of asking for it."
    )(command)


def open_profile(path: Path, passphrase_file: Path | None) -> tuple["Profile", str | None]:
    """The profile, and the passphrase it was opened with: asked for if the file is encrypted."""
    from confide.core.errors import UsageError
    from confide.search import Profile

    given = None if passphrase_file is None else _first_line(passphrase_file)
    try:
        return Profile.read(path, passphrase=given), given
    except UsageError as error:
        if given is not None or "is encrypted" not in str(error):
            raise
    given = _asked()
    return Profile.read(path, passphrase=given), given


def new_passphrase(passphrase_file: Path | None) -> str:
    """A passphrase to encrypt with, asked for twice."""
    return _first_line(passphrase_file) if passphrase_file is not None else _asked(new=True)


def _asked(*, new: bool = False) -> str:
    import sys

    from confide.core.errors import UsageError

    if not sys.stdin.isatty():
        raise UsageError("the profile needs a passphrase, and nobody can be asked here; give --passphrase-file FILE")
    said: str = click.prompt("Passphrase of the profile", hide_input=True, confirmation_prompt=new, err=True)
    return said


def _first_line(path: Path) -> str:
    from confide.core.errors import InputError
    from confide.core.files import read_regular

    try:
        line = bytes(read_regular(path, max_bytes=10_000)).decode().split("\n")[0].rstrip("\r")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8", source=path) from None
    if not line:
        raise InputError("its first line is empty; that is no passphrase", source=path)
    return line
