"""A frame and its schema as integers. In dependency order:

texts             the values of a column as text, and as numbers where they are
domain            the declared range of a numeric column, in cells
numeric           the numbers of a column that is released as numbers
quasi             a quasi-identifier: leaves, levels and what they are called
coded_population  the people that those of a table are from, coded as these are
coded_table       all columns, by role
"""

from confide.publish.tables.coding.coded_table import Coded, CodedTable, Missing, check_columns
from confide.publish.tables.coding.domain import Domain
from confide.publish.tables.coding.numeric import NumberColumn
from confide.publish.tables.coding.quasi import QuasiIdentifier, ncp

__all__ = ["Coded", "CodedTable", "Domain", "Missing", "NumberColumn", "QuasiIdentifier", "check_columns", "ncp"]
