"""Which engine computes: asked for, or chosen by the size of the data; and said, with the reason.

    memory   everything in memory: fastest while it fits
    stream   batches from the files, on this machine (`streaming`)
    spark    a Spark cluster, or Spark on this machine (`--spark-master`)
    auto     memory while it fits into half of what is free, else stream

What is asked holds for all that is called in the block, so that no function passes it on.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from confide.core.errors import MissingExtraError, UsageError
from confide.core.runtime.lazy import call
from confide.core.runtime.memory import free_memory

if TYPE_CHECKING:
    from confide.core.datasets.parts import Parts
    from confide.core.datasets.protocol import RecordEngine

__all__ = ["EngineName", "chosen", "engine_for", "using_engine"]

EngineName = Literal["auto", "memory", "stream", "spark"]

_SPARK = "confide.core.datasets.spark.engine:spark_engine"


@dataclass(frozen=True)
class _Asked:
    name: EngineName = "auto"
    master: str | None = None
    say: Callable[[str], None] = lambda _: None


_AUTO = _Asked()
_asked: ContextVar[_Asked] = ContextVar("confide_engine", default=_AUTO)


@contextmanager
def using_engine(
    name: EngineName, *, spark_master: str | None = None, say: Callable[[str], None] | None = None
) -> Iterator[None]:
    """Compute with this engine in the block; `say` hears which it is for each data set, and why.

    >>> with using_engine("stream"):
    ...     pass
    """
    if name not in get_args(EngineName):
        raise UsageError(f"no engine {name!r}; engines are: {', '.join(get_args(EngineName))}")
    if spark_master is not None and name not in ("auto", "spark"):
        raise UsageError(f"a Spark master counts with engine spark only, not with {name}")
    name = "spark" if spark_master is not None else name
    token = _asked.set(_Asked(name, spark_master, say or (lambda _: None)))
    try:
        yield
    finally:
        _asked.reset(token)


def chosen(parts: "Parts") -> tuple[Literal["memory", "stream", "spark"], str]:
    """The engine for a data set, and why."""
    asked = _asked.get()
    if asked.name != "auto":
        name, why = asked.name, "as asked"
    else:
        needed, free = parts.memory, free_memory()
        fits = free is None or needed <= free // 2
        name = "memory" if fits else "stream"
        has = "an unknown amount" if free is None else _size(free)
        why = (
            f"it takes up to {_size(needed)} of memory, {'well below' if fits else 'more than half of'} the {has} free"
        )
    asked.say(f"engine {name}: {why} ({parts.rows:,} rows in {len(parts.files):,} Parquet files)")
    return name, why


def engine_for(name: str) -> "RecordEngine":
    """The engine that reads files, by its name."""
    if name == "spark":
        try:
            engine: RecordEngine = call(_SPARK, _asked.get().master)
        except ModuleNotFoundError:
            raise MissingExtraError("pyspark", "spark") from None
        return engine
    from confide.core.datasets.streaming import StreamEngine

    return StreamEngine()


def _size(size: int) -> str:
    return f"{size / (1 << 30):.1f} GB" if size >= 1 << 30 else f"{max(1, size >> 20):,} MB"
