"""Packages whose names are imported when first used, so that importing the package costs nothing."""

from collections.abc import Callable, Mapping
from importlib import import_module
from operator import attrgetter
from typing import Any

__all__ = ["call", "exports"]


def call(path: str, *arguments: Any) -> Any:
    """Call "module:function", imported now: for a lower floor of the house that may not import a higher one."""
    module, _, name = path.partition(":")
    return attrgetter(name)(import_module(module))(*arguments)


def exports(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` for a package; `homes` maps each public name to the module it lives in.

    __getattr__, __dir__ = exports(__name__, {"Release": "confide.core.release"})
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    def names() -> list[str]:
        return sorted(homes)

    return find, names
