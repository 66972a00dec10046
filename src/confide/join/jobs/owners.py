"""What a site's owner does: serve the table, look at it and at what was learned, ask a neighbour, make certificates."""

import json
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.errors import InputError, UsageError
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.join.configuration.config_files import File, SiteConfig
from confide.join.configuration.parties import asking_site, credentials_of, hosting, site_of, start_server
from confide.join.graph.split_columns import CheckedColumn, check_columns, infinite_of
from confide.join.jobs.requests import JoinIntersect, JoinKeys, JoinSite
from confide.join.questions.overlap import Overlap
from confide.join.site.split_list import latest_run

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["check_site", "intersect", "make_keys", "own_ledger", "own_part", "run_intersect", "serve_site"]

_MOSTLY_ALONE = 0.8  # the share of records with a value of their own above which a column names people


def make_keys(request: JoinKeys, host: Host = QUIET) -> Outcome:
    """The job `join keys`: an authority and certificates for a trial."""
    from confide.join.network.certificates import make_certificates

    names = list(dict.fromkeys([*request.sites, *([] if request.coordinator is None else [request.coordinator])]))
    files = make_certificates(request.folder, names, addresses=request.addresses, days=request.days)
    return Outcome(
        answer=files,
        document={"files": [str(path) for path in files]},
        notes=(f"give ca.pem to everybody, and each NAME.key to its owner only; they last {request.days} days",),
    )


def serve_site(request: JoinSite, host: Host = QUIET) -> Outcome:
    """The job `join site`: serve until interrupted, or show the owner what the request asks for."""
    config = SiteConfig.read(request.config)
    if request.show_splits:
        return Outcome(rows=lambda: own_part(config))
    if request.ledger:
        return Outcome(rows=lambda: map(json.loads, own_ledger(config)))
    if request.check_only:
        return Outcome(notes=check_site(config))
    from confide.web.serving import UntilSignal

    _log_to_terminal()
    ended = UntilSignal()
    server = start_server(config)
    host.say(
        f"{config.name} is serving at grpc+tls://{server.address}, for coordinator {config.coordinator}; Ctrl-C ends it"
    )
    ended.wait()
    server.close()
    return Outcome(notes=(f"{config.name} has stopped",))


def _log_to_terminal() -> None:
    """Orders refused and predictions answered are the owner's to read."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    log = logging.getLogger("confide.join")
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False


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
    said += [f"joins {name} on {_list_types(site.table, found.on)}" for name, found in config.neighbours.items()]
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
    said += _warn_of(columns, site.table.num_rows)
    if (fault := infinite_of(columns)) is not None:
        raise InputError(f"{config.name}: {fault}; a run stops if one of these records joins")
    if not site.attributes:
        said.append("the policy forbids every column, so this site offers no split")
    return tuple(said)


def _warn_of(columns: Sequence[CheckedColumn], rows: int) -> list[str]:
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


def _list_types(table: "pa.Table", names: Sequence[str]) -> str:
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


def intersect(
    config: SiteConfig | File, neighbour: str, *, size_only: bool = False, with_sites: Sequence[File] = ()
) -> Overlap:
    """The join values that a site shares with a neighbour, or only how many, as the policies of both allow.

    `config` is the asking site's site.toml; the neighbour must be serving. `with_sites` are site.toml files of sites to
    serve from this process meanwhile.
    """
    read = SiteConfig.of(config)
    site = asking_site(read)
    with hosting(with_sites, [*read.neighbours]):
        return site.overlap(neighbour, size_only=size_only)


def run_intersect(request: JoinIntersect, host: Host = QUIET) -> Outcome:
    """The job `join intersect`: the shared values for a file of the owner's, their number for everybody to see."""
    overlap = intersect(request.config, request.neighbour, size_only=request.size_only, with_sites=request.with_sites)

    def save(path: Path, replace: bool) -> str:
        from confide.core.tables.frames import write_table

        write_table(overlap.values, path, replace=replace, private=True)
        return f"{path} is for this site's owner; {request.neighbour} keeps the same values in its state folder"

    return Outcome(answer=overlap, save=save, document=overlap.summary())
