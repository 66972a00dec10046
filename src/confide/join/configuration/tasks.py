"""What the commands of `confide join` do with configuration files, as functions: a result, and notes for its reader.

train, simulate     a tree over all sites' tables -> Trained
evaluate            how a tree classes held-out records -> Evaluation
predict_table       classes for records whose parts lie at several sites -> Predicted
check_run           whether a run is ready to begin
check_site, own_part, own_ledger      what a site's owner may look at
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

from confide.core.errors import InputError, UsageError
from confide.join.configuration.files import JoinConfig, SiteConfig
from confide.join.configuration.parties import coordinator_of, credentials_of, served, simulation_of, site_of
from confide.join.coordinator.coordinator import Coordinator
from confide.join.coordinator.disclosure import certain_rows, told_for_certain, who_learned_what
from confide.join.coordinator.prediction import find_leaves
from confide.join.coordinator.secure_tree import SecureTree
from confide.join.graph.columns import CheckedColumn, check_columns, infinite_of
from confide.join.site.split_list import latest_run

if TYPE_CHECKING:
    import pyarrow as pa

    from confide.core.release import Release
    from confide.join.network.transport import FlightServer
    from confide.join.questions.evaluation import Evaluation

__all__ = [
    "Predicted",
    "Trained",
    "check_run",
    "check_site",
    "evaluate",
    "hosting",
    "own_ledger",
    "own_part",
    "predict_table",
    "simulate",
    "train",
]

File = str | PathLike[str]


@dataclass(frozen=True)
class Trained:
    """A tree over several sites' tables, and the coordinator that grew it."""

    tree: SecureTree
    coordinator: Coordinator

    @cached_property
    def release(self) -> "Release[dict[str, Any]]":
        """The tree with its passport, verified."""
        coordinator = self.coordinator
        parameters = {
            "criterion": coordinator.criterion,
            "min_leaf": coordinator.min_leaf,
            "min_branch": coordinator.min_branch,
            "max_depth": coordinator.max_depth,
            "confidence": coordinator.confidence,
            "hide_gains": coordinator.hide_gains,
        }
        return self.tree.release(min_records=coordinator.min_records, parameters=parameters)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know: the promise, the size of the tree, and what is unusual about it."""
        tree = self.tree
        inner = sum(node.site is not None for node in tree.nodes)
        said = [
            self.release.requirement.promise(),
            told_for_certain(tree.certain),
            f"{len(tree.nodes):,} nodes, {inner:,} of them split; depth {tree.depth}",
        ]
        if self.coordinator.was_finished:
            said.insert(0, "this run was finished already; no site was asked, and its tree is returned again")
        if not inner:
            said.append(
                "the tree is its root alone: no site offered a split, or pruning removed them all; "
                "look at forbidden columns, min_leaf and confidence"
            )
        return tuple(said)

    def summary(self) -> dict[str, Any]:
        """The run in numbers, as plain data for JSON."""
        tree, root = self.tree, self.tree.nodes[0]
        return {
            "run": tree.run,
            "joined_rows": sum(root.counts),
            "class_counts": dict(zip(tree.classes, root.counts, strict=True)),
            "nodes": len(tree.nodes),
            "depth": tree.depth,
            "splits": {site: sum(node.site == site for node in tree.nodes) for site in tree.sites},
            "messages": sum(line.messages for line in tree.ledger),
            "bytes": sum(line.bytes for line in tree.ledger),
            "certain": [line.to_dict() for line in tree.certain],
        }

    def who_learned_what(self) -> list[dict[str, Any]]:
        """A row for each party and source: what it learned, and in how many messages, entries and bytes."""
        return who_learned_what(self.tree.ledger)

    def who_could_tell(self) -> list[dict[str, Any]]:
        """A row for each party and neighbour: about how many people it could tell something for certain."""
        return certain_rows(self.tree.certain)


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


# -- the coordinator's ------------------------------------------------------------------------------------------------


def train(
    config: JoinConfig | File, *, resume: bool = False, take_over: bool = False, with_sites: Sequence[File] = ()
) -> Trained:
    """Grow one tree over the tables of several sites, as join.toml describes the run.

    `resume` continues the run in the state folder after its last finished level; `take_over` ends another run that the
    sites are busy with. `with_sites` are site.toml files of sites to serve from this process meanwhile.
    """
    read = _join(config)
    coordinator = coordinator_of(read)
    with hosting(with_sites, _parties(read)):
        return Trained(coordinator.train(resume=resume, take_over=take_over), coordinator)


def simulate(config: JoinConfig | File) -> Trained:
    """Run the whole protocol with all sites in this process; join.toml must name every site's configuration."""
    coordinator, _ = simulation_of(_join(config))
    return Trained(coordinator.train(), coordinator)


