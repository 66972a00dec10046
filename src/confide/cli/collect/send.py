"""`confide collect send`: your own record, perturbed here, kept, and sent."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from confide.cli.options import EXISTING, NEW, NUMBER, note, print_json

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
@click.option("--max-gamma", type=NUMBER, default=1000.0, show_default=True, help="Refuse a scheme that reveals more.")
@click.option("--fresh", is_flag=True, help="Draw again although a record is kept: states the new gamma, needs --yes.")
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

    The record is RECORD.json (a list of items, or an object of fields), or given by --item or --field. These stay in
    the shell's history, and anyone who lists this machine's processes sees them, so prefer the file. Only the
    perturbed record leaves. A second call sends the kept record again, whatever the record given, and reveals nothing
    more; a fresh draw would.
    """
    from confide.collect.jobs.send import SendRequest, prepare, will_draw

    url, file = _places(arguments, dry_run)
    if url is None and scheme is None:
        raise click.UsageError("give the collector's URL, or --scheme FILE with --dry-run")
    drawing = will_draw(keep, fresh=fresh, accepted=yes)
    request = SendRequest(
        record=_record(file, items, fields) if drawing else None,
        keep=keep,
        url=url,
        scheme=scheme,
        max_gamma=max_gamma,
        fresh=fresh,
        accepted=yes,
        dry_run=dry_run,
        ca_file=ca,
    )
    prepared = prepare(request)
    for text in prepared.notes:  # before anything is sent, which may fail
        note(text)
    done = prepared.submit()
    note(done.notes[-1])
    print_json(done.to_dict())


def _places(arguments: Sequence[str], dry_run: bool) -> tuple[str | None, Path | None]:
    """The collector's address, which begins with http:// or https://, and the record's file."""
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
    if any(not sign for _, sign, _ in pairs):
        raise click.UsageError("--field takes NAME=VALUE")
    if len({name for name, _, _ in pairs}) < len(pairs):
        raise click.UsageError("a field is given twice")
    return {name: value for name, _, value in pairs}
