"""TOML files that people write: read within limits, and one line for every fault."""

import tomllib
from os import PathLike
from pathlib import Path
from typing import Any

from confide.core.errors import InputError
from confide.core.files import read_bytes

__all__ = ["LARGEST_TOML", "read_toml"]

LARGEST_TOML = 1 << 20
"""Bytes of a file; a schema of some thousand columns stays below."""


def read_toml(path: str | PathLike[str]) -> dict[str, Any]:
    """What a TOML file says; an InputError names the line where it is not TOML."""
    source = Path(path)
    try:
        return tomllib.loads(bytes(read_bytes(source, max_bytes=LARGEST_TOML)).decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InputError("not UTF-8; save the file as UTF-8", source=source) from None
    except RecursionError:
        raise InputError("not a valid TOML file (nested too deeply)", source=source) from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"not a valid TOML file ({error})", source=source) from None
    except ValueError:
        raise InputError("not a valid TOML file (a number has too many digits)", source=source) from None
