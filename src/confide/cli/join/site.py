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
@click.option("--check", is_flag=True, help="Load the table and certificates, say what would be served, and exit.")
@click.option("--show-splits", is_flag=True, help="Print this site's own part of the last tree, and exit.")
@click.option("--ledger", "show_ledger", is_flag=True, help="Print every message this site sent or received, and exit.")
def site(config: Path, check: bool, show_splits: bool, show_ledger: bool) -> None:
    """Serve one private table until interrupted, by Arrow Flight over mutual TLS.

    The table stays here. Neighbours get counts by join values that both have; the coordinator gets class counts and
    scores. How this site splits a node is kept in its state folder; --show-splits prints it.
    """
    from confide.join.configuration import tasks
    from confide.join.configuration.files import SiteConfig

    read = SiteConfig.read(config)
    if show_splits:
        print_rows(tasks.own_part(read), form="json")
        return
    if show_ledger:
        for line in tasks.own_ledger(read):
            print(line)
        return
    if check:
        for line in tasks.check_site(read):
            note(line)
        return
    from confide.join.configuration.parties import served
    from confide.web.serving import UntilSignal

    _log_here()
    ended = UntilSignal()
    server = served(read)
    note(f"{read.name} is serving at grpc+tls://{server.address}, for coordinator {read.coordinator}; Ctrl-C ends it")
    ended.wait()
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
