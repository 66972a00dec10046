"""`confide collect serve`: a collector over HTTP."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from confide.cli.options import ADDRESS, EXISTING, NEW, note
from confide.cli.release_files import ReleaseFiles

if TYPE_CHECKING:
    from confide.collect.schemes.scheme import Scheme

__all__ = ["serve"]


@click.command(
    epilog="""\b
Example:
  confide collect serve answers.scheme.json --store answers.duckdb --port 0
"""
)
@click.argument("scheme", metavar="SCHEME.json", type=EXISTING)
@click.option(
    "--store",
    type=ADDRESS,
    required=True,
    metavar="FILE|URL",
    help="A DuckDB file, or postgresql://user@host/name with the password in PGPASSWORD or PGPASSFILE.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes a free one.")
@click.option("--title", default="Answer in confidence", show_default=True, help="Heading of the form.")
@click.option("--form", "form", type=EXISTING, help="TOML file: introduction, contact, consent, words of the form.")
@click.option(
    "--allow-origin", "origins", metavar="ORIGIN", multiple=True, help="Site whose pages may send here (https://...)."
)
@click.option("--certificate", type=EXISTING, help="TLS certificate chain (PEM); without it, put a TLS proxy before.")
@click.option("--key", type=EXISTING, help="Private key of the certificate (PEM).")
@click.option(
    "--trusted-proxy",
    "proxies",
    metavar="ADDRESS",
    multiple=True,
    help="Proxy before the collector: clients are counted by the address that it forwards.",
)
@click.option("--export", type=NEW, help="Do not serve; write what the store holds here, with its passport.")
@click.option("--report", type=NEW, help="With --export: write a page for everybody here.")
@click.option("--sign", type=EXISTING, help="With --export: sign the passport with this private key (PEM).")
@click.option("--replace", is_flag=True, help="Overwrite files that exist.")
def serve(
    scheme: Path,
    store: str,
    host: str,
    port: int,
    title: str,
    form: Path | None,
    origins: tuple[str, ...],
    certificate: Path | None,
    key: Path | None,
    proxies: tuple[str, ...],
    export: Path | None,
    report: Path | None,
    sign: Path | None,
    replace: bool,
) -> None:
    """Collect perturbed records over HTTP until Ctrl-C.

    Publishes the scheme, a page that says what leaves a device, a form and a browser client, and stores the perturbed
    records that arrive; no address, name or time is stored or logged. A record counts as received once it is on disk.
    """
    from confide.collect.schemes.promise import gamma_words
    from confide.collect.schemes.scheme import read_scheme
    from confide.collect.service.form_texts import read_form_texts
    from confide.collect.service.server import serve as run
    from confide.core.errors import UsageError

    if (certificate is None) != (key is None):
        raise UsageError("--certificate and --key go together")
    agreed = read_scheme(scheme)
    if export is not None:
        inputs = [scheme, None if "://" in store else Path(store)]
        files = ReleaseFiles.checked(export, report=report, sign=sign, replace=replace, inputs=inputs)
        _export(agreed, store, files)
        return
    if report is not None or sign is not None:
        raise UsageError("--report and --sign go with --export; serving writes no release")

    def ready(url: str, held: tuple[int, int]) -> None:
        note(f"scheme {agreed.kind}, gamma {gamma_words(agreed.amplification().epsilon)}; {held[1]:,} records held")
        note(f"collecting at {url} (Ctrl-C ends)")

    run(
        agreed,
        store,
        host=host,
        port=port,
        title=title,
        texts=None if form is None else read_form_texts(form),
        allow_origins=origins,
        certificate=certificate,
        key=key,
        trusted_proxies=proxies,
        ready=ready,
        trouble=note,
        progress=lambda records: note(f"{records:,} records came in since the start"),
        warn=note,
    )
    note("ended; everything acknowledged is stored")


def _export(scheme: "Scheme", store: str, files: ReleaseFiles) -> None:
    from confide.collect.service.export import release_collected
    from confide.collect.service.store import read_store

    collected = read_store(store, scheme=scheme)
    note(f"{len(collected.records):,} records in {store.rpartition('@')[2]}")
    files.hand_out(release_collected(collected))
