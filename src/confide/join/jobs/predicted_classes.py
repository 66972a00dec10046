"""Classes of records whose parts lie at several sites."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from confide.core.errors import InputError
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.join.configuration.config_files import File, JoinConfig
from confide.join.configuration.parties import coordinator_of, hosting
from confide.join.coordinator.prediction import find_leaves
from confide.join.coordinator.secure_tree import SecureTree
from confide.join.jobs.requests import JoinPredict

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Predicted", "predict_table", "run_predict"]


@dataclass(frozen=True)
class Predicted:
    """The class of each record, in the order of the ids; None for one that a site does not know.

    `sure` is the share of the joined records of training that were of this class where the record ends. `ids` is the
    table asked with, `by` what its cells are for each site asked: "id" or "row".
    """

    labels: list[str | None]
    sure: list[float | None]
    ids: "pa.Table"
    by: Mapping[str, str]

    def to_arrow(self) -> "pa.Table":
        """A row for each record: its ids, its class, and how sure that is."""
        import pyarrow as pa

        columns = dict(zip(self.ids.column_names, self.ids.columns, strict=True))
        taken = [name for name in ("class", "sure") if name in columns]
        if taken:
            raise InputError(f"a site cannot be named {taken[0]!r} in a table of predictions")
        return pa.table(
            {
                **columns,
                "class": pa.array(self.labels, pa.string()),
                "sure": pa.array([None if x is None else round(x, 4) for x in self.sure], pa.float64()),
            }
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        known = sum(label is not None for label in self.labels)
        said = [f"{_records(known)} classified; only ids and branches crossed between sites"]
        if known < len(self.labels):
            said.append(f"left without a class, since a site has no such id: {_records(len(self.labels) - known)}")
        by_row = [site for site, way in self.by.items() if way == "row"]
        if by_row:
            said.append(
                f"ids for {' and '.join(by_row)} were taken as row numbers, from 0, of the table as it is served now; "
                "if rows were added, removed or sorted since the ids were made, they mean other records; an id column "
                "in the site's file (id = NAME) avoids that"
            )
        return tuple(said)


def predict_table(
    config: JoinConfig | File,
    tree: SecureTree,
    ids: "pa.Table",
    *,
    by: str = "auto",
    skip_unknown: bool = False,
    with_sites: Sequence[File] = (),
) -> Predicted:
    """Classify records: `ids` has a column for each site that splits a node, named like the site.

    `by` is "row" (row numbers, from 0), "id" (the id column of each site), or "auto": ids at sites that have such a
    column, row numbers at the others. `skip_unknown` leaves records that a site does not know without a class, instead
    of refusing them all. `with_sites` as in `train`.
    """
    read = JoinConfig.of(config)
    link = coordinator_of(read).link
    columns = {name: [str(value) for value in ids.column(name).to_pylist()] for name in ids.column_names}
    with hosting(with_sites, read.parties):
        ends = find_leaves(tree, columns, link=link, by=by, timeout=read.step_deadline, skip_unknown=skip_unknown)
    nodes = [None if end < 0 else tree.nodes[end] for end in ends.nodes.tolist()]
    return Predicted(
        labels=[None if node is None else node.label for node in nodes],
        sure=[None if node is None else max(node.counts) / sum(node.counts) for node in nodes],
        ids=ids,
        by=ends.by,
    )


def _records(number: int) -> str:
    return f"{number:,} record{'' if number == 1 else 's'}"


def run_predict(request: JoinPredict, host: Host = QUIET) -> Outcome:
    """The job `join predict`: the records of a table of ids, with their classes."""
    from confide.core.tables.frames import read_table

    predicted = predict_table(
        request.config,
        SecureTree.read(request.tree),
        read_table(request.ids),
        by=request.by,
        skip_unknown=request.skip_unknown,
        with_sites=request.with_sites,
    )
    table = predicted.to_arrow()
    return Outcome(answer=table, notes=predicted.notes, rows=table.to_pylist, summary="predictions")
