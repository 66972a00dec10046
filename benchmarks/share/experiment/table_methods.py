"""OPTI and LDD of paper 002, section 6.1: owners publish an anonymised table instead of a tree.

An experiment takes the algorithms of `publish` as plain functions. Every attribute is a quasi-identifier, the class is
sensitive. Values are in the order in which the domains declare them, and become
coarser by joining neighbours in twos, fours, eights; a coarser cell stands for one of its values, drawn at random.
Where LDD would have too many combinations of levels to search (14 attributes of Adult: 430 million), it leaves every
other level out, or two of three, and so on.

    OPTI   the cuts of least classification metric (K-Optimize), rows left out where that is cheaper
    LDD    (c, l)-diversity: one level for each column (Incognito); otherwise neighbours on a line (1-D)
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

    from confide.core.requirements import Requirement
    from confide.core.tables.schema import Schema
    from confide.core.trees.nodes import Attribute
    from confide.publish.tables.publisher import TablePublisher
    from confide.publish.tables.recoding import Recoding
    from confide.share.domains import Domains

__all__ = ["NAMES", "table_methods"]

NAMES = ("OPTI", "LDD")
SECONDS = 10.0
"""For which the optimum of one table is looked for; then the best cuts found so far are taken."""

MOST = 1_000_000
"""Combinations of levels that LDD may have to search."""

_CLASS, _TOP = "class", "*"


def table_methods(domains: "Domains", names: tuple[str, ...] = NAMES) -> dict[str, Callable[[Any, Any, Any], Any]]:
    """The functions that `Experiment(tables=)` takes."""
    from confide.publish.tables.methods import publisher_named

    made: dict[str, Callable[[Any, Any, Any], Any]] = {}
    for name in names:

        def publish(X: "pa.Table", y: NDArray[Any], requirement: "Requirement", name: str = name) -> "pa.Table":
            method = _method(name, requirement)
            options: dict[str, Any] = {"suppress": 0.99, "time_limit": SECONDS} if name == "OPTI" else {}
            publisher = publisher_named(method, requirement=requirement, **options)
            return _published(publisher, domains, X, y, step=_step(domains.usable) if method == "incognito" else 1)

        made[name] = publish
    return made


def _method(name: str, requirement: "Requirement") -> str:
    from confide.core.requirements import RecursiveDiversity

    if name == "OPTI":
        return "k-optimize"
    return "incognito" if isinstance(requirement, RecursiveDiversity) else "one-dimensional"


def _published(
    publisher: "TablePublisher", domains: "Domains", X: "pa.Table", y: NDArray[Any], *, step: int
) -> "pa.Table":
    """Rows of the anonymised table, each cell drawn from the values it stands for."""
    import pyarrow as pa

    from confide.publish.tables.coding import CodedTable

    attributes = domains.usable
    leaves = {attribute.name: _leaves(attribute, X.column(attribute.name)) for attribute in attributes}
    columns: dict[str, Any] = {
        name: pa.array([f"v{code}" for code in codes.tolist()], pa.string()) for name, codes in leaves.items()
    }
    table = pa.table({**columns, _CLASS: pa.array(y.astype(str).tolist(), pa.string())})
    publisher.check()
    recoding = publisher.recode(CodedTable.of(table, _schema(attributes, step)))
    rows = recoding.rows
    rng = np.random.default_rng(0)
    made = {}
    for j, column in enumerate(recoding.table.quasi):
        attribute = next(a for a in attributes if a.name == column.name)
        meant = [_numbers_first(attribute, _meant(label, _width(attribute))) for label in recoding.labels[j]]
        codes = recoding.codes[j][rows]
        drawn = np.empty(len(rows), dtype=np.int64)
        for code in np.unique(codes).tolist():
            these = codes == code
            drawn[these] = rng.choice(meant[code], int(these.sum()))
        made[attribute.name] = _values(attribute, drawn, rng)
    labels = pa.array(y.astype(str)[rows].tolist(), pa.string())
    right, total = _commonest(recoding, labels), len(y)
    wrong = {"wrong": str(total - right), "records": str(total)}
    return pa.table({**made, _CLASS: labels}).replace_schema_metadata(wrong)


def _commonest(recoding: "Recoding", labels: "pa.Array") -> int:
    """How many of the rows that are left are of the commonest class of their group."""
    group, count = recoding.groups
    codes = labels.dictionary_encode().indices.to_numpy()
    table = np.zeros((count, int(codes.max(initial=0)) + 1), dtype=np.int64)
    np.add.at(table, (group, codes), 1)
    return int(table.max(axis=1).sum())


def _width(attribute: "Attribute") -> int:
    """Leaves of an attribute: its values, or its bins and missing numbers."""
    return len(attribute.values) if attribute.kind == "categorical" else len(attribute.bins)


def _leaves(attribute: "Attribute", column: Any) -> NDArray[np.int64]:
    if attribute.kind == "categorical":
        place = {value: code for code, value in enumerate(attribute.values)}
        return np.array([place[None if value is None else str(value)] for value in column.to_pylist()], dtype=np.int64)
    numbers = np.array([np.nan if value is None else float(value) for value in column.to_pylist()])
    codes = np.searchsorted(np.asarray(attribute.cuts), numbers, side="left")
    codes[np.isnan(numbers)] = len(attribute.bins) - 1
    return codes.astype(np.int64)


def _levels(attribute: "Attribute", step: int) -> range:
    """Between the values and the top: on level n, neighbours are joined in groups of 2 to the n; every step-th."""
    return range(step, max(1, math.ceil(math.log2(max(2, _width(attribute))))), step)


def _step(attributes: "tuple[Attribute, ...]") -> int:
    """The smallest step of levels with which their combinations can be searched; with the largest, none are left."""
    step = 1
    while any(_levels(a, step) for a in attributes) and math.prod(2 + len(_levels(a, step)) for a in attributes) > MOST:
        step += 1
    return step


def _schema(attributes: "tuple[Attribute, ...]", step: int) -> "Schema":
    from confide.core.tables.hierarchy import Hierarchy
    from confide.core.tables.schema import Column, Schema

    columns = {}
    for attribute in attributes:
        width = _width(attribute)
        levels = _levels(attribute, step)
        rows = [(f"v{code}", *(f"n{level}-{code >> level}" for level in levels), _TOP) for code in range(width)]
        columns[attribute.name] = Column(role="quasi-identifier", hierarchy=Hierarchy.from_rows(rows))
    return Schema({**columns, _CLASS: Column(role="sensitive")})


def _meant(label: str, width: int) -> NDArray[np.int64]:
    """The leaves that a released label stands for: names of `_schema`, joined by bars."""
    found: list[int] = []
    for name in label.split(" | "):
        if name == _TOP:
            return np.arange(width)
        if name.startswith("v"):
            found.append(int(name[1:]))
        else:
            level, node = (int(part) for part in name[1:].split("-"))
            found += range(node << level, min(width, (node + 1) << level))
    return np.array(found, dtype=np.int64)


def _numbers_first(attribute: "Attribute", leaves: NDArray[np.int64]) -> NDArray[np.int64]:
    """Without missing numbers, where a cell stands for some that are there: those would be drawn too often."""
    there = leaves[leaves < len(attribute.bins) - 1] if attribute.kind == "numeric" else leaves
    return there if len(there) else leaves


def _values(attribute: "Attribute", codes: NDArray[np.int64], rng: np.random.Generator) -> Any:
    import pyarrow as pa

    if attribute.kind == "categorical":
        return pa.array([attribute.values[code] for code in codes.tolist()], pa.string())
    bins = np.asarray(attribute.bins)
    gone = codes == len(bins) - 1
    at = np.minimum(codes, len(bins) - 2)
    # (low, high]: the upper end belongs to the bin
    numbers = bins[at + 1] - rng.random(len(codes)) * (bins[at + 1] - bins[at])
    return pa.array(numbers, pa.float64(), mask=gone)
