"""Streams and runs that several tests of the pipeline use."""

import json
from pathlib import Path

from confide import OutputPrivacy, Randomness
from confide.core.samples import baskets
from confide.stream import StreamSettings, release_stream

__all__ = ["REQUIREMENT", "records_file", "released", "settings"]

REQUIREMENT = OutputPrivacy(epsilon=0.05, delta=0.4, min_support=25, vulnerable=5)


def settings(**options):
    return StreamSettings(
        options.pop("requirement", REQUIREMENT),
        **{
            "records": None if "seconds" in options else 400,
            "every": 50,
            "randomness": Randomness.seeded(3),
            **options,
        },
    )


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
    return release_stream(source, settings(**options), output=folder / "out.jsonl")
