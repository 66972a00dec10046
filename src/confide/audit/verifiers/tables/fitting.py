"""Who of a population fits each group of a released table: read by the schema, as anybody does who has it.

A person fits a group if every label of it stands for their value (`comparisons.covering`). Where no value fits two
labels of a column, each person fits one group at most, and it is looked up; otherwise everybody is held against every
group.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.audit.comparisons.label_fit import covered
from confide.audit.comparisons.values import Values, read_values
from confide.audit.verifiers.grouping import NumberedColumn
from confide.audit.verifiers.tables.look import TableLook
from confide.core.artefacts.originals import Population
from confide.core.errors import InputError

__all__ = ["Fitting", "people_who_fit"]

_PAIRS = 1 << 20  # values beside labels that are judged at a time


@dataclass(frozen=True)
class Fitting:
    """How many people fit each group, and whether everybody of the population fits one."""

    people: NDArray[np.int64]
    everybody: bool


def people_who_fit(look: TableLook, population: Population) -> Fitting:
    """Count, for each group of the look, the people of the population who fit it."""
    codes, times, fits = _read(look.quasi, population)
    groups = len(look.groups.sizes)
    first = np.zeros(groups, dtype=np.int64)
    first[look.groups.of[::-1]] = np.arange(len(look.groups.of))[::-1]
    labels = [column.codes[first] for column in look.quasi.values()]
    if all((fit.sum(axis=0) <= 1).all() for fit in fits):
        return _looked_up(codes, times, fits, labels)
    people = np.zeros(groups, dtype=np.int64)
    reached = np.zeros(len(times), dtype=np.bool_)
    for group in range(groups):
        who = np.ones(len(times), dtype=np.bool_)
        for values, fit, label in zip(codes, fits, labels, strict=True):
            who &= fit[label[group]][values]
        people[group] = int(times[who].sum())
        reached |= who
    return Fitting(people, bool(reached.all()))


def _looked_up(
    codes: list[NDArray[np.int64]],
    times: NDArray[np.int64],
    fits: list[NDArray[np.bool_]],
    labels: list[NDArray[np.int64]],
) -> Fitting:
    """Each value becomes its one label, or none; people and groups with the same labels belong together."""
    of_person = [
        np.where(fit.any(axis=0), fit.argmax(axis=0), -1)[values] for fit, values in zip(fits, codes, strict=True)
    ]
    groups = len(labels[0])
    both = np.stack([np.append(a, b) for a, b in zip(labels, of_person, strict=True)], axis=1)
    number = np.unique(both, axis=0, return_inverse=True)[1].reshape(-1)
    people = np.zeros(int(number.max(initial=0)) + 1, dtype=np.int64)
    np.add.at(people, number[groups:], times)
    there = np.zeros(len(people), dtype=np.bool_)
    there[number[:groups]] = True
    return Fitting(people[number[:groups]], bool(there[number[groups:]].all()))


def _read(
    quasi: Mapping[str, NumberedColumn], population: Population
) -> tuple[list[NDArray[np.int64]], NDArray[np.int64], list[NDArray[np.bool_]]]:
    """The different people by the values of each column, how often each is there, and by column which label fits which
    value."""
    table = population.table
    missing = [name for name in quasi if name not in table.column_names]
    if missing:
        raise InputError(f"the population has no column {missing[0]!r}; it needs: {', '.join(quasi)}")
    strange = [name for name in quasi if name not in population.schema.columns]
    if strange:
        raise InputError(f"the schema does not describe {strange[0]!r}, a quasi-identifier of the release")
    written = type(population.schema)({name: population.schema.columns[name] for name in quasi})
    table = written.read_texts(table.select(list(quasi)))
    columns = {name: read_values(table.column(name), name=name) for name in quasi}
    there = np.ones(table.num_rows, dtype=np.bool_)
    for column in columns.values():
        there &= ~column.missing[column.codes]
    stacked = np.stack([column.codes[there].astype(np.int64) for column in columns.values()], axis=1)
    different, times = np.unique(stacked, axis=0, return_counts=True)
    used = [np.unique(different[:, place]) for place in range(len(quasi))]
    fits = [
        _fits(columns[name], labels, population, name, used[place])
        for place, (name, labels) in enumerate(quasi.items())
    ]
    return list(different.T), times.astype(np.int64), fits


def _fits(
    values: Values, labels: NumberedColumn, population: Population, name: str, used: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """`[label, value]`: whether a released label stands for a value of the population."""
    assert labels.values is not None
    shown = read_values(labels.values, name=name)
    found = np.zeros((len(shown.codes), len(values)), dtype=np.bool_)
    at_once = max(1, _PAIRS // max(1, len(used)))
    known = used.tolist()
    for start in range(0, len(shown.codes), at_once):
        some = shown.codes[start : start + at_once].astype(np.int64)
        pairs = np.tile(used, len(some)), np.repeat(some, len(used))
        ok = covered(values, shown, pairs, schema=population.schema, name=name, known=known)
        found[start : start + len(some), used] = ok.reshape(len(some), len(used))
    return found
