"""Results that a notebook shows as a table, out of what they say as plain data."""

from abc import ABC, abstractmethod
from typing import Any

from confide.core.runtime.lazy import call

__all__ = ["Shown"]


class Shown(ABC):
    """Gives a result with `to_dict` its look in notebooks."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """What it says, as plain data."""

    def _repr_html_(self) -> str:
        """For notebooks: each entry in a row, lists of entries as tables below."""
        return str(call("confide.report.notebook:facts_html", type(self).__name__, self.to_dict()))
