"""Publishing a table as a request: what `confide publish table` asks for, for any program to ask the same.

The algorithms do the work. This module adds what an owner needs around them: a choice of method, and notes in plain
sentences.
"""

from dataclasses import dataclass
from os import PathLike
from typing import Any

from confide.core.datasets.intake import as_rows
from confide.core.datasets.tables import StoredTable
from confide.core.errors import UsageError
from confide.core.release import Release
from confide.core.requirements.tables import TableRequirement
from confide.core.runtime.threads import answers_ctrl_c
from confide.core.tables.schema import SchemaLike, schema_of
from confide.publish.tables.cautions import NOT_LOOKED_AT, find_cautions
from confide.publish.tables.coding import CodedTable, Missing
from confide.publish.tables.loss.measures import LossName
from confide.publish.tables.mapping import GlobalMapping
from confide.publish.tables.methods import Method, choose, publisher_named

__all__ = ["TablePublication", "TableRequest", "publish_table"]


@dataclass(frozen=True, kw_only=True)
class TableRequest:
    """What to publish: the promise, the schema, and what may be given up. The fields are those of the algorithms.

    `method` names the algorithm; "auto" tries those that recode locally and takes the one that loses least; for a table
    that is not in memory it is Incognito. `explain` adds the owner's part to the release.
    """

    requirement: TableRequirement
    schema: SchemaLike
    method: Method = "auto"
    loss: LossName | None = None
    suppress: float = 0.0
    missing: Missing = "refuse"
    keep_order: bool = False
    pseudonyms: bytes | None = None
    explain: bool = False

    def options(self) -> dict[str, Any]:
        """What every algorithm takes."""
        given: dict[str, Any] = {
            "requirement": self.requirement,
            "suppress": self.suppress,
            "missing": self.missing,
            "keep_order": self.keep_order,
            "pseudonyms": self.pseudonyms,
        }
        return given if self.loss is None else given | {"loss": self.loss}


@dataclass(frozen=True, kw_only=True)
class TablePublication:
    """A verified release, the method that made it, and notes for its owner: why this method, promise and cost.

    `mapping` says what each value became, where the method recodes equal values alike.
    """

    release: Release[Any]
    method: str
    mapping: GlobalMapping | None
    notes: tuple[str, ...]

    def needed_mapping(self) -> GlobalMapping:
        """The mapping, or an error where the method has none."""
        if self.mapping is None:
            raise UsageError(
                f"{self.method} recodes equal values differently, so there is no mapping; use method='incognito'"
            )
        return self.mapping


@answers_ctrl_c
def publish_table(frame: Any, request: TableRequest, *, into: str | PathLike[str] | None = None) -> TablePublication:
    """Publish a table as `confide publish table` does, without writing a file; `frame` and `into` as for `publish`.

    >>> import pyarrow as pa
    >>> from confide import KAnonymity
    >>> frame = pa.table({"age": [21, 22, 23, 38, 39, 40], "ill": ["a", "b", "a", "c", "b", "a"]})
    >>> schema = {"age": {"role": "quasi-identifier", "range": [0, 99]}, "ill": {"role": "sensitive"}}
    >>> done = publish_table(frame, TableRequest(requirement=KAnonymity(k=3), schema=schema))
    >>> sorted(set(done.release.data["age"].to_pylist())), done.method
    (['0-30', '31-99'], 'mondrian')
    """
    why = ""
    method: str
    cautions: tuple[str, ...]
    frame = as_rows(frame)
    if isinstance(frame, StoredTable):
        method = "incognito" if request.method == "auto" else request.method
        why = f"chose incognito: {_STORED}" if request.method == "auto" else ""
        publisher = publisher_named(method, **request.options())
        release = publisher.publish(frame, request.schema, explain=request.explain, into=into)
        cautions = (NOT_LOOKED_AT,)
    elif request.method == "auto":
        publisher = publisher_named("mondrian", **request.options())
        publisher.check()
        table = CodedTable.of(frame, schema_of(request.schema), missing=request.missing)
        chosen = choose(table, **request.options())
        publisher = chosen.publisher
        release = publisher.publish_recoded(chosen.recoding, frame, explain=request.explain)
        method, why = chosen.method, f"chose {chosen.method}: {chosen.why}"
        cautions = find_cautions(chosen.recoding)
    else:
        method = request.method
        publisher = publisher_named(method, **request.options())
        publisher.check()
        table = CodedTable.of(frame, schema_of(request.schema), missing=request.missing)
        recoding = publisher.recode_or_propose(table)
        release = publisher.publish_recoded(recoding, frame, explain=request.explain)
        cautions = find_cautions(recoding)
    notes = [why] if why else []
    notes += [release.passport.promise, release.passport.headline, *_warnings(release), *cautions]
    return TablePublication(release=release, method=method, mapping=publisher.mapping_, notes=tuple(notes))


_STORED = "the rows are not in memory, and methods that recode groups of rows need them there"


def _warnings(release: Release[Any]) -> list[str]:
    notes = []
    if release.loss["detail_lost"] > 0.5:
        notes.append(
            "more than half of the detail is lost; fewer quasi-identifiers, a smaller k or l, or finer hierarchies help"
        )
    roles = release.passport.context["roles"].values()
    asked = isinstance(release.requirement, TableRequirement) and release.requirement.of_sensitive
    if "sensitive" in roles and not asked:
        notes.append("warning: nothing is asked of the sensitive columns; all rows of a group may share a value")
    return notes
