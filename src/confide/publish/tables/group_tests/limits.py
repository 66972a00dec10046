"""Whether a requirement can be met at all: asked of the whole table as one group.

No partition does better than the whole where joining groups that pass gives a group that passes. k-anonymity, every
diversity and (alpha, k)-anonymity are such; the whole release is always close to itself.
"""

from math import exp, log

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, UsageError
from confide.core.requirements.tables import (
    AllOf,
    AlphaK,
    DeltaPresence,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    KMap,
    KMapBySize,
    KMapByWeight,
    OthersKnown,
    RecursiveDiversity,
    SimpleDiversity,
    TableRequirement,
)
from confide.core.stages import NUMBERS_OF_COLUMNS, TABLE_KINDS
from confide.core.tables.schema import Schema
from confide.publish.tables.coding import CodedTable

__all__ = ["check_counted", "check_required", "check_size", "check_values"]


_KINDS_OF = {
    number: {kind for kind, entry in TABLE_KINDS.items() if number in entry.numbers} for number in NUMBERS_OF_COLUMNS
}
"""The kinds of requirements that a number of a schema may ask for."""


def check_required(requirement: TableRequirement, schema: Schema) -> None:
    """Raise if the schema requires something of a column that the requirement does not ask of it by name."""
    parts = requirement.parts if isinstance(requirement, AllOf) else (requirement,)
    for name, column in schema.columns.items():
        asked = {part.plain.kind for part in parts if part.plain.column == name}
        for key, kinds in _KINDS_OF.items():
            if key in (column.require or {}) and not asked & kinds:
                raise UsageError(
                    f"the schema requires {key} of {name!r}, and the requirement does not ask it of that column; "
                    f"give it with column={name!r}",
                    parameter="column",
                    value=name,
                )


def check_counted(requirement: TableRequirement, table: CodedTable) -> None:
    """Raise if people of a population are asked for who cannot be counted, or are fewer than the table has."""
    members = table.total if table.persons is None else int(table.persons.max()) + 1
    for part in requirement.parts_asked:
        if part.counts_population and table.population is None:
            raise UsageError(
                f"{part.kind} counts people of the population; give population=, a table of them",
                parameter="population",
            )
        if isinstance(part, KMap) and table.population is not None and table.population.total < part.k:
            raise CannotMeetError(
                f"k_map={part.k} is more than the {table.population.total:,} people of the population",
                parameter="k_map",
                value=part.k,
            )
        if isinstance(part, KMapBySize) and part.sample < members:
            raise UsageError(
                f"sample={part.sample} is smaller than the table of {members:,} people; give all of them",
                parameter="sample",
                value=part.sample,
            )
        if isinstance(part, DeltaPresence | KMapByWeight) and table.persons is not None:
            raise UsageError(
                f"{part.kind} together with a person column is not offered; use a table with a row per person"
            )
        if isinstance(part, KMapByWeight):
            column = table.schema.columns.get(part.weight)
            if column is None or column.role not in ("insensitive", "class"):
                why = "is not in the table" if column is None else f"has the role {column.role}"
                raise UsageError(
                    f"the column of sampling weights {part.weight!r} {why}; it must be released as it is, as an "
                    "insensitive one, so that the estimate can be checked"
                )


def check_size(part: TableRequirement, rows: int, *, what: str) -> None:
    """Raise if the table is smaller than a group must be."""
    if isinstance(part, KAnonymity | AlphaK) and rows < part.k:
        raise CannotMeetError(
            f"k={part.k} is larger than the table of {rows:,} {what}, so nobody can hide among k",
            parameter="k",
            value=part.k,
        )


def check_values(part: TableRequirement, name: str, counts: NDArray[np.int64], rows: int, *, what: str) -> None:
    """Raise if the whole table, as one group, fails a requirement of a sensitive column with these counts.

    `counts` are filled: commonest first, each row or person counted once.
    """
    asked = part.of if isinstance(part, OthersKnown) else part
    top = int(counts[0])
    share = f"the commonest value of {name!r} is in {top / rows:.1%} of all {what}"
    if isinstance(asked, SimpleDiversity) and top * asked.l > rows:
        raise CannotMeetError(f"l={asked.l} cannot be met: {share}", parameter="l", value=asked.l)
    if isinstance(asked, AlphaK) and top > asked.most_allowed(rows):
        raise CannotMeetError(f"alpha={asked.alpha:g} cannot be met: {share}", parameter="alpha", value=asked.alpha)
    values = len(counts)
    if isinstance(asked, DistinctDiversity) and values < asked.l:
        found = f"{name!r} has {values} value{'s' * (values != 1)}"
        raise CannotMeetError(f"l={asked.l} cannot be met: {found}", parameter="l", value=asked.l)
    if isinstance(asked, EntropyDiversity) and not asked.allows(counts.tolist()):
        entropy = log(rows) - sum(count * log(count) for count in counts.tolist()) / rows
        raise CannotMeetError(
            f"l={asked.l:g} cannot be met: {name!r} is worth no more than {exp(entropy):.2f} equally common values",
            parameter="l",
            value=asked.l,
        )
    if isinstance(asked, RecursiveDiversity):
        _check_recursive(asked, name, counts, top)


def _check_recursive(part: RecursiveDiversity, name: str, counts: NDArray[np.int64], top: int) -> None:
    tails = {least: int(counts[least - 1 :].sum()) for least in range(2, len(counts) + 1)}
    if part.most_frequent_allowed(tail=tails.get(part.l, 0), top=top):
        return
    raise CannotMeetError(
        f"(c={part.c:g}, l={part.l}) cannot be met: over the whole table the commonest value of {name!r} outweighs the "
        f"{part.l}-th and all rarer ones too far",
        parameter="l",
        value=part.l,
    )
