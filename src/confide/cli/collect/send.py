"""`confide collect send`: one's own record, perturbed here, kept, and sent."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from confide.cli.options import EXISTING, NEW, note, print_json

__all__ = ["send"]


@click.command(
    epilog="""\b
Example (leave out --dry-run and give the collector's URL to send):
  confide collect send answer.json --scheme answers.scheme.json --keep kept.json --dry-run
"""
)
@click.argument("arguments", metavar="[URL] [RECORD.json]", nargs=-1)
@click.option("--item", "items", metavar="ITEM", multiple=True, help="An item of the record.")
@click.option("--field", "fields", metavar="NAME=VALUE", multiple=True, help="A field of the record.")
@click.option("--keep", type=NEW, required=True, help="File that keeps the perturbed record; sent again as it is.")
@click.option("--scheme", type=EXISTING, help="The scheme you trust; a collector with another is refused.")
@click.option(
    "--max-gamma", type=float, default=1000.0, show_default=True, help="Refuse a scheme that gives away more."
)
@click.option("--fresh", is_flag=True, help="Draw anew although a record is kept: says the new gamma, needs --yes.")
@click.option("--yes", is_flag=True, help="Accept the price of --fresh.")
@click.option("--dry-run", is_flag=True, help="Draw and keep, but send nothing.")
@click.option("--ca", type=EXISTING, help="Certificates (PEM) to trust for a collector with a private one.")
def send(
    arguments: tuple[str, ...],
    items: tuple[str, ...],
    fields: tuple[str, ...],
    keep: Path,
    scheme: Path | None,
    max_gamma: float,
    fresh: bool,
    yes: bool,
    dry_run: bool,
    ca: Path | None,
) -> None:
    """Perturb one record on this machine, keep it, and send it to the collector at URL.

    The record is RECORD.json (a list of items, or an object of fields), or given by --item or --field; these stay in
    the shell's history, and whoever lists this machine's processes sees them, so prefer the file. Only the
    perturbed record leaves. A second call sends the kept record again, whatever the record given, which gives nothing
    more away; a fresh draw would.
    """
    from confide.collect.schemes.scheme import read_scheme
    from confide.collect.schemes.words import gamma_and_epsilon
    from confide.collect.service.client import Client
    from confide.collect.service.kept_draws import check_gamma, keep_record

    url, file = _places(arguments, dry_run)
    trusted = None if scheme is None else read_scheme(scheme)
    client = None if url is None else Client(url, scheme=trusted, max_gamma=max_gamma, ca_file=ca)
    agreed = client.scheme if client is not None else trusted
    if agreed is None:
        raise click.UsageError("give the collector's URL, or --scheme FILE with --dry-run")
    check_gamma(agreed, max_gamma)
    kept_before = keep.exists()
    # Without a draw ahead the record is not looked at, and a refusal to draw comes first.
    record = _record(file, items, fields) if not kept_before or (fresh and yes) else None
    kept = keep_record(agreed, record, keep, fresh=fresh, accepted=yes)
    drawn = fresh or not kept_before
    note(f"{'drew a record and kept it in' if drawn else 'took the record kept in'} {keep}")
    note(f"gamma of all {len(kept.draws)} draws about you: {gamma_and_epsilon(kept.epsilon)}")
    answer: dict[str, Any] = {
        "scheme": kept.scheme,
        "submission": str(kept.submission),
        "record": list(kept.record),
        "draws": len(kept.draws),
        "gamma": kept.gamma if math.isfinite(kept.gamma) else None,
        "epsilon": kept.epsilon,
        "state": "not sent",
    }
    if client is not None and not dry_run:
        sent = client.submit([kept.record], submission=kept.submission)
        answer["state"] = "already stored" if sent.repeated else "stored"
    note(f"the record is {answer['state']}")
    print_json(answer)


def _places(arguments: Sequence[str], dry_run: bool) -> tuple[str | None, Path | None]:
    """The collector's address and the record's file, told apart by how an address begins."""
    urls = [text for text in arguments if text.startswith(("http://", "https://"))]
    files = [text for text in arguments if not text.startswith(("http://", "https://"))]
    if len(urls) > 1 or len(files) > 1:
        raise click.UsageError("give one URL and at most one RECORD.json")
    if not urls and not dry_run:
        raise click.UsageError("give the collector's URL (http:// or https://), or --dry-run to send nothing")
    return urls[0] if urls else None, Path(files[0]) if files else None


def _record(file: Path | None, items: Sequence[str], fields: Sequence[str]) -> Any:
    from confide.core.errors import InputError
    from confide.core.files import read_bytes

    if sum(map(bool, (file, items, fields))) != 1:
        raise click.UsageError("give the record once: RECORD.json, or --item for each item, or --field for each field")
    if file is not None:
        try:
            return json.loads(bytes(read_bytes(file, max_bytes=1 << 26)))
        except (ValueError, RecursionError):
            raise InputError("not JSON; a record is a list of items or an object of fields", source=file) from None
    if items:
        return list(items)
    pairs = [field.partition("=") for field in fields]
    if any(not parted for _, parted, _ in pairs):
        raise click.UsageError("--field takes NAME=VALUE")
    if len({name for name, _, _ in pairs}) < len(pairs):
        raise click.UsageError("a field is given twice")
    return {name: value for name, _, value in pairs}