def evaluate(
    config: JoinConfig | File, tree: SecureTree, *, take_over: bool = False, with_sites: Sequence[File] = ()
) -> "Evaluation":
    """Try a tree on the held-out records of all sites, as join.toml names them; only counts by class come here.

    `take_over` and `with_sites` as in `train`.
    """
    read = _join(config)
    coordinator = coordinator_of(read)
    with hosting(with_sites, _parties(read)):
        return coordinator.evaluate(tree, take_over=take_over)


def check_run(config: JoinConfig | File) -> tuple[str, ...]:
    """Read the configuration and the certificates of a run, and ask nobody; an error says what is missing."""
    read = _join(config)
    coordinator_of(read)
    return (f"{read.name}: {len(read.sites)} sites, target {read.target}; nobody was asked",)


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
    read = _join(config)
    link = coordinator_of(read).link
    columns = {name: [str(value) for value in ids.column(name).to_pylist()] for name in ids.column_names}
    with hosting(with_sites, _parties(read)):
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


@contextmanager
def hosting(paths: Sequence[File], parties: Sequence[str]) -> Iterator[None]:
    """Serve sites from this process for as long as the block takes; each must be one of the parties, given once."""
    sites = [SiteConfig.read(path) for path in paths]
    for place, site in enumerate(sites):
        if site.name not in parties:
            raise UsageError(
                f"{paths[place]} is of {site.name!r}, which is not a site of this join: {', '.join(parties)}"
            )
        if any(other.name == site.name for other in sites[:place]):
            raise UsageError(f"--with-site names {site.name!r} twice; give each site once")
    servers: list[FlightServer] = []
    try:
        for site in sites:
            servers.append(served(site))
        yield
    finally:
        for server in servers:
            server.close()


def _parties(join: JoinConfig) -> list[str]:
    return [*join.sites, *([] if join.helper is None else [join.helper.name])]


def _join(config: JoinConfig | File) -> JoinConfig:
    return config if isinstance(config, JoinConfig) else JoinConfig.read(config)


# -- a site's owner's -------------------------------------------------------------------------------------------------


def check_site(config: SiteConfig) -> tuple[str, ...]:
    """Load a site's table and certificates; what would be served. A helper has no table, and nothing to note."""
    credentials_of(config.tls, config.folder, config.name)
    if config.table is None:
        return ()
    site = site_of(config, state=False)
    said = [f"{config.name}: {site.table.num_rows:,} records, {len(site.attributes)} columns to split on"]
    columns = check_columns(site.table, site.attributes, categorical=config.table.categorical)
    if site.held_out is not None:
        said.append(f"{site.held_out.frame.num_rows:,} held-out records to try trees on")
    said += [f"joins {name} on {_typed(site.table, found.on)}" for name, found in config.neighbours.items()]
    numbers = [column.column for column in columns if column.kind == "numeric"]
    labels = [f"{column.column} ({column.values:,})" for column in columns if column.kind == "categorical"]
    if numbers:
        said.append(f"split at a threshold, as numbers: {', '.join(numbers)}")
    gaps = [
        f"{column.column} ({column.missing:,})" for column in columns if column.kind == "numeric" and column.missing
    ]
    if gaps:
        said.append(f"numbers are missing in (records): {', '.join(gaps)}; they go where they gain more")
    if labels:
        said.append(f"a branch for each value (how many): {', '.join(labels)}")
    said += _warned_of(columns, site.table.num_rows)
    if (fault := infinite_of(columns)) is not None:
        raise InputError(f"{config.name}: {fault}; a run stops if one of these records joins")
    if not site.attributes:
        said.append("the policy forbids every column, so this site offers no split")
    return tuple(said)


def _warned_of(columns: Sequence[CheckedColumn], rows: int) -> list[str]:
    """Columns that say who somebody is: a branch for each of their values learns nothing, and tells records apart."""
    alone = [c.column for c in columns if c.kind == "categorical" and c.values >= max(20, _MOSTLY_ALONE * rows)]
    if not alone:
        return []
    named = ", ".join(f'"{name}"' for name in alone)
    said = (
        f"warning: in {', '.join(alone)} nearly every record has a value of its own, so a split there learns nothing "
        f"and tells records apart; say forbid = [{named}] in [policy] (joining by it is still allowed)"
    )
    return [said]


_MOSTLY_ALONE = 0.8


def _typed(table: "pa.Table", names: Sequence[str]) -> str:
    return ", ".join(f"{name} ({table.schema.field(name).type})" for name in names)


def own_part(config: SiteConfig) -> list[dict[str, Any]]:
    """The nodes of the last finished tree that a site split, and how: for its owner only."""
    found = latest_run(config.path(config.state)).by_number()
    return [split.said() for _, split in sorted(found.items())]


def own_ledger(config: SiteConfig) -> Iterator[str]:
    """Every message a site sent or received, a line of JSON each."""
    file = config.path(config.state) / "ledger.jsonl"
    if not file.exists():
        raise UsageError(f"{file} does not exist; this site has not taken part in a run yet")
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            yield line.rstrip("\n")
