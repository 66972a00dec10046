"""Which groups of kernels this machine has compiled: a stamp for each, beside the kernels that numba keeps."""

import platform
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from confide import __version__, core

__all__ = ["are_compiled", "mark_compiled"]

_CARRIED = Path(core.__file__).parent / "carried"
_FOLDER = Path(core.__file__).parent / "runtime" / "__pycache__"


def are_compiled(groups: list[str]) -> bool:
    """Whether every one of these groups was compiled by this version, Python and numba, or came with the wheel."""
    if any(_CARRIED.glob("*-numba-*")):
        from confide.core.carried.wheel import carried_folder  # 50 ms

        if carried_folder() is not None:
            return True
    return all(_stamp(group).exists() for group in groups)


def mark_compiled(group: str) -> None:
    """Leave a stamp; where the folder is not to be written, nothing is remembered."""
    with suppress(OSError):
        _FOLDER.mkdir(exist_ok=True)
        _stamp(group).touch()


def _stamp(group: str) -> Path:
    built = f"{__version__}-{platform.python_version()}-{version('numba')}"
    return _FOLDER / f"compiled-{group.rpartition(':')[2]}-{built}"
