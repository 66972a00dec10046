"""Kernels that came with the wheel, compiled already: nothing is compiled, nothing interpreted.

    python3 run.py build --> core/carried/x86_64-...-v3-.../DIGEST.kernel --> loaded in place of compiling

Machine code of another machine is used only where it can be trusted and run:

- its name is a digest of the kernel's source, with what that imports, and of the types it is called with; its folder
  names the Python, the numba and the system it was made for;
- the processor has every feature of x86-64-v3 (otherwise: illegal instruction);
- nobody but its owner can write to it or to a folder above it: to load is to execute.
"""

import hashlib
import os
import pickle
import stat
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

__all__ = [
    "CARRIED",
    "CARRY_INTO",
    "FEATURES",
    "LEVEL",
    "built_for",
    "carry",
    "carried_folder",
    "find_carried",
    "only_ours",
]

LEVEL = "x86-64-v3"
"""What compilers call processors with AVX2, from about 2015 on."""
FEATURES = (
    *("avx", "avx2", "bmi", "bmi2", "cmov", "crc32", "cx16", "cx8", "f16c", "fma", "fxsr", "lzcnt", "mmx", "movbe"),
    *("popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"),
)
"""All that LLVM may use on that level, in its words."""
CARRY_INTO = "CONFIDE_CARRY_INTO"
"""The environment variable by which the build says into which folder kernels go that are compiled."""
CARRIED = Path(__file__).parent


def built_for() -> str:
    """The system, Python and numba of this process, as a name of a folder."""
    return f"{llvm.get_process_triple()}-{LEVEL}-{sys.implementation.cache_tag}-numba-{version('numba')}"


@cache
def carried_folder() -> Path | None:
    """The folder of carried kernels that this process can run and trust; None if there is none."""
    folder = CARRIED / built_for()
    if not folder.is_dir() or not only_ours(folder):
        return None
    has = llvm.get_host_cpu_features()
    return folder if all(has.get(feature) for feature in FEATURES) else None


def only_ours(folder: Path) -> bool:
    """Whether nobody but the system, or who runs this, can write to the folder or to one above it."""
    if not hasattr(os, "geteuid"):  # Windows, where modes say nothing
        return False
    return all(_only_ours(place) for place in (folder.resolve(), *folder.resolve().parents))


def _only_ours(folder: Path) -> bool:
    status = folder.stat()
    if status.st_uid not in (0, os.geteuid()):
        return False
    others = status.st_mode & (stat.S_IWOTH if _is_private(status.st_gid) else stat.S_IWOTH | stat.S_IWGRP)
    return not others or bool(status.st_mode & stat.S_ISVTX)  # as in /tmp: only owners replace what lies there


def _is_private(group: int) -> bool:
    """Whether the group is that of the system, or has nobody in it but who runs this (as on many systems)."""
    import grp
    import pwd

    if group == 0:
        return True
    try:
        name, members = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(group)
    except KeyError:
        return False
    return members.gr_name == name and set(members.gr_mem) <= {name}


def find_carried(kernel: Any, state: str, types: Any) -> Any:
    """What numba kept of a kernel for these types of arguments; None if no wheel brought it."""
    folder = carried_folder()
    if folder is None:
        return None
    try:
        return pickle.loads((folder / _name(kernel, state, types)).read_bytes())
    except OSError:
        return None


def carry(kernel: Any, state: str, types: Any, kept: tuple[Any, ...], into: Path) -> None:
    """Put what numba keeps of a kernel where `find_carried` will look; for the build alone."""
    from numba.core import serialize

    dumps: Callable[[Any], bytes] = serialize.dumps
    folder = into / built_for()
    folder.mkdir(parents=True, exist_ok=True)
    library, descriptor, environment, signature, objects, lifted, _, *rest = kept
    unannotated = (library, descriptor, environment, signature, objects, lifted, "", *rest)  # types, and paths of here
    (folder / _name(kernel, state, types)).write_bytes(dumps(unannotated))


def _name(kernel: Any, state: str, types: Any) -> str:
    text = "\0".join((kernel.__module__, kernel.__qualname__, state, str(types)))
    return f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.kernel"
