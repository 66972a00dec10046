"""Publishing a table as a request: what `confide publish table` asks for, for any program to ask the same.

The algorithms do the work. This module adds what an owner needs around them: a choice of method, notes in plain
sentences, and what every method would cost.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from confide.core.errors import ConfideError
from confide.core.release import Release
from confide.core.requirements.tables import TableRequirement
from confide.core.tables.schema import Schema
from confide.publish.tables.coding import CodedTable, Missing
from confide.publish.tables.loss.measures import LossName, classification, discernibility
from confide.publish.tables.mapping import GlobalMapping
from confide.publish.tables.methods import METHODS, Method, choose, publisher_named
from confide.publish.tables.publisher import schema_of

_PATIENCE = 5.0  # seconds for a search that need not end, when methods are compared

__all__ = ["TablePublication", "TableRequest", "explore_table", "publish_table"]


@dataclass(frozen=True, kw_only=True)
class TableRequest:
    """What to publish: the promise, the schema, and what may be given up. The fields are those of the algorithms.

    `method` names the algorithm; "auto" tries those that recode locally and takes the one that loses least. `explain`
    adds the owner's part to the release.
    """

    requirement: TableRequirement
    schema: Schema | Mapping[str, Any] | str | PathLike[str]
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


def publish_table(frame: Any, request: TableRequest) -> TablePublication:
    """Publish a table as `confide publish table` does, without writing a file.

    >>> import pyarrow as pa
    >>> from confide import KAnonymity
    >>> frame = pa.table({"age": [21, 22, 23, 38, 39, 40], "ill": ["a", "b", "a", "c", "b", "a"]})
    >>> schema = {"age": {"role": "quasi-identifier", "range": [0, 99]}, "ill": {"role": "sensitive"}}
    >>> done = publish_table(frame, TableRequest(requirement=KAnonymity(k=3), schema=schema))
    >>> sorted(set(done.release.data["age"].to_pylist())), done.method
    (['0-30', '31-99'], 'mondrian')
    """
    why = ""
    if request.method == "auto":
        publisher = publisher_named("mondrian", **request.options())
        publisher.check()
        table = CodedTable.of(frame, schema_of(request.schema), missing=request.missing)
        chosen = choose(table, **request.options())
        publisher = chosen.publisher
        release = publisher.publish_recoded(chosen.recoding, frame, explain=request.explain)
        method, why = chosen.method, f"chose {chosen.method}: {chosen.why}"
    else:
        method = request.method
        publisher = publisher_named(method, **request.options())
        release = publisher.publish(frame, request.schema, explain=request.explain)
    notes = [why] if why else []
    notes += [release.requirement.promise(), release.passport.headline, *_warnings(release)]
    return TablePublication(release=release, method=method, mapping=publisher.mapping_, notes=tuple(notes))


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


def explore_table(frame: Any, request: TableRequest) -> list[dict[str, Any]]:
    """What every method would cost under this request: a row each, for the owner (figures are exact).

    A method that cannot meet the requirement, or does not take it, says so in its row.
    """
    publisher_named("mondrian", **request.options() | {"loss": "ncp"}).check()
    table = CodedTable.of(frame, schema_of(request.schema), missing=request.missing)
    rows = []
    for name, method in METHODS.items():
        row: dict[str, Any] = {"method": name, "detail lost": None, "rows left out": None, "groups": None}
        row |= {"mean group": None, "discernibility": None, "classification": None, "seconds": None}
        begun = time.perf_counter()
        try:
            given = {key: value for key, value in request.options().items() if key != "loss"}
            publisher = method.publisher(**given, **({"time_limit": _PATIENCE} if name == "k-optimize" else {}))
            found = publisher.recode(table)
        except ConfideError as error:
            rows.append(row | {"note": str(error)})
            continue
        if found.suppressed > publisher.budget(table):
            rows.append(row | {"note": "more rows would be left out than allowed"})
            continue
        metric = classification(found, found.suppressed)
        row |= {
            "detail lost": round(found.ncp(), 4),
            "rows left out": found.suppressed,
            "groups": len(found.sizes),
            "mean group": round(float(found.sizes.mean()), 2),
            "discernibility": discernibility(found.sizes, found.suppressed),
            "classification": None if metric is None else round(metric, 4),
            "seconds": round(time.perf_counter() - begun, 3),
        }
        rows.append(row | {"note": ""})
    return rows
