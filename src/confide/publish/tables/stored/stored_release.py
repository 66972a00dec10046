"""A table in files becomes a release in parts.

    distinct rows --> the algorithm, as in memory --> a recoding of those --> every row of the files --> parts, verified

The release is that of the same table in memory: the same recoding, the same rows but for their order, the same loss.
What needs all rows at once is refused: methods that recode groups of rows, persons, pseudonyms. Nor are there reasons
for single rows.
"""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.artefacts.originals import OriginalTable
from confide.core.artefacts.released_parts import read_released_parts
from confide.core.datasets.manifest import Manifest, StagedParts, Staging
from confide.core.datasets.shuffling import write_parts
from confide.core.datasets.stored_table import StoredTable
from confide.core.errors import UsageError
from confide.core.randomness import Randomness
from confide.core.release import Release
from confide.core.requirements.tables import TableRequirement
from confide.core.tables.schema import Schema
from confide.publish.tables.coding import CodedTable, check_columns
from confide.publish.tables.group_tests.rules import counted_by
from confide.publish.tables.stored.distinct import distinct_rows
from confide.publish.tables.stored.rewriting import Rewriting
from confide.publish.tables.table_release import issued

if TYPE_CHECKING:
    from confide.publish.tables.publisher import TablePublisher

__all__ = ["code_stored", "publish_stored"]


def publish_stored(
    publisher: "TablePublisher",
    stored: StoredTable,
    schema: Schema,
    *,
    into: str | PathLike[str] | None,
    explain: bool,
    verify: bool,
) -> Release[Any]:
    """Publish a table that stays in its files; parts are written beside `into`, and get that name with the release."""
    if into is None:
        raise UsageError(
            "a table that is not in memory is released into a folder; say which with into=",
            parameter="into",
            value=into,
        )
    Staging.check(Path(into))
    recoding = publisher.recode_or_propose(code_stored(publisher, stored, schema))
    publisher.check_recoded(recoding)
    publisher.mapping_ = recoding.mapping
    rewriting = Rewriting.of(recoding, stored.column_names)
    with Staging(Path(into)) as staged:

        def rows(_: Randomness) -> tuple[Any, OriginalTable, StagedParts]:
            parts = write_parts(
                rewriting.read_from(stored),
                stored.engine,
                staged.folder,
                rows=recoding.released,
                convert=rewriting,
                finish=rewriting.finished(),
                shuffle=not publisher.keep_order,
            )
            manifest = Manifest("table", parts)
            staged.written(manifest)
            data = read_released_parts(staged.folder, manifest, type="table", engine=stored.engine)
            read = OriginalTable(table=stored, schema=schema, becomes=rewriting.becomes())
            return data, read, StagedParts(staged, manifest)

        return issued(publisher, recoding, rows, explain=explain, verify=verify)


def code_stored(publisher: "TablePublisher", stored: StoredTable, schema: Schema) -> CodedTable:
    """The distinct rows of a table in files, as integers: what the publisher needs of them, and no other column."""
    check_columns(stored.column_names, len(stored), schema)
    _check(publisher, schema)
    distinct, times = distinct_rows(stored, _needed(publisher, schema))
    return CodedTable.of(distinct, schema, missing=publisher.missing, times=times)


def _check(publisher: "TablePublisher", schema: Schema) -> None:
    memory = "which needs all rows in memory; use engine memory, or a smaller table"
    if not publisher.is_global:
        raise UsageError(
            f"{publisher.algorithm} recodes groups of rows, {memory}, or a method that recodes equal values alike: "
            "incognito, k-optimize or top-down"
        )
    if schema.named("person"):
        raise UsageError(f"rows of one person ({schema.named('person')[0]!r}) are counted together, {memory}")
    numbers = [name for name, column in schema.columns.items() if column.release is not None]
    if numbers:
        raise UsageError(f"{numbers[0]!r} is released as numbers, which groups of rows make, {memory}")
    if schema.written:
        raise UsageError(f"{next(iter(schema.written))!r} is text that says a date or number, {memory}; or convert it")
    if schema.shifted or publisher.shift_key is not None:
        raise UsageError(f"dates are shifted by person, {memory}")
    asked = publisher.requirement.parts_asked if isinstance(publisher.requirement, TableRequirement) else ()
    if any(counted_by(part) is not None for part in asked):
        raise UsageError(f"people of the population are counted beside the rows, {memory}")
    if publisher.pseudonyms is not None:
        raise UsageError(f"pseudonyms are given only where no value is in two rows, {memory}")


def _needed(publisher: "TablePublisher", schema: Schema) -> list[str]:
    """Quasi-identifiers and class; sensitive columns only where something is asked of them."""
    sensitive = schema.named("sensitive")
    if not getattr(publisher.requirement, "of_sensitive", False):
        learned = publisher.loss == "classification" and not schema.named("class")
        sensitive = sensitive[:1] if learned else ()
    return [*schema.named("quasi-identifier"), *sensitive, *schema.named("class")]
