"""Results that can leave as a frame: who has `to_arrow` gets the other libraries for free."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from confide.core.runtime.extras import require

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["Framed"]


class Framed(ABC):
    """Adds `to_pandas` and `to_polars` to a class that has `to_arrow`."""

    __slots__ = ()

    @abstractmethod
    def to_arrow(self) -> "pyarrow.Table":
        """The result as an Arrow table."""

    def to_pandas(self) -> "pandas.DataFrame":
        """As `to_arrow`, as a pandas frame (needs pandas)."""
        require("pandas", extra="tables")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> "polars.DataFrame":
        """As `to_arrow`, as a polars frame (needs polars)."""
        frame: polars.DataFrame = require("polars", extra="tables").from_arrow(self.to_arrow())
        return frame
