"""Publishing a table as a request: what `confide publish table` asks for, for any program to ask the same.

The algorithms do the work. This module adds what an owner needs around them: a choice of method, and notes in plain
sentences.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from confide.core.datasets.intake import as_rows, in_files
from confide.core.datasets.loading import is_loaded
from confide.core.datasets.stored_table import StoredTable
from confide.core.errors import RequestError, UsageError
from confide.core.jobs.ledger_use import OpenedLedger
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.release import Release
from confide.core.requirements.tables import IN_TABLE, TableRequirement
from confide.core.runtime.threads import answers_ctrl_c
from confide.core.series.membership import digest_table
from confide.core.tables.frames import format_of, mark_of
from confide.core.tables.schema import schema_of
from confide.publish.jobs.population_promise import with_sample
from confide.publish.jobs.tables import PublishTable
from confide.publish.tables.cautions import NOT_LOOKED_AT, find_cautions
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests.rules import counted_by
from confide.publish.tables.mapping import GlobalMapping
from confide.publish.tables.memberships import membership_of, people_of
from confide.publish.tables.methods import choose, publisher_named
from confide.publish.tables.publisher import TablePublisher

__all__ = ["TablePublication", "publish_table", "read_rows", "run"]


@dataclass(frozen=True, kw_only=True)
class TablePublication(Outcome):
    """A verified release, the method that made it, and notes for its owner: why this method, promise and cost.

    `mapping` says what each value became, where the method recodes equal values alike.
    """

    release: Release[Any]
    method: str
    mapping: GlobalMapping | None

    def needed_mapping(self) -> GlobalMapping:
        """The mapping, or an error where the method has none."""
        if self.mapping is None and "numbers" in self.release.passport.context:
            raise UsageError("means, medians and midpoints are made of groups, so there is no mapping of values")
        if self.mapping is None:
            raise UsageError(
                f"{self.method} recodes equal values differently, so there is no mapping; use method='incognito'",
                parameter="method",
                value=self.method,
                cures=[{"method": "incognito"}],
            )
        return self.mapping


def run(request: PublishTable, host: Host = QUIET) -> Outcome:
    """The job `publish table`: a release, or what every method and setting would cost."""
    from confide.publish.tables.table_exploration import explore_as_outcome

    return explore_as_outcome(request, host) if request.explore else publish_table(request, host)


@answers_ctrl_c
def publish_table(request: PublishTable, host: Host = QUIET) -> TablePublication:
    """Publish a table as `confide publish table` does, without writing a file.

    A table that is not in memory is released as Parquet parts in the folder `host.output`; with `host.owner` the
    release has its owner's part.

    >>> import pyarrow as pa
    >>> from confide.publish import PublishTable
    >>> frame = pa.table({"age": [21, 22, 23, 38, 39, 40], "ill": ["a", "b", "a", "c", "b", "a"]})
    >>> schema = {"age": {"role": "quasi-identifier", "range": [0, 99]}, "ill": {"role": "sensitive"}}
    >>> done = publish_table(PublishTable(table=frame, k=3, schema=schema, method="mondrian"))
    >>> sorted(set(done.release.data["age"].to_pylist())), done.method
    (['0-30', '31-99'], 'mondrian')
    """
    frame = read_rows(request, host)
    options = request.options(request.reading(host.say))
    options["requirement"] = request.requirement_asked(schema_of(request.schema))
    if not is_loaded(frame):
        return _publish_stored(frame, request, host, options)
    if host.output is not None:
        format_of(host.output)
    return _publish_frame(frame, request, host, options)


def read_rows(request: PublishTable, host: Host) -> Any:
    """The table, or where it lies if it stays there; says what was read."""
    if isinstance(request.table, Path) and not in_files(request.table):
        request.refuse_engine()
    frame = as_rows(request.table, reading=request.reading(host.say))
    if isinstance(request.table, Path):
        host.say(f"read {request.table}: {len(frame):,} rows, {len(frame.column_names)} columns")
    return frame


def _publish_stored(frame: StoredTable, request: PublishTable, host: Host, options: dict[str, Any]) -> TablePublication:
    """Release a table that is not in memory, by a method that recodes equal values alike."""
    if request.used_ledger is not None:
        name = "ledger" if request.after is None else "after"
        raise RequestError(name, request.used_ledger, "follows people of a table in memory; this one is not")
    if host.output is None and isinstance(request.table, Path):
        raise UsageError(
            "the records are not in memory, so a trial needs output=, a folder, too: parts are written beside it",
            parameter="output",
        )
    options |= {"requirement": with_sample(options["requirement"], len(frame))}
    method = "incognito" if request.method == "auto" else request.method
    why = f"chose incognito: {_STORED}" if request.method == "auto" else ""
    publisher = publisher_named(method, **options, **_limit(request, method))
    release = publisher.publish(frame, request.schema, explain=host.owner, into=host.output)
    return _publication(release, publisher, host, method=method, why=why, cautions=(NOT_LOOKED_AT,))


def _publish_frame(frame: Any, request: PublishTable, host: Host, options: dict[str, Any]) -> TablePublication:
    """Release a table in memory, by the method named or the one that loses least."""
    auto, why, repeat = request.method == "auto", "", None
    asked = options["requirement"]
    parts = asked.parts_asked if isinstance(asked, TableRequirement) else ()
    method = "incognito" if auto and any(counted_by(part) is not None for part in parts) else str(request.method)
    publisher_named("mondrian" if method == "auto" else method, **options).check()
    table = CodedTable.of(frame, schema_of(request.schema), missing=request.missing, population=options["population"])
    options |= {"requirement": with_sample(options["requirement"], count_sample(table))}
    opened = request.build_on(lambda: people_of(table, np.arange(len(table))), host)
    if opened is not None and opened.earlier is not None:
        if any(counted_by(part) is not None for part in parts):
            raise RequestError(
                "after", request.after, "counts rows of cells, not people of a population; ask k= and l="
            )
        if request.method not in ("auto", "mondrian", "incognito"):
            raise RequestError(
                "method", request.method, "builds on no earlier release: places are in cells; use {}", cure="auto"
            )
        return _publish_next(frame, table, request, host, options, opened)
    publisher = publisher_named("mondrian" if method == "auto" else method, **options, **_limit(request, method))
    if method == "auto":
        chosen = choose(table, **request.search_options(), **options)
        publisher, recoding, method = chosen.publisher, chosen.recoding, chosen.method
        why = f"chose {method}: {chosen.why}"
        repeat = replace(request, time_limit=None, rounds=chosen.rounds)
    else:
        recoding = publisher.recode_or_propose(table)
        why = f"chose incognito: {_COUNTED}" if auto else ""
    release = publisher.publish_recoded(recoding, frame, explain=host.owner)
    with_pseudonyms = request.pseudonyms is not None
    release, told = request.record(release, lambda: membership_of(recoding, pseudonyms=with_pseudonyms), host, opened)
    if isinstance(request.table, Path):
        release = replace(release, delimiter=_mark_of(request))
    cautions = (*find_cautions(recoding), *told, *_of_population(table))
    return _publication(release, publisher, host, method=method, why=why, cautions=cautions, repeat=repeat)


def _mark_of(request: PublishTable) -> str:
    return mark_of(request.table, delimiter=request.delimiter, encoding=request.encoding)


def _limit(request: PublishTable, method: str) -> dict[str, Any]:
    """How long Incognito searches, where that is said; for `auto` that is a matter of `choose`."""
    return request.search_options() if method == "incognito" and request.rounds is None else {}


def count_sample(table: CodedTable) -> int:
    """How many people of the population the table holds."""
    return table.table.num_rows if table.persons is None else int(table.persons.max()) + 1


def _of_population(table: CodedTable) -> tuple[str, ...]:
    """How many people were counted."""
    people = table.population
    if people is None:
        return ()
    lack = f"; {people.incomplete:,} more lack a value, and were counted nowhere" if people.incomplete else ""
    return (f"counted {people.total:,} people of the population{lack}",)


def _publish_next(
    frame: Any,
    table: CodedTable,
    request: PublishTable,
    host: Host,
    options: dict[str, Any],
    opened: OpenedLedger,
) -> TablePublication:
    """Release a table that is built on earlier releases."""
    from confide.publish.tables.series.at_levels import NextReleaseAtLevels
    from confide.publish.tables.series.next_release import NextRelease

    assert opened.earlier is not None
    kind = NextReleaseAtLevels if request.method == "incognito" else NextRelease
    publisher = kind(**options, earlier=opened.earlier, carry=request.carry)
    publisher.check()
    recoding = publisher.recode(table)
    release = publisher.publish_recoded(recoding, frame, explain=host.owner)
    membership = membership_of(
        recoding,
        pseudonyms=request.pseudonyms is not None,
        continued=publisher.continuation_,
        origin=digest_table(table.table),
    )
    release, told = request.record(release, lambda: membership, host, opened)
    if isinstance(request.table, Path):
        release = replace(release, delimiter=_mark_of(request))
    cautions = (*find_cautions(recoding), *publisher.notes(), *told)
    why = f"built on {opened.earlier.name}: {publisher.algorithm}"
    return _publication(release, publisher, host, method=publisher.algorithm, why=why, cautions=cautions)


def _publication(
    release: Release[Any],
    publisher: TablePublisher,
    host: Host,
    *,
    method: str,
    why: str,
    cautions: tuple[str, ...],
    repeat: PublishTable | None = None,
) -> TablePublication:
    passport = release.passport
    notes = (passport.promise, passport.headline, *_warnings(release), *cautions)
    loss = dict(release.loss)
    publication = TablePublication(
        release=release,
        method=method,
        mapping=publisher.mapping_,
        notes=(why, *notes) if why else notes,
        document={
            "requirement": release.requirement.to_dict(),
            "method": method,
            "loss": loss,
            "written": not host.trial,
        },
        rows=lambda: [{"loss": name, "value": value} for name, value in loss.items()],
        repeat=repeat,
        files={"mapping": lambda path, replace: _write_mapping(publication, path, replace)},
    )
    return publication


def _write_mapping(publication: TablePublication, path: Path, replace: bool) -> str:
    publication.needed_mapping().write(path, replace=replace)
    return f"what each value becomes is written to {path}"


_COUNTED = "people of the population are counted where equal values are recoded alike"

_STORED = "the rows are not in memory, and methods that recode groups of rows need them there"


def _warnings(release: Release[Any]) -> list[str]:
    notes = []
    if release.loss["detail_lost"] > 0.5:
        notes.append(
            "more than half of the detail is lost; fewer quasi-identifiers, a smaller k or l, or finer hierarchies help"
        )
    few = release.loss["smallest_group"]
    if isinstance(release.requirement, TableRequirement) and IN_TABLE in release.requirement.open_to_all:
        notes.append(
            f"warning: who knows that a person is in the table finds {few} row{'s' * (few != 1)} alike in the smallest "
            "group; ask for k=, too, to cover that"
        )
    roles = release.passport.context["roles"].values()
    asked = isinstance(release.requirement, TableRequirement) and release.requirement.of_sensitive
    if "sensitive" in roles and not asked:
        notes.append("warning: nothing is asked of the sensitive columns; all rows of a group may share a value")
    return notes
