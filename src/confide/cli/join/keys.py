"""`confide join keys`: an authority and certificates for a trial."""

from pathlib import Path

import click

from confide.cli.options import note, print_json

__all__ = ["keys"]


@click.command(
    epilog="""\b
Example:
  confide join keys keys --site hospital --site insurer --coordinator registry
"""
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option("--site", "sites", metavar="NAME", multiple=True, required=True, help="A site; say it for each.")
@click.option("--coordinator", metavar="NAME", help="The coordinator, if it is not one of the sites.")
@click.option(
    "--address", "addresses", metavar="HOST", multiple=True, help="A host or IP the certificates are good for."
)
@click.option("--days", type=click.IntRange(1, 3650), default=30, show_default=True, help="How long they last.")
def keys(folder: Path, sites: tuple[str, ...], coordinator: str | None, addresses: tuple[str, ...], days: int) -> None:
    """Make a certificate authority and a certificate for every party, in DIR.

    Each party gets ca.pem, its NAME.pem and its NAME.key, and nobody else's key. The authority's own key is not kept.
    For real use let your own authority sign certificates whose first subject alternative name is the party's name.
    It must sign only names that it has checked: a party is recognised by the name in its certificate.
    """
    from confide.join.network.certificates import make_certificates

    names = [*sites, *([coordinator] if coordinator is not None and coordinator not in sites else [])]
    made = make_certificates(folder, names, addresses=addresses, days=days)
    note(f"give ca.pem to everybody, and each NAME.key to its owner only; they last {days} days")
    print_json({"files": [str(path) for path in made]})
