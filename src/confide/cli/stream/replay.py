"""`confide stream replay`: a recorded stream at a chosen speed."""

from pathlib import Path

import click

from confide.cli.options import ADDRESS, EXISTING, NUMBER, note

__all__ = ["replay"]


@click.command(
    epilog="""\b
Examples:
  confide stream replay clicks.jsonl --rate 1000 --limit 20
  confide stream replay clicks.jsonl --speed 1000000 --limit 20
"""
)
@click.argument("source", metavar="IN", type=EXISTING)
@click.option("--rate", type=NUMBER, help="Records a second.")
@click.option("--speed", type=NUMBER, help="By the records' time stamps, so many times as fast (1: as it was).")
@click.option(
    "--to", "redis", type=ADDRESS, metavar="URL", help="Into this stream: redis://host:port/0?stream=NAME [stdout]."
)
@click.option("--limit", type=click.IntRange(1), help="End after so many records.")
def replay(source: Path, rate: float | None, speed: float | None, redis: str | None, limit: int | None) -> None:
    """Play a recorded stream: its records as JSON lines on stdout, or into Redis, no faster than asked for.

    Pipe it into confide stream release - to see a run live.
    """
    from confide.stream.replaying import replay_stream
    from confide.web.serving import UntilSignal

    with UntilSignal() as stopped:
        count = replay_stream(source, rate=rate, speed=speed, redis=redis, limit=limit, stopped=stopped)
    note(f"{count:,} records played")
