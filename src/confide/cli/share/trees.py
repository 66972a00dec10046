"""Trees from files, and whether what their passports promise holds."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from confide.cli.options import note

if TYPE_CHECKING:
    from confide.core.trees.published import PublishedTree

__all__ = ["checked_trees"]


def checked_trees(paths: Sequence[Path]) -> "list[PublishedTree]":
    """Read the trees; one whose passport does not hold is refused, one without a passport is named."""
    from confide.audit.verify import verify
    from confide.core.errors import VerificationError
    from confide.core.release import passport_path
    from confide.share.tasks.trees import read_trees

    trees = read_trees(paths)
    for path in paths:
        beside = passport_path(path)
        if not beside.exists():
            note(f"warning: {path} has no passport, so nothing is promised of it")
            continue
        found = verify(beside)
        if not found.ok:
            raise VerificationError(f"the passport of {path} does not hold: {found.summary()}")
    return trees
