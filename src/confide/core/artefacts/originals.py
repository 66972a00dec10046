"""What a stage read, for the auditor to compare with what is released. It stays with the owner, in memory.

A stage hands one of these to `Release.issue`; the stage's entry names who compares. Nothing here is published, nor
written: `places` would tell which row is whose.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.stored_table import StoredTable
from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.tables.schema import Schema
from confide.core.tables.taxonomy import Taxonomy
from confide.core.transactions.container import Transactions
from confide.core.trees.published import PublishedTree, Value
from confide.core.trees.rules import RuleSet

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["OriginalBaskets", "OriginalRecords", "OriginalTable", "OriginalTree", "Population"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class OriginalTable:
    """A table as it was read. `places[i]` is the row that released row i came from.

    A table in files has no `places`: its rows are recoded by their values, and `becomes` gives for each
    quasi-identifier its values, for each of these which of some released labels it becomes (-1 where no row that has it
    is released), and those labels. `key` is that of pseudonyms.
    """

    table: "pa.Table | StoredTable"
    schema: Schema
    places: NDArray[np.int64] | None = None
    becomes: "Mapping[str, tuple[pa.Array, NDArray[np.int32], pa.Array]]" = field(default_factory=dict)
    key: bytes | None = None


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Population:
    """The people whom somebody could look for: a table with a row for each, and the schema that says which values
    released ones stand for. Rows that lack a quasi-identifier are counted nowhere.

    Whoever has it may hand it to the auditor, the owner or somebody else.
    """

    table: "pa.Table"
    schema: Schema


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class OriginalBaskets:
    """Transactions as they were read. `places[i]` is the record that released record i came from, None in files.

    `taxonomy` is the one by which items were renamed, if the owner gave one.
    """

    transactions: Transactions | StoredTransactions
    places: NDArray[np.int64] | None = None
    taxonomy: Taxonomy | None = None


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class OriginalRecords:
    """Records that a tree counts: numbers (nan where missing) or codes of values by attribute, and each one's class.

    `roundings` says how many shares, each rounded to a whole part, may have been added up in a tree of shares.
    """

    columns: Mapping[str, "NDArray[np.float64] | tuple[NDArray[np.int32], tuple[Value, ...]]"]
    classes: tuple[str, ...]
    of: NDArray[np.int32]
    roundings: int = 1


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class OriginalTree:
    """A tree, or rules, whose leaves were merged; nobody gave the records."""

    tree: PublishedTree | RuleSet
