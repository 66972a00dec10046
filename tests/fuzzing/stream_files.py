"""Files of `stream`: records with time stamps, published runs, and the states runs are taken up from."""

import json

from confide.core.json_text import canonical_json
from confide.core.streams.header import chained
from confide.core.streams.run import StreamRun
from confide.stream.pipeline.checkpoint import Checkpoint
from confide.stream.sources.parsing import parse_lines
from tests.fuzzing.mutations import broken_json
from tests.stream.streams import records_file, release

__all__ = ["STREAM_READERS", "broken_run", "publish_run"]


def publish_run(path, *, state=None):
    """A published run with its passport."""
    source = records_file(path.parent, 600, name="of the run.jsonl")
    release(source, output=path, state=state)


def broken_run(draw, data):
    """A run in which one line says something else, under a hash of its own."""
    lines = data.splitlines(keepends=True)
    at = draw.randrange(len(lines))
    plain = json.loads(lines[at])
    plain.pop("sha256")
    changed = broken_json(draw, plain)
    body = json.dumps(changed, separators=(",", ":"), ensure_ascii=False) if at else canonical_json(changed)
    body = body.encode(errors="replace").decode()
    lines[at] = chained(body)[0] if body.endswith("}") and len(body) > 2 else body.encode() + b"\n"
    return b"".join(lines)


def _state(path):
    publish_run(path.parent / "kept.jsonl", state=path)


def _records(path):
    lines = [{"items": ["tea", "nuts"], "time": 1000}, ["milk"], {"items": [], "time": "2026-11-15T10:00:00Z"}]
    lines[1] = {"items": ["milk", 7], "time": 1001.5}
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


STREAM_READERS = {
    "run.stream.jsonl": (publish_run, StreamRun.read),
    "run.state": (_state, lambda path: Checkpoint.read(path, key=None)),
    "timed.jsonl": (
        _records,
        lambda path: parse_lines(path.read_bytes(), form="jsonl", timed=True, source=path, line=1),
    ),
    "timed.json": (  # one record, so that its parts are broken as JSON
        lambda path: path.write_text('{"items": ["milk", 7], "time": 1001.5}'),
        lambda path: parse_lines(path.read_bytes() + b"\n", form="jsonl", timed=True, source=path, line=1),
    ),
}
"""File name: (what writes a good one, what reads it)."""
