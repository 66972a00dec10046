"""A recoding becomes a release: columns in place, rows shuffled, the loss counted, the auditor asked."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.artefacts.originals import OriginalTable, Population
from confide.core.datasets.manifest import StagedParts
from confide.core.randomness import Randomness
from confide.core.release import OwnerPart, Release
from confide.core.requirements.tables import DATES_SHIFTED, ORDER_KEPT, PSEUDONYMS, TableRequirement
from confide.core.runtime.threads import ahead, in_threads
from confide.core.tables.frames import like
from confide.core.tables.persons import number_persons
from confide.core.tables.spelling import one_spelling
from confide.publish.tables.coding import CodedTable, QuasiIdentifier
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.keyed.date_shifts import check_shifts, days_of_persons, shifted_dates
from confide.publish.tables.keyed.pseudonyms import pseudonyms
from confide.publish.tables.loss.loss_figures import KEY_FIGURES, TableLoss
from confide.publish.tables.recoding import Recoding

if TYPE_CHECKING:
    import pyarrow as pa

    from confide.publish.tables.publisher import TablePublisher

__all__ = ["issue", "issued", "plain_column", "quasi_column", "released_table"]

STAGE = "publish table"

_FEW = 5  # counts below this are not told where the requirement names no k


def issue(
    publisher: "TablePublisher", recoding: Recoding, frame: Any, *, explain: bool = True, verify: bool = True
) -> Release[Any]:
    """The release of a recoding, verified, with its loss and the owner's part."""

    check_shifts(recoding.table.schema, publisher.shift_key)

    def rows(draws: Randomness) -> tuple[Any, OriginalTable, None]:
        order = np.arange(len(recoding.rows)) if publisher.keep_order else draws.permutation(len(recoding.rows))
        table = recoding.table
        read = OriginalTable(
            table=table.table,
            schema=table.schema,
            places=table.rows[recoding.rows[order]],
            key=publisher.pseudonyms,
        )
        made = released_table(recoding, order, key=publisher.pseudonyms, shift_key=publisher.shift_key)
        return made, read, None

    release = issued(publisher, recoding, rows, explain=explain, verify=verify)
    return release.given_as(lambda made: like(made, frame))


def issued(
    publisher: "TablePublisher",
    recoding: Recoding,
    rows: Callable[[Randomness], tuple[Any, OriginalTable, StagedParts | None]],
    *,
    explain: bool,
    verify: bool,
) -> Release[Any]:
    """The release of a recoding; `rows` makes its rows, in memory or in parts that are staged, beside what was read."""
    table = recoding.table
    requirement = publisher.requirement
    assert isinstance(requirement, TableRequirement)
    loss = TableLoss(
        recoding=recoding, least=requirement.fewest if requirement.fewest > 1 else _FEW, fewest=requirement.fewest
    )
    owner = ahead(lambda: _owner_part(recoding, loss, requirement)) if explain else None  # while the rows are shuffled
    draws = Randomness.system()
    data, original, staged = rows(draws)
    context: dict[str, Any] = {"roles": table.schema.roles}
    orders = _orders(requirement, table)
    if orders:
        context["orders"] = orders
    numbers = {column.name: column.numbers.spec.release for column in table.quasi if column.numbers is not None}
    if numbers:
        context["numbers"] = numbers
    people = table.population
    counted = {} if people is None else {"population": people.total}
    if recoding.after is not None:
        context["after"] = dict(recoding.after)
    grids = {column.name: column.domain.lines() for column in table.quasi if column.domain and column.domain.grid}
    if grids:
        context["grids"] = grids
    caveats = [ORDER_KEPT] if publisher.keep_order else []
    if publisher.pseudonyms is not None:
        context["pseudonyms"] = list(table.schema.named("identifier"))
        caveats.append(PSEUDONYMS)
    if table.schema.shifted:
        context["shifted"] = list(table.schema.shifted)
        caveats.append(DATES_SHIFTED)
    return Release.issue(
        data,
        requirement,
        stage=STAGE,
        algorithm=publisher.algorithm,
        parameters={**publisher.parameters(), **recoding.notes, **counted},
        context=context,
        loss=loss.public(),
        headline=loss.headline(),
        key_figures=KEY_FIGURES,
        charts=loss.charts(),
        owner=None if owner is None else owner(),
        randomness=None if publisher.keep_order else draws.describe(),
        caveats=tuple(caveats),
        evidence=None if people is None else Population(table=people.table, schema=table.schema),
        original=original,
        verify=verify,
        staged=staged,
    )


def _owner_part(recoding: Recoding, loss: TableLoss, requirement: TableRequirement) -> OwnerPart:
    from confide.publish.tables.table_explanation import owner_part

    return owner_part(recoding, loss, GroupTest(requirement, recoding.table))


