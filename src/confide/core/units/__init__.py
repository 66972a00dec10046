"""Numbers with a declared unit, so that no page has to guess from a name what 0.8 means. In dependency order:

unit      the closed set of units
figures   named figures: a mapping of plain values that also knows units and headings
tables    a table with a unit for each column
"""

from confide.core.units.figures import Figure, Figures
from confide.core.units.tables import Column, Table
from confide.core.units.unit import UNITS, Unit, UnitOf

__all__ = ["UNITS", "Column", "Figure", "Figures", "Table", "Unit", "UnitOf"]
