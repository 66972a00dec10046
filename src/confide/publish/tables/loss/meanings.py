"""What the labels of a release stand for, from the original, the release and the schema alone.

A label stands for the values of the original that it covers, each as likely as the others; a number that is no value of
the original, such as a mean, for the nearest one. Rows need not stand in the same order, nor be as many.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.core.tables.label_meaning import fits
from confide.core.tables.schema import Schema
from confide.publish.tables.coding.texts import Texts

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Meanings"]

_MOST_CLASSES = 30  # a column with more values is looked at by tenths, or by its commonest values


@dataclass(frozen=True, eq=False)
class Meanings:
    """A column of both tables: `codes` of the original into `values`, `labels` of the release into the rows of
    `weights`, which say how likely each value is under a label."""

    name: str
    values: list[str]
    codes: NDArray[np.int64]
    labels: NDArray[np.int64]
    weights: NDArray[np.float64]
    numbers: NDArray[np.float64] | None
    released: NDArray[np.float64] | None

    @classmethod
    def of(cls, original: "pa.Table", release: "pa.Table", schema: Schema, name: str) -> "Meanings":
        """Read the column; InputError where a label stands for no value of the original."""
        old, new = (_texts(table.column(name), name) for table in (original, release))
        (codes, values), (labels, names) = old, new
        hierarchy = _hierarchy(schema, name, values, codes)
        place = {value: n for n, value in enumerate(values)}
        numbers = _numbers(values)
        shown = _numbers(names)
        known = [n for n, label in enumerate(names) if label in place]
        weights = np.zeros((len(names), len(values)))
        weights[known, [place[names[n]] for n in known]] = 1
        rest = [n for n, label in enumerate(names) if label not in place]
        if numbers is not None:  # numbers that nobody has, such as means
            nearby = [n for n in rest if _number(names[n]) is not None]
            for n in nearby:
                weights[n, np.nanargmin(np.abs(numbers - float(names[n])))] = 1
            rest = [n for n in rest if n not in set(nearby)]
        if rest:
            covered = fits(values, [names[n] for n in rest], hierarchy=hierarchy, column=name).T
            weights[rest] = covered / covered.sum(axis=1, keepdims=True)
        means = None
        if numbers is not None:
            plain = np.nan_to_num(numbers)
            means = weights @ plain
            if shown is not None:
                means = np.where(np.isnan(shown), means, shown)
        return cls(name, values, codes, labels, weights, numbers, means)

    @cached_property
    def shares(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The share of each value in the original, and as the release tells it."""
        before = np.bincount(self.codes, minlength=len(self.values)) / max(1, len(self.codes))
        after = np.bincount(self.labels, minlength=len(self.weights)) / max(1, len(self.labels))
        return before, after @ self.weights

    @property
    def is_numeric(self) -> bool:
        return self.numbers is not None and not np.isnan(self.numbers).any()

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The values in their order: of numbers, or as they are listed."""
        if self.numbers is None or not self.is_numeric:
            return np.arange(len(self.values))
        return np.argsort(self.numbers, kind="stable")

    @cached_property
    def classes(self) -> NDArray[np.int64]:
        """A class for each value: itself; of many numbers their tenth; of many others the commonest, and one for the
        rest."""
        before, _ = self.shares
        if len(self.values) <= _MOST_CLASSES:
            return np.arange(len(self.values))
        found = np.zeros(len(self.values), dtype=np.int64)
        if self.is_numeric:
            found[self.order] = np.minimum((10 * (np.cumsum(before[self.order]) - before[self.order])).astype(int), 9)
        else:
            common = np.argsort(-before, kind="stable")[: _MOST_CLASSES - 1]
            found[:] = _MOST_CLASSES - 1
            found[common] = np.arange(len(common))
        return np.unique(found, return_inverse=True)[1].reshape(-1)

    @cached_property
    def class_weights(self) -> NDArray[np.float64]:
        """How likely each class is under a label."""
        found = np.zeros((len(self.weights), int(self.classes.max(initial=-1)) + 1))
        for value, kind in enumerate(self.classes):
            found[:, kind] += self.weights[:, value]
        return found

    def draw(self, draw: np.random.Generator) -> NDArray[np.int64]:
        """A value for each row of the release, drawn from what its label stands for."""
        upto = np.cumsum(self.weights, axis=1)[self.labels]
        upto[:, -1] = 1
        return (draw.random(len(self.labels))[:, None] >= upto).sum(axis=1)


def _texts(column: "pa.ChunkedArray", name: str) -> tuple[NDArray[np.int64], list[str]]:
    """Codes and texts, of which a missing value is one: the empty text."""
    read = Texts.of(column, name)
    used, codes = np.unique(read.codes, return_inverse=True)
    return codes.reshape(-1).astype(np.int64), ["" if code < 0 else read.texts[code] for code in used]


def _hierarchy(schema: Schema, name: str, values: list[str], codes: NDArray[np.int64]) -> Any:
    given = schema.columns[name].hierarchy
    if given is None:
        return None
    built = isinstance(given, Mapping) and given.get("build") == "by_frequency"  # needs every row, others each value
    return schema.hierarchy(name, [values[code] for code in codes if values[code]] if built else filter(None, values))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _numbers(texts: list[str]) -> NDArray[np.float64] | None:
    """The texts as numbers if each but the empty one is; None otherwise."""
    found = [np.nan if text == "" else _number(text) for text in texts]
    return None if not texts or None in found else np.array(found, dtype=np.float64)


def check_columns(original: "pa.Table", release: "pa.Table", names: tuple[str, ...]) -> None:
    """Refuse tables that lack a column, or have no rows."""
    for what, table in (("the original", original), ("the release", release)):
        lacking = [name for name in names if name not in table.column_names]
        if lacking:
            raise InputError(f"{what} has no column {lacking[0]!r}; columns are: {', '.join(table.column_names)}")
        if table.num_rows == 0:
            raise InputError(f"{what} has no rows, so there is nothing to compare")
