"""How the files of one call are read, as one object: what divides cells, how text is coded, which sheet, which engine.

A request makes one of its fields (`FileReading.reading`), and the job hands it to whatever reads a file. A caller in
Python gives the same words to a reader itself: `read_table("a.csv", delimiter=";")`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, get_args

from confide.core.errors import UsageError

__all__ = ["PLAIN", "EngineName", "Reading"]

EngineName = Literal["auto", "memory", "stream", "spark"]


def _silent(_: str) -> None:
    pass


@dataclass(frozen=True, kw_only=True)
class Reading:
    """None leaves it to the file: the only mark there is, UTF-8, the first sheet. `say` hears which engine, and why."""

    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    engine: EngineName = "auto"
    spark_master: str | None = None
    say: Callable[[str], None] = field(default=_silent, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.engine not in get_args(EngineName):
            raise UsageError(
                f"no engine {self.engine!r}; engines are: {', '.join(get_args(EngineName))}",
                parameter="engine",
                value=self.engine,
            )
        if self.spark_master is not None:
            if self.engine not in ("auto", "spark"):
                raise UsageError(
                    f"a Spark master counts with engine spark only, not with {self.engine}", parameter="spark_master"
                )
            object.__setattr__(self, "engine", "spark")

    @property
    def options(self) -> dict[str, str | None]:
        """The words that `read_table` and `Transactions.read` take."""
        return {"delimiter": self.delimiter, "encoding": self.encoding, "sheet": self.sheet}


PLAIN = Reading()
