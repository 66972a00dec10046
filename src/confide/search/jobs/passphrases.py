"""The passphrase of an encrypted profile: from a file, or asked for; never from the command line, never saved."""

from pathlib import Path

from confide.core.errors import InputError, UsageError
from confide.core.files import read_regular
from confide.core.jobs.outcome import Host
from confide.search.profile.profile import Profile

__all__ = ["new_passphrase", "open_profile"]

_LONGEST = 10_000


def open_profile(path: Path, passphrase_file: Path | None, host: Host) -> tuple[Profile, str | None]:
    """Read a profile; also return the passphrase it was opened with, asked for if the file is encrypted."""
    passphrase = None if passphrase_file is None else _first_line(passphrase_file)
    try:
        return Profile.read(path, passphrase=passphrase), passphrase
    except UsageError as error:
        if passphrase is not None or error.parameter != "passphrase":
            raise
    passphrase = _ask(host, new=False)
    return Profile.read(path, passphrase=passphrase), passphrase


def new_passphrase(passphrase_file: Path | None, host: Host) -> str:
    """A passphrase to encrypt with, asked for twice."""
    return _ask(host, new=True) if passphrase_file is None else _first_line(passphrase_file)


def _ask(host: Host, *, new: bool) -> str:
    passphrase = host.secret("Passphrase of the profile", new)
    if passphrase is None:
        raise UsageError(
            "the profile needs a passphrase, and nobody can be asked here; give passphrase_file=",
            parameter="passphrase_file",
        )
    return passphrase


def _first_line(path: Path) -> str:
    try:
        line = bytes(read_regular(path, max_bytes=_LONGEST)).decode().split("\n")[0].rstrip("\r")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8", source=path) from None
    if not line:
        raise InputError("its first line is empty; that is no passphrase", source=path)
    return line
