"""`confide search wrapper`: order results for several people, as a service that keeps nothing."""

from pathlib import Path
from typing import cast

import click

from confide.cli.options import EXISTING, note
from confide.cli.search.engines import engine_options

__all__ = ["wrapper"]


@click.command(
    epilog="""\b
Example:
  confide search wrapper --engine notes.sqlite --port 0
"""
)
@engine_options
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8001, show_default=True, help="0 takes a free one.")
@click.option("--certificate", type=EXISTING, help="TLS certificate chain (PEM); without it, put a TLS proxy before.")
@click.option("--key", type=EXISTING, help="Private key of the certificate (PEM).")
def wrapper(
    engine: str,
    alpha: float | None,
    scoring: str,
    top: int,
    seconds: float,
    languages: tuple[str, ...],
    host: str,
    port: int,
    certificate: Path | None,
    key: Path | None,
) -> None:
    """Serve a wrapper until Ctrl-C: people send a query and exposed pairs, and get results in their order.

    Nothing is stored or logged, and each request is answered from its own pairs alone.
    """
    from confide.core.errors import UsageError
    from confide.search import Wrapper
    from confide.search.wrapper.scoring import Scoring
    from confide.search.wrapper.service import serve_wrapper

    if (certificate is None) != (key is None):
        raise UsageError("--certificate and --key go together")
    made = Wrapper(engine, alpha=alpha, scoring=cast(Scoring, scoring), top=top, seconds=seconds, languages=languages)

    def ready(url: str) -> None:
        note(f"ordering results of {made.engine.name} at {url} (Ctrl-C ends)")

    serve_wrapper(made, host=host, port=port, certificate=certificate, key=key, ready=ready, warn=note)
    note("ended; nothing was kept")
