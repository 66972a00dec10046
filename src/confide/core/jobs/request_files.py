"""Requests as files: what `--save-request FILE` writes, and `confide run FILE` reads.

    job = "mine itemsets"
    records = "baskets.csv"          # paths are relative to this file
    min_support = 0.01

    [files]
    output = "closed.parquet"

TOML and JSON say the same; the file's name says which it is. Defaults are left out, and so are passwords and the
contents of keys: a request names the file that holds them.
"""

import json
import os
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from confide.core.errors import InputError, RequestError
from confide.core.files import LARGEST_TOML, read_bytes, read_toml
from confide.core.jobs.catalogue import Job, job_named
from confide.core.jobs.delivery import Delivery
from confide.core.jobs.fields import RequestField, fields_of
from confide.core.jobs.kinds import names_files
from confide.core.jobs.request import Request
from confide.core.json_text import read_json

__all__ = ["read_request", "request_text"]

T = TypeVar("T", bound=Request)
STDIN = Path("-")


def request_text(job: Job[Any], request: Request, delivery: Delivery, path: str | PathLike[str]) -> str:
    """The text of a request file at `path`, in TOML or, where its name ends in .json, in JSON."""
    home = Path(path).parent
    plain: dict[str, Any] = {"job": job.name, **_moved(request, home)}
    files = _moved(delivery, home)
    if Path(path).suffix == ".json":
        return json.dumps(plain | ({"files": files} if files else {}), indent=2, ensure_ascii=False) + "\n"
    lines = [f"{key} = {_toml(value)}" for key, value in plain.items()]
    lines += ["", "[files]", *(f"{key} = {_toml(value)}" for key, value in files.items())] if files else []
    return "\n".join(lines) + "\n"


def read_request(path: str | PathLike[str]) -> tuple[Job[Any], Request, Delivery]:
    """The job, the request and the delivery that a file asks for; paths in it are relative to the file."""
    source = Path(path)
    if source.suffix == ".json":
        plain = read_json(read_bytes(source, max_bytes=LARGEST_TOML), what="a request", source=source)
    else:
        plain = read_toml(source)
    if not isinstance(plain, dict) or not isinstance(plain.get("job"), str):
        raise InputError('is not a request: it must name its job, as in job = "mine itemsets"', source=source)
    asked, files = dict(plain), plain.get("files", {})
    asked.pop("files", None)
    job = job_named(asked.pop("job"))
    if not isinstance(files, dict):
        raise InputError("[files] is not a table of settings", source=source)
    return job, _build(job.request, asked, source), _build(job.delivery, files, source)


def _build(type: type[T], plain: Mapping[str, Any], source: Path) -> T:
    """A request or delivery from plain values; each fault in one line, with the file."""
    known = {field.name: field for field in fields_of(type)}
    unknown = [name for name in plain if name not in known]
    if unknown:
        raise InputError(f"no setting is called {unknown[0]!r}; settings are: {', '.join(known)}", source=source)
    missing = [name for name, field in known.items() if field.required and name not in plain]
    if missing:
        raise InputError(f"{missing[0]} is missing: {known[missing[0]].help}", source=source)
    try:
        given = {name: _placed(known[name], known[name].check(value), source.parent) for name, value in plain.items()}
        return type(**given)
    except RequestError as error:
        raise InputError(str(error), source=source) from None


def _placed(field: RequestField, value: Any, home: Path) -> Any:
    """A path that was written relative to the request's folder, as whoever runs it now must open it."""
    if isinstance(value, tuple):
        return tuple(_placed(field, part, home) for part in value)
    if isinstance(value, Mapping):
        return {name: _placed(field, part, home) for name, part in value.items()}
    is_path = names_files(field.kind) and isinstance(value, Path) and value != STDIN
    return _without_detours(home / value) if is_path else value


def _without_detours(path: Path) -> Path:
    """The same path without "..", so that outputs that hold it say what a command in this folder would; one that leads
    elsewhere by a link is left as it is.

    >>> _without_detours(Path("runs/../people.csv")).as_posix()
    'people.csv'
    """
    plain = os.path.normpath(path)
    return Path(plain) if os.path.realpath(plain) == os.path.realpath(path) else path


def _moved(request: Request, home: Path) -> dict[str, Any]:
    """The plain values of a request, its paths relative to `home`."""
    plain = request.as_plain()
    for field in fields_of(type(request)):
        if field.name in plain and names_files(field.kind):
            plain[field.name] = _relative(getattr(request, field.name), home)
    return plain


def _relative(value: Any, home: Path) -> Any:
    """A path, or several, as seen from `home`; an address or standard input as it is."""
    if isinstance(value, tuple):
        return [_relative(part, home) for part in value]
    if isinstance(value, Mapping):
        return {name: _relative(part, home) for name, part in value.items()}
    is_path = isinstance(value, Path) and value != STDIN
    return Path(os.path.relpath(value, home)).as_posix() if is_path else str(value)


def _toml(value: Any) -> str:
    """A value of a request as TOML. JSON spells texts, numbers, lists and truth the same way, but for controls."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_toml(name)} = {_toml(part)}" for name, part in value.items()) + " }"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
