"""`confide join train`: the coordinator of a run."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from confide.cli.options import EXISTING, note, print_json
from confide.cli.release_files import ReleaseFiles, release_options

if TYPE_CHECKING:
    from confide.core.release import Release
    from confide.join.configuration.files import JoinConfig
    from confide.join.coordinator.coordinator import Coordinator
    from confide.join.coordinator.secure_tree import SecureTree
    from confide.join.network.transport import FlightServer

__all__ = ["train"]


@click.command(
    epilog="""\b
Examples:
  confide join train --config join.toml --check
  confide join train --config join.toml --with-site T1.toml --with-site T2.toml -o tree.json --report join.html
"""
)
@click.option("--config", type=EXISTING, required=True, help="join.toml of this run.")
@release_options(owner=False)
@click.option("--resume", is_flag=True, help="Take up the run in the state folder after its last finished level.")
@click.option(
    "--with-site", "hosted", type=EXISTING, multiple=True, help="Also serve this site.toml, here, while training."
)
@click.option("--take-over", is_flag=True, help="End another run that the sites are busy with.")
@click.option("--check", is_flag=True, help="Read the configuration and certificates, ask nobody, and leave.")
def train(
    config: Path,
    output: Path | None,
    resume: bool,
    hosted: tuple[Path, ...],
    take_over: bool,
    check: bool,
    report: Path | None,
    sign: Path | None,
    replace: bool,
) -> None:
    """Grow one decision tree over the tables of several sites.

    The tree names who splits a node, never how; the ledger in it says what crossed between whom. Exit status 3 when a
    site does not answer, 1 when a site's policy forbids the run.
    """
    from confide.core.errors import UsageError
    from confide.core.runtime.progress import on_terminal
    from confide.join.configuration.files import JoinConfig
    from confide.join.configuration.parties import coordinator_of

    read = JoinConfig.read(config)
    coordinator = coordinator_of(read)
    if check:
        note(f"{read.name}: {len(read.sites)} sites, target {read.target}; nobody was asked")
        return
    if output is None:
        raise UsageError("say where the tree goes with -o FILE")
    files = ReleaseFiles.checked(output, report=report, sign=sign, replace=replace, inputs=[config, *hosted])
    with serve_sites(hosted, read), on_terminal():
        tree = coordinator.train(resume=resume, take_over=take_over)
    if coordinator.was_finished:
        note("this run had come to its end; no site was asked, and its tree is written again")
    release = released(tree, coordinator)
    files.hand_out(release)
    tell(release, tree)
    print_json(_summary(tree))


@contextmanager
def serve_sites(paths: tuple[Path, ...], join: "JoinConfig") -> Iterator[None]:
    """Serve sites of this machine for as long as the block takes; each must be a party of the join, given once."""
    from confide.core.errors import UsageError
    from confide.join.configuration.files import SiteConfig
    from confide.join.configuration.parties import served

    parties = [*join.sites, *([] if join.helper is None else [join.helper.name])]
    sites = [SiteConfig.read(path) for path in paths]
    for place, site in enumerate(sites):
        if site.name not in parties:
            raise UsageError(f"{paths[place]} is of {site.name!r}, which is no site of this join: {', '.join(parties)}")
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


def released(tree: "SecureTree", coordinator: "Coordinator") -> "Release[dict[str, Any]]":
    """The tree with its passport."""
    parameters = {
        "criterion": coordinator.criterion,
        "min_leaf": coordinator.min_leaf,
        "max_depth": coordinator.max_depth,
        "confidence": coordinator.confidence,
        "hide_gains": coordinator.hide_gains,
    }
    return tree.release(min_records=coordinator.min_records, parameters=parameters)


def tell(release: "Release[dict[str, Any]]", tree: "SecureTree") -> None:
    """Say what the tree is like."""
    inner = sum(node.site is not None for node in tree.nodes)
    note(release.requirement.promise())
    note(f"{len(tree.nodes):,} nodes, {inner:,} of them split; depth {tree.depth}")
    if not inner:
        note(
            "the tree is its root alone: no site offered a split, or pruning took all back; "
            "look at forbidden columns, min_leaf and confidence"
        )


def _summary(tree: "SecureTree") -> dict[str, Any]:
    root = tree.nodes[0]
    return {
        "run": tree.run,
        "joined_rows": sum(root.counts),
        "class_counts": dict(zip(tree.classes, root.counts, strict=True)),
        "nodes": len(tree.nodes),
        "depth": tree.depth,
        "splits": {site: sum(node.site == site for node in tree.nodes) for site in tree.sites},
        "messages": sum(line.messages for line in tree.ledger),
        "bytes": sum(line.bytes for line in tree.ledger),
    }
