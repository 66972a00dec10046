"""What every command that makes a release does with it: see that the files are free, then write them."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from confide.core.release import Release

__all__ = ["check_free", "hand_out"]


def check_free(source: Path, paths: list[Path | None], *, replace: bool) -> None:
    """Before the long work, see that no output would fail, or destroy the input, for a reason known by now."""
    from confide.core.errors import UsageError
    from confide.core.release import passport_path

    given = [path for path in paths if path is not None]
    if paths[0] is not None:
        given.append(passport_path(paths[0]))
    if len({path.resolve() for path in given}) < len(given):
        raise UsageError("two of -o, its passport, --report and --owner-report are the same file")
    for path in given:
        if path.resolve() == source.resolve():
            raise UsageError(f"{path} is the input; it is not overwritten, not even with --replace")
        if not replace and path.exists():
            raise UsageError(f"{path} exists; say --replace to overwrite it")


def hand_out(
    release: "Release[Any]",
    output: Path | None,
    key: Any,
    *,
    report: Path | None,
    owner_report: Path | None,
    replace: bool,
) -> None:
    """Write the release with its passport, signed if there is a key, and the pages that were asked for."""
    passport = None
    if output is not None:
        passport = release.write(output, replace=replace, key=key)
    if report is not None or owner_report is not None:
        from confide import report as pages

        if report is not None:
            pages.write(release, report, passport=passport, replace=replace)
        if owner_report is not None:
            pages.write_owner(release, owner_report, replace=replace)
