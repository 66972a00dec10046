"""Numbers, tables and charts as data, each with a declared unit: no page has to guess from a name what 0.8 means. In
dependency order:

units     the closed set of units
figures   named figures: a mapping of plain values that also knows units and headings
tables    a table with a unit for each column
charts    a stage says what to draw, the report draws it
diagrams  boxes with lines between them
shown     results that a notebook shows as a table
study     what a page shows that helps an owner decide
"""

from confide.core.figures.charts import Chart
from confide.core.figures.diagrams import Box, Diagram
from confide.core.figures.figures import Figure, Figures
from confide.core.figures.shown import Shown
from confide.core.figures.study import Study
from confide.core.figures.tables import Column, Table
from confide.core.figures.units import UNITS, Unit, UnitOf

__all__ = [
    "UNITS",
    "Box",
    "Chart",
    "Column",
    "Diagram",
    "Figure",
    "Figures",
    "Shown",
    "Study",
    "Table",
    "Unit",
    "UnitOf",
]
