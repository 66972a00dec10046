"""Streams and runs that several tests of the pipeline use."""

import json
from pathlib import Path

from confide import OutputPrivacy
from confide.core.samples import baskets
from confide.stream import StreamRelease, release_stream

__all__ = ["REQUIREMENT", "asked", "records_file", "release", "released"]

REQUIREMENT = OutputPrivacy(epsilon=0.05, delta=0.4, min_support=25, vulnerable=5)
_OF_THE_CALL = ("output", "sinks", "stopped", "watch", "sign", "replace", "warn", "meters")


def asked(records="-", **options) -> StreamRelease:
    """The request of most tests: the promise above, and a seed where no key is given."""
    options.setdefault("window", None if "seconds" in options else 400)
    usual = {"min_support": 25, "epsilon": 0.05, "seed": None if "noise_key" in options else 3}
    by_time = options.get("seconds") is not None and options.get("scheme", "blocks") == "blocks"
    usual["every_seconds" if by_time else "every"] = 50
    return StreamRelease(records=records, **{**usual, **options})


def release(records, **options):
    """`release_stream`, with what belongs to the request beside what belongs to the call."""
    call = {name: options.pop(name) for name in _OF_THE_CALL if name in options}
    return release_stream(asked(records, **options), **call)


def records_file(folder: Path, count: int = 1200, *, name: str = "in.jsonl", seed: int = 7) -> Path:
    path = folder / name
    rows = list(baskets(count, seed=seed))
    if path.suffix == ".dat":
        path.write_text("".join(" ".join(row) + "\n" for row in rows))
    else:
        path.write_text("".join(json.dumps({"items": row, "time": 1000 + i}) + "\n" for i, row in enumerate(rows)))
    return path


def released(folder: Path, **options):
    source = records_file(folder)
    return release(source, output=folder / "out.jsonl", **options)
