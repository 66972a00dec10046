"""Optional packages: imported when needed, and one clear line when absent."""

from importlib import import_module
from typing import Any

from confide.core.errors import MissingExtraError

__all__ = ["require"]


def require(module: str, *, extra: str) -> Any:
    """Import an optional package, or say which extra brings it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0]:
            raise
        raise MissingExtraError(module.partition(".")[0], extra) from None
