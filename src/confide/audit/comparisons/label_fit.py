"""Whether a released label stands for a value, as anybody reads it who has the schema; each pair is judged once.

*                          anything
the value's own text       itself
a node of the hierarchy    the values below it, and no other, whatever else its name looks like
20-29, -5 to 4             whole numbers in a range, both ends included
[0, 2.5), [2.5, 5]         numbers in a range
a | b                      what either stands for
the empty text             a missing value, which also is in whatever holds everything
"""

import re
from collections.abc import Container, Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.audit.comparisons.values import Values
from confide.core.requirements.base import exact
from confide.core.tables.schema import Schema

__all__ = ["covered"]

_TOP = "*"
_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_WHOLE = re.compile(r"([0-9]+)-([0-9]+)|([+-]?[0-9]+) to ([+-]?[0-9]+)")
_INTERVAL = re.compile(rf"\[({_NUMBER}), ({_NUMBER})([\])])")
_WRITTEN = 15  # digits that a bound is written with
_LEEWAY = 1e-14


class _Range(NamedTuple):
    low: float
    high: float
    open: bool  # without its upper end


def covered(
    values: Values,
    labels: Values,
    pairs: tuple[NDArray[np.int64], NDArray[np.int64]],
    *,
    schema: Schema,
    name: str,
    known: Iterable[int],
) -> NDArray[np.bool_]:
    """For each pair (number of a value, number of a label) whether the label stands for the value.

    `known` are the numbers of the values that hierarchies are built from.
    """
    of_value, of_label = pairs
    ok: NDArray[np.bool_] = np.array([text == _TOP for text in labels.texts], dtype=np.bool_)[of_label]
    ok |= values.missing[of_value] & labels.missing[of_label]
    chains, nodes, tops = _hierarchy(values, schema, name, known)
    ok |= _in_ranges(values, labels, pairs, nodes, single=schema.columns[name].range is not None)
    if ok.all():
        return ok
    place = {text: number for number, text in enumerate(labels.texts)}
    same = np.array([place[text] for text in labels.texts], dtype=np.int64)  # two may be called the same
    keys = [
        value * len(labels) + place[node]
        for value, text in enumerate(values.texts)
        for node in (text, *chains.get(value, ()), *(() if text else tops))
        if node in place
    ]
    ok |= np.isin(of_value * len(labels) + same[of_label], np.array(keys, dtype=np.int64))
    for at in np.flatnonzero(~ok).tolist():
        text = labels.texts[of_label[at]]
        if text not in nodes:
            value = int(of_value[at])
            ok[at] = _is_part(text, (values.texts[value], *chains.get(value, ())))
    return ok


def _in_ranges(
    values: Values,
    labels: Values,
    pairs: tuple[NDArray[np.int64], NDArray[np.int64]],
    nodes: Container[str],
    *,
    single: bool,
) -> NDArray[np.bool_]:
    """Which pairs are a number and a range that holds it; one number is a range only if `single`, else 1 is not 01."""
    of_value, of_label = pairs
    ranges = [None if text in nodes else _read_range(text, single=single) for text in labels.texts]
    if not any(ranges):
        return np.zeros(len(of_value), dtype=np.bool_)
    low, high = (np.array([np.nan if r is None else r[end] for r in ranges]) for end in (0, 1))
    without_end = np.array([r is not None and r.open for r in ranges])
    rounded = np.array([sum(map(str.isdigit, text)) >= _WRITTEN for text in labels.texts])  # a bound may be
    slack = np.where(rounded, _LEEWAY * np.maximum(np.abs(low), np.abs(high)), 0.0)
    number = values.numbers[of_value]
    below = np.where(without_end[of_label], number < (high + slack)[of_label], number <= (high + slack)[of_label])
    found: NDArray[np.bool_] = (number >= (low - slack)[of_label]) & below
    return found


def _hierarchy(
    values: Values, schema: Schema, name: str, known: Iterable[int]
) -> tuple[Mapping[int, tuple[str, ...]], frozenset[str], tuple[str, ...]]:
    """What each value becomes at the levels of its hierarchy; the names of all nodes; the name of a single top."""
    spec = schema.columns[name]
    if spec.hierarchy is None:
        return {}, frozenset(), ()
    used = [number for number in known if not values.missing[number]]
    texts = [values.texts[number] for number in used]
    if spec.range is None:
        rows = {row[0]: row for row in schema.hierarchy(name, texts).rows}
        chains = {number: rows[text] for number, text in zip(used, texts, strict=True)}
    else:
        numbers = values.numbers[used]
        cells = _cells(spec.range, spec.step, whole=bool((numbers == np.floor(numbers)).all()))
        rows = {row[0]: row for row in schema.hierarchy(name, cells).rows}
        chains = {number: rows[cells[at]] for number, at in zip(used, _cell_of(numbers, cells), strict=True)}
    above = {row[-1] for row in rows.values()}
    return chains, frozenset(text for row in rows.values() for text in row), tuple(above) if len(above) == 1 else ()


def _cells(bounds: tuple[float, float], step: float, *, whole: bool) -> list[str]:
    """The names of the finest ranges of a declared one."""
    low, high, width = exact(bounds[0]), exact(bounds[1]), exact(step)
    cells = []
    if whole and all(number.denominator == 1 for number in (low, high, width)):
        for start in range(int(low), int(high) + 1, int(width)):
            end = min(start + int(width) - 1, int(high))
            cells.append(f"{start}" if start == end else f"{start}-{end}" if start >= 0 else f"{start} to {end}")
        return cells
    edge = low
    while edge < high:
        above = edge + width
        upper = f"{_written(high)}]" if above >= high else f"{_written(above)})"
        cells.append(f"[{_written(edge)}, {upper}")
        edge = above
    return cells


def _written(number: Fraction) -> str:
    return str(number) if number.denominator == 1 else f"{float(number):.15g}"


def _cell_of(numbers: NDArray[np.float64], cells: list[str]) -> list[int]:
    starts = np.array([float(cell) if (r := _read_range(cell)) is None else r.low for cell in cells])
    found: list[int] = np.clip(np.searchsorted(starts, numbers, side="right") - 1, 0, None).tolist()
    return found


def _read_range(label: str, *, single: bool = True) -> _Range | None:
    if whole := _WHOLE.fullmatch(label):
        low, high = (float(end) for end in whole.groups() if end is not None)
        return _Range(low, high, open=False)
    if interval := _INTERVAL.fullmatch(label):
        return _Range(float(interval[1]), float(interval[2]), open=interval[3] == ")")
    if single and re.fullmatch(_NUMBER, label):
        return _Range(float(label), float(label), open=False)
    return None


def _is_part(label: str, names: tuple[str, ...]) -> bool:
    """Whether one of the names is among the parts of "a | b", or is a range within one that stands there."""
    for name in names:
        if label.startswith(f"{name} | ") or label.endswith(f" | {name}") or f" | {name} | " in label:
            return True
    ranges = [r for part in label.split(" | ") if (r := _read_range(part, single=False)) is not None]
    own = [r for name in names if (r := _read_range(name)) is not None]
    return any(_within(inner, outer) for inner in own for outer in ranges)


def _within(inner: _Range, outer: _Range) -> bool:
    if inner.high == outer.high:
        return outer.low <= inner.low and (inner.open or not outer.open)
    return outer.low <= inner.low and inner.high < outer.high
