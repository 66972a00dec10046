"""What a page shows that helps an owner decide, before anything is released."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from confide.core.figures.charts import Chart
from confide.core.figures.diagrams import Diagram
from confide.core.figures.figures import Figures
from confide.core.figures.tables import Table

__all__ = ["Study"]


@dataclass(frozen=True, kw_only=True)
class Study:
    """A title, a lead in words, figures, tables, charts and diagrams.

    `private` when true records, or a person's queries, were looked at for it: then it is the owner's. `warning` where
    what is planned hardly protects.
    """

    title: str
    lead: str
    facts: Figures
    tables: Mapping[str, Table]
    charts: tuple[Chart, ...]
    diagrams: tuple[Diagram, ...] = ()
    private: bool = True
    warning: str = ""

    def shown(self) -> dict[str, Any]:
        """All but the title, as `confide.report.write_study` takes it."""
        return {name: value for name, value in vars(self).items() if name != "title"}
