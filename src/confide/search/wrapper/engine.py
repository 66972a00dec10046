"""What every engine answers: links for a query, in its own order. It is given the query, and nothing else."""

from os import PathLike
from pathlib import Path
from typing import Protocol, runtime_checkable

from confide.core.errors import UsageError
from confide.search.wrapper.results import Result

__all__ = ["LONGEST_QUERY", "Engine", "NoEngine", "check_query", "open_engine"]

LONGEST_QUERY = 1_000


@runtime_checkable
class Engine(Protocol):
    """A search engine: `name` for people, `search` for links, best first."""

    @property
    def name(self) -> str:
        """What to call it, for example its host."""
        ...

    def search(self, query: str, *, count: int = 50) -> list[Result]:
        """Up to `count` links, ranked from 1; UnreachableError or InputError in one line if that fails."""
        ...


class NoEngine:
    """An engine that finds nothing: for ordering what others found."""

    name = "nothing"

    def search(self, query: str, *, count: int = 50) -> list[Result]:
        """Nothing."""
        return []


def check_query(query: str) -> str:
    """The query without blanks around it, or an error in one line."""
    if not isinstance(query, str) or not query.strip():
        raise UsageError("the query is empty")
    if len(query) > LONGEST_QUERY:
        raise UsageError(f"the query is longer than {LONGEST_QUERY:,} characters")
    return query.strip()


def open_engine(address: str | PathLike[str], *, seconds: float = 10.0) -> Engine:
    """The engine an address means.

    "https://searx.example"   a SearXNG server
    "engine.toml"             any engine that answers JSON, by this mapping file
    "index.sqlite"            an index on this machine
    """
    text = str(address)
    if text.startswith(("http://", "https://")):
        from confide.search.wrapper.searxng import SearXNG

        return SearXNG(text, seconds=seconds)
    path = Path(text)
    if path.suffix == ".toml":
        from confide.search.wrapper.json_engine import JsonEngine

        return JsonEngine.read(path, seconds=seconds)
    from confide.search.wrapper.local_index import LocalIndex

    return LocalIndex.open(path)
