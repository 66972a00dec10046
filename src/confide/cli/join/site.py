"""`confide join site`: serve one private table to a join, or show its owner the site's part of the tree."""

import logging
from pathlib import Path

import click

from confide.cli.options import EXISTING, note, print_rows

__all__ = ["site"]


@click.command(
    epilog="""\b
Examples:
  confide join site --config T2.toml --check
  confide join site --config T2.toml
"""
)
@click.option("--config", type=EXISTING, required=True, help="site.toml of this site.")
@click.option("--check", is_flag=True, help="Load the table and certificates, say what would be served, and leave.")
@click.option("--show-splits", is_flag=True, help="Print this site's own part of the last tree, and leave.")
@click.option("--ledger", "show_ledger", is_flag=True, help="Print every message this site sent or got, and leave.")
def site(config: Path, check: bool, show_splits: bool, show_ledger: bool) -> None:
    """Serve one private table until interrupted, by Arrow Flight over mutual TLS.

    The table stays here. Neighbours get counts by join values both have, the coordinator class counts and scores; how
    this site splits a node is kept in its state folder and shown by --show-splits.
    """
    from confide.join.configuration.files import SiteConfig

    read = SiteConfig.read(config)
    if show_splits:
        from confide.join.site.split_list import latest_run

        found = latest_run(read.path(read.state))
        print_rows((split.said() for _, split in sorted(found.by_number().items())), form="json")
        return
    if show_ledger:
        _print_ledger(read.path(read.state) / "ledger.jsonl")
        return
    from confide.join.configuration.parties import credentials_of, served, site_of
    from confide.web.serving import until_signal

    if check:
        credentials_of(read.tls, read.folder, read.name)
        if read.table is not None:
            loaded = site_of(read, state=False)
            note(f"{read.name}: {loaded.table.num_rows:,} records, {len(loaded.attributes)} columns to split on")
            if not loaded.attributes:
                note("the policy forbids every column, so this site offers no split")
        return
    _log_here()
    server = served(read)
    note(f"{read.name} is serving at grpc+tls://{server.address}, for coordinator {read.coordinator}; Ctrl-C ends it")
    until_signal()
    server.close()
    note(f"{read.name} has stopped")


def _log_here() -> None:
    """Orders refused and predictions answered are the owner's to read."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    log = logging.getLogger("confide.join")
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False


def _print_ledger(file: Path) -> None:
    from confide.core.errors import UsageError

    if not file.exists():
        raise UsageError(f"{file} does not exist; this site has taken part in no run yet")
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            print(line, end="")
