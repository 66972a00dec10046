"""Which engine computes: asked for, or chosen by the size of the data; and said, with the reason.

    memory   everything in memory: fastest while it fits
    stream   batches from the files, on this machine (`stream_engine`)
    spark    a Spark cluster, or Spark on this machine (`--spark-master`)
    auto     memory while it fits into half of what is free, else stream

A job hands the engine on as an argument, in its `Reading`. A script that calls functions with paths says it once for a
block, with `using_engine`: that default is kept for the block's thread, and nothing of ours sets it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Literal

from confide.core.errors import MissingExtraError
from confide.core.runtime.lazy import call
from confide.core.runtime.memory import free_memory
from confide.core.tables.reading import PLAIN, EngineName, Reading

if TYPE_CHECKING:
    from confide.core.datasets.parts import Parts
    from confide.core.datasets.protocol import RecordEngine

__all__ = ["choose_engine", "default_reading", "engine_named", "using_engine"]

_SPARK = "confide.core.datasets.spark.spark_engine:spark_engine"
_default: ContextVar[Reading] = ContextVar("confide_engine", default=PLAIN)


@contextmanager
def using_engine(
    name: EngineName, *, spark_master: str | None = None, say: Callable[[str], None] | None = None
) -> Iterator[None]:
    """Compute with this engine in the block, for a script; `say` hears which it is for each data set, and why.

    >>> with using_engine("stream"):
    ...     pass
    """
    token = _default.set(Reading(engine=name, spark_master=spark_master, say=say or PLAIN.say))
    try:
        yield
    finally:
        _default.reset(token)


def default_reading() -> Reading:
    """How files are read where the caller does not say it: as the block around the call does, else as `auto`."""
    return _default.get()


def choose_engine(parts: "Parts", reading: Reading) -> Literal["memory", "stream", "spark"]:
    """The engine for a data set; `reading.say` hears which, and why."""
    if reading.engine != "auto":
        name, why = reading.engine, "as asked"
    else:
        needed, free = parts.memory, free_memory()
        fits = free is None or needed <= free // 2
        name = "memory" if fits else "stream"
        has = "an unknown amount" if free is None else _size(free)
        why = (
            f"it takes up to {_size(needed)} of memory, {'well below' if fits else 'more than half of'} the {has} free"
        )
    reading.say(f"engine {name}: {why} ({parts.rows:,} rows in {len(parts.files):,} Parquet files)")
    return name


def engine_named(name: Literal["stream", "spark"], *, spark_master: str | None = None) -> "RecordEngine":
    """The engine that reads files, by its name."""
    if name == "spark":
        try:
            engine: RecordEngine = call(_SPARK, spark_master)
        except ModuleNotFoundError:
            raise MissingExtraError("pyspark", "spark") from None
        return engine
    from confide.core.datasets.stream_engine import StreamEngine

    return StreamEngine()


def _size(size: int) -> str:
    return f"{size / (1 << 30):.1f} GB" if size >= 1 << 30 else f"{max(1, size >> 20):,} MB"
