"""Several files that appear together, or not at all.

A release is an artefact and its passport, often with pages beside them. All are written into hidden folders first
(parts beside each target, `runtime.parts`), so that a failure while one is made leaves nothing; then they are moved to
their names, one rename each. Should a rename fail, those already made are undone and replaced files put back. A
crash between two renames is the one moment that cannot be undone: the passport is moved last, so that an old passport
never speaks of a new file.
"""

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from os import PathLike
from pathlib import Path

from confide.core.errors import UsageError
from confide.core.files import move, sync_folder
from confide.core.runtime.unfinished import OLD, PartFile, make_part

__all__ = ["FileGroup", "check_outputs", "file_group"]


_NEW = "new"
"""Within a part: the folder of files that are written. Beside it, in OLD, is what they replace."""


class FileGroup:
    """Files on their way. Write to `self.place(target)`; the target appears when the group is finished."""

    def __init__(self, *, replace: bool = False):
        self.replace = replace
        self._parts: dict[Path, PartFile] = {}
        self._targets: list[Path] = []
        self._as_folders: set[Path] = set()
        self._around: list[AbstractContextManager[None]] = []

    def place(self, target: str | PathLike[str], *, folder: bool = False) -> Path:
        """Where to write what will stand at `target`: a file, or `folder`, of the same name in a hidden folder."""
        wanted = Path(target)
        check_outputs([wanted], replace=self.replace, folders=folder)
        home = wanted.parent
        if home not in self._parts:
            try:
                self._parts[home] = make_part(home, folder=True)
                (self._parts[home].path / _NEW).mkdir(mode=0o700)
            except OSError as error:
                raise UsageError(f"cannot write in {home}: {error.strerror}") from None
        if wanted in self._targets:
            raise UsageError(f"{wanted} would be written twice")
        self._targets.append(wanted)
        if folder:
            self._as_folders.add(wanted)
        return self._new(wanted)

    def _new(self, target: Path) -> Path:
        return self._parts[target.parent].path / _NEW / target.name

    def within(self, block: AbstractContextManager[None]) -> None:
        """Move files to their names inside this block: it is entered before the first, and left after the last."""
        self._around.append(block)

    def finish(self) -> None:
        """Move every file to its name, in the order in which places were asked for."""
        with ExitStack() as stack:
            for block in self._around:
                stack.enter_context(block)
            self._move_all()

    def _move_all(self) -> None:
        done: list[tuple[Path, Path | None]] = []
        for target in self._targets:
            try:
                old = self._keep_second_name(target)
                move(self._new(target), target, replace=self.replace)
            except (OSError, UsageError) as error:
                _undo(done)
                reason = error.strerror if isinstance(error, OSError) else str(error)
                raise UsageError(f"cannot write {target}: {reason}; nothing was written") from None
            done.append((target, old))
        for folder in self._parts:
            sync_folder(folder)

    def _keep_second_name(self, target: Path) -> Path | None:
        """A second name for what is about to be replaced, so that it can be put back."""
        if not self.replace or not os.path.lexists(target):
            return None
        old = self._parts[target.parent].path / OLD / target.name
        old.parent.mkdir(mode=0o700, exist_ok=True)
        if target in self._as_folders and target.is_dir() and not target.is_symlink():  # has no second name
            os.rename(target, old)
            return old
        try:
            os.link(target, old, follow_symlinks=False)
        except OSError:  # a file system without hard links
            shutil.copy2(target, old, follow_symlinks=False)
        return old

    def discard(self) -> None:
        """Remove the hidden folders and whatever is still in them."""
        for part in self._parts.values():
            part.drop()


@contextmanager
def file_group(*, replace: bool = False) -> Iterator[FileGroup]:
    """Files written in this block appear when it ends well; if it fails, none of them does."""
    group = FileGroup(replace=replace)
    try:
        yield group
        group.finish()
    finally:
        group.discard()


def check_outputs(
    targets: Iterable[Path | None],
    *,
    inputs: Iterable[Path | None] = (),
    replace: bool = False,
    folders: bool = False,
) -> None:
    """See, before long work, that every target can be written: a free name, in a folder we can write to.

    No two targets may be one file, and none may be an input, not even with `replace`. With `folders` a target may
    be a folder that is replaced.
    """
    wanted = [target for target in targets if target is not None]
    if len({target.resolve() for target in wanted}) < len(wanted):
        raise UsageError("two of -o, its passport and the pages are the same file; give each its own name")
    read = {source.resolve() for source in inputs if source is not None}
    for target in wanted:
        if target.resolve() in read:
            raise UsageError(
                f"{target} is the input; it is not overwritten, not even with replace=True",
                parameter="replace",
                value=replace,
            )
        if target.is_dir() and not (folders and (replace or not any(target.iterdir()))):
            raise UsageError(
                f"{target} exists; say replace=True to overwrite it"
                if folders
                else f"{target} is a folder; give the name of a file"
            )
        if not replace and os.path.lexists(target):
            raise UsageError(f"{target} exists; say replace=True to overwrite it", parameter="replace", value=replace)
    for folder in {target.parent for target in wanted}:
        _check_folder(folder)


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise UsageError(f"the folder {folder} does not exist; make it first")
    try:
        make_part(folder, folder=True).drop()
    except OSError as error:
        raise UsageError(f"cannot write in the folder {folder}: {error.strerror}") from None


def _undo(done: list[tuple[Path, Path | None]]) -> None:
    for target, old in reversed(done):
        with suppress(OSError):
            if target.is_dir() and not target.is_symlink():
                shutil.rmtree(target)
            elif old is None:
                target.unlink()
            if old is not None:
                os.replace(old, target)