def released_table(
    recoding: Recoding, order: NDArray[np.int64], *, key: bytes | None = None, shift_key: bytes | None = None
) -> "pa.Table":
    """The released rows in this order: every column in its place, identifiers gone or replaced; dates are shifted where
    the schema says so and there is a key."""
    import pyarrow as pa

    table = recoding.table
    rows = recoding.rows[order]
    original = table.rows[rows]
    place = {column.name: number for number, column in enumerate(table.quasi)}

    shifted = table.schema.shifted if shift_key is not None else ()
    days = days_of_persons(table.table, table.schema, original, key=shift_key) if shifted and shift_key else None

    def made(name: str) -> Any:
        role, column = table.schema.columns[name].role, table.table.column(name)
        if role == "quasi-identifier":
            return quasi_column(recoding, place[name], rows)
        if role == "person":
            assert table.persons is not None
            return pa.array(number_persons(recoding.groups[0][order], table.persons[rows]))
        if role == "identifier":
            assert key is not None
            return pseudonyms(column, original, key=key, name=name)
        values = plain_column(column, one_missing=role == "sensitive").take(pa.array(original))
        return values if days is None or name not in shifted else shifted_dates(values, days, name=name)

    gone = set() if key is not None else set(table.schema.named("identifier"))
    names = [name for name in table.table.column_names if name not in gone]
    return pa.table(dict(zip(names, in_threads(made, names), strict=True)))


def plain_column(column: "pa.ChunkedArray", *, one_missing: bool = False) -> "pa.ChunkedArray":
    """A column without its dictionary, which may hold values of rows that are left out; no view of text, and one
    spelling for each number. With `one_missing`, empty text is null, as for whoever counts sensitive values: somebody
    who knows a column as it is written would tell them apart."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    column = column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else one_spelling(column)
    if one_missing and (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        column = pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)
    return column


def quasi_column(recoding: Recoding, number: int, rows: NDArray[np.int64]) -> "pa.Array":
    """A quasi-identifier as it is released: in its own type if it stays a column of numbers, or where no value became
    coarser, else as text."""
    import pyarrow as pa

    column = recoding.table.quasi[number]
    codes, labels = recoding.codes[number][rows], recoding.labels[number]
    if column.numbers is not None:
        return pa.array(_typed(labels, recoding.table.table.column(column.name).type)).take(pa.array(codes))
    leaves = column.codes[rows]
    place = {label: code for code, label in enumerate(labels)}
    own_label = np.array([place.get(label, -1) for label in column.labels[0]], dtype=np.int32)[column.maps[0]]
    if np.array_equal(own_label[leaves], codes):
        own = _own_values(recoding.table, column, rows, leaves)
        if own is not None:
            return own
    return pa.array(labels, pa.string()).take(pa.array(codes))


def _typed(numbers: Sequence[str], kind: "pa.DataType") -> "pa.Array":
    """Numbers that are given as text, in the type of the column they stand in; an empty text is missing."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_integer(kind):
        return pa.array([int(text) if text else None for text in numbers], kind)
    if pa.types.is_floating(kind):
        return pa.array([float(text) if text else None for text in numbers], pa.float64()).cast(kind)
    if pa.types.is_decimal(kind):
        return pa.array([round(Decimal(text), kind.scale) if text else None for text in numbers], kind)
    return pa.array(numbers, pa.string())


def _own_values(
    table: CodedTable,
    column: QuasiIdentifier,
    rows: NDArray[np.int64],
    leaves: NDArray[np.int32],
) -> "pa.Array | None":
    """The original values, one spelling for each leaf; None if a leaf stands for several values.

    Of several spellings ("7" and "07", 0.0 and -0.0) the shortest, then the first by its letters: whichever row comes
    first, here or in parts of a file, the release is the same.
    """
    import pyarrow as pa

    if column.domain is not None and not (column.domain.whole and column.domain.step == 1):
        return None
    used = np.flatnonzero(np.bincount(leaves, minlength=column.leaves))
    original = plain_column(table.table.column(column.name))
    one = np.zeros(column.leaves, dtype=np.int64)
    one[leaves] = table.rows[rows]
    if pa.types.is_string(original.type) or pa.types.is_large_string(original.type):
        spelt = original.combine_chunks().dictionary_encode()
        if len(spelt.dictionary) > len(used):
            spellings = spelt.dictionary.to_pylist()
            rank = np.empty(len(spellings), dtype=np.int64)
            rank[sorted(range(len(spellings)), key=lambda i: (len(spellings[i]), spellings[i]))] = np.arange(len(rank))
            here = spelt.indices.fill_null(0).to_numpy()[table.rows[rows]]
            order = np.argsort(-rank[here], kind="stable")
            one[leaves[order]] = table.rows[rows[order]]
    values = original.take(pa.array(one[used]))
    values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    place = np.full(column.leaves, -1, dtype=np.int64)
    place[used] = np.arange(len(used))
    taken = place[leaves]
    return values.take(pa.array(taken, mask=leaves == column.missing))


def _orders(requirement: TableRequirement, table: CodedTable) -> dict[str, list[str]]:
    """The declared order of the sensitive values that ordered closeness goes by, where numbers do not say it."""
    test = GroupTest(requirement, table)
    asked = {name for part in test.parts if getattr(part.plain, "ordered", False) for name in part.columns}
    declared = [
        column
        for column in table.sensitive
        if asked & {None, column.name} and table.schema.columns[column.name].hierarchy is not None
    ]
    return {column.name: list(table.schema.hierarchy(column.name, column.labels).values) for column in declared}
