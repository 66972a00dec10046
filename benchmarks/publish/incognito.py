"""The best generalisation of Adult: how long it takes to find, and what it loses.

`CONFIDE_ANJANA=/path/to/python python -m benchmarks publish.incognito`. The rival is anjana 1.2, the Python package for
generalisation with hierarchies; it pins other versions of NumPy and pandas than ours, so it runs in an environment of
its own (`python -m venv rival; rival/bin/pip install anjana`), and the variable names its interpreter; without it the
rival is left out. It gets the same rows and hierarchies, and times itself; reading and importing are left out on both
sides. The rival neither shuffles rows nor verifies what it made, so an inner part of ours stands against it: our
seconds are from a frame to the decision, `recode`, coding included. `release_seconds` are those of `publish`, with its
defaults: on to a verified release. Losses are those of that release; local recoding is timed by `publish` alone.
30,162 rows, nine quasi-identifiers, a lattice of 12,960 generalisations; NCP over hierarchy leaves, a suppressed row
costs 1. `cpu_seconds` are the process's own, which other work on the machine disturbs less.
"""

import json
import os
import pathlib
import subprocess
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.publish import adult
from confide import KAnonymity, RecursiveDiversity, Release, Schema
from confide.core.figures import Figures
from confide.publish import Incognito
from confide.publish.tables.coding import CodedTable

RUNS = 7

ANJANA = """
import json, sys, time
import numpy as np, pandas as pd
from anjana.anonymity import k_anonymity
given = json.load(sys.stdin)
frame = pd.DataFrame(given["columns"])
hierarchies = {
    name: {level: np.array(values) for level, values in enumerate(zip(*rows))}
    for name, rows in given["hierarchies"].items()
}
began = time.perf_counter()
made = k_anonymity(frame, [], list(given["columns"]), given["k"], given["percent"], hierarchies)
seconds = time.perf_counter() - began
json.dump({"seconds": seconds, "columns": made.astype(str).to_dict("list")}, sys.stdout)
"""


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each claim."""
    frame = adult.table(data)
    for suppress, bound in ((0.0, 0.04), (0.02, 0.3)):
        yield _optimum(frame, suppress, bound)
    for suppress, bound in ((0.0, 0.1), (0.02, 0.3)):
        yield _diverse(frame, suppress, bound)
    yield _lattice(frame)
    yield _local(frame)


def _optimum(frame: pa.Table, suppress: float, bound: float) -> dict[str, Any]:
    publisher = Incognito(requirement=KAnonymity(k=5), suppress=suppress)
    schema = adult.schema()
    _, seconds = _timed(lambda: publisher.recode(CodedTable.of(frame, schema)))
    release, whole = _timed(lambda: publisher.publish(frame, schema))
    rival = _anjana(frame, 5, suppress)
    record = _record(f"best generalisation of Adult, k = 5, suppress {suppress:.0%}", seconds, bound, release)
    record["settings"]["release_seconds"] = round(median(clock for clock, _ in whole), 4)
    if rival is not None:
        record["rival"] = {"name": "anjana", "seconds": round(rival["seconds"], 3), "ncp": round(rival["ncp"], 4)}
        record["ratio"] = round(rival["seconds"] / record["ours"], 1)
        assert _exact(release)["detail_lost"] <= rival["ncp"] + 1e-9
    return record


def _diverse(frame: pa.Table, suppress: float, bound: float) -> dict[str, Any]:
    schema = adult.schema(sensitive="occupation")
    publisher = Incognito(requirement=KAnonymity(k=5) & RecursiveDiversity(c=3, l=3), suppress=suppress)
    _, seconds = _timed(lambda: publisher.recode(CodedTable.of(frame, schema)))
    release, whole = _timed(lambda: publisher.publish(frame, schema))
    claim = f"the same with occupation sensitive, k = 5 and (3, 3)-diversity, suppress {suppress:.0%}"
    record = _record(claim, seconds, bound, release)
    record["settings"]["release_seconds"] = round(median(clock for clock, _ in whole), 4)
    return record


def _lattice(frame: pa.Table) -> dict[str, Any]:
    schema = adult.schema()
    publisher = Incognito(requirement=KAnonymity(k=5), suppress=0.02)
    explored, seconds = _timed(lambda: publisher.explore(frame, schema), runs=3)
    best = _exact(publisher.publish(frame, schema))["detail_lost"]
    assert abs(explored.loss[explored.safe].min() - best) < 1e-9
    settings = {"bound_seconds": 2.0, "nodes": len(explored), "safe": int(explored.safe.sum())}
    return _without_rival("the whole lattice of Adult explored, losses included", seconds, settings)


def _local(frame: pa.Table) -> dict[str, Any]:
    publisher = Incognito(requirement=KAnonymity(k=5), local=True)
    schema = adult.schema()
    release, seconds = _timed(lambda: publisher.publish(frame, schema), runs=3)
    record = _record("local recoding in rounds, k = 5, nothing suppressed (NCP at most 0.08)", seconds, 10.0, release)
    assert _exact(release)["rows_suppressed"] == 0
    return record


def _timed(call: Callable[[], Any], runs: int = RUNS) -> tuple[Any, list[tuple[float, float]]]:
    """The result, and for each run its seconds by the clock and of the processor."""
    result = call()  # compiles, or loads, the kernels
    seconds = []
    for _ in range(runs):
        began, worked = time.perf_counter(), time.process_time()
        call()
        seconds.append((time.perf_counter() - began, time.process_time() - worked))
    return result, seconds


def _record(claim: str, seconds: list[tuple[float, float]], bound: float, release: Release[Any]) -> dict[str, Any]:
    exact = _exact(release)
    settings = {
        "bound_seconds": bound,
        "ncp": round(exact["detail_lost"], 4),
        "rows_suppressed": exact["rows_suppressed"],
        **release.passport.parameters,
    }
    return _without_rival(claim, seconds, settings)


def _exact(release: Release[Any]) -> Figures:
    """The figures as they are: those for everybody do not tell counts below k."""
    assert release.owner is not None
    return release.owner.facts


def _without_rival(claim: str, seconds: list[tuple[float, float]], settings: dict[str, Any]) -> dict[str, Any]:
    clock = [by_clock for by_clock, _ in seconds]
    middle = median(clock)
    return {
        "claim": claim,
        "ours": round(middle, 4),
        "rival": None,
        "ratio": None,
        "spread": round((max(clock) - min(clock)) / middle, 3),
        "settings": {"runs": len(seconds), "cpu_seconds": round(median(cpu for _, cpu in seconds), 4), **settings},
    }


def _anjana(frame: pa.Table, k: int, suppress: float) -> dict[str, float] | None:
    """Its seconds, and the NCP of what it made."""
    python = os.environ.get("CONFIDE_ANJANA")
    if python is None:
        return None
    given = {
        "columns": frame.to_pydict(),
        "hierarchies": {name: made.rows for name, made in adult.hierarchies().items()},
        "k": k,
        "percent": 100 * suppress,
    }
    done = subprocess.run([python, "-c", ANJANA], input=json.dumps(given), capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    return {"seconds": answer["seconds"], "ncp": _ncp(answer["columns"], adult.schema(), frame.num_rows)}


def _ncp(columns: dict[str, list[str]], schema: Schema, rows: int) -> float:
    """NCP of generalised columns, by the leaves that a label has; rows that are missing cost 1."""
    total = 0.0
    left = len(next(iter(columns.values())))
    for name in schema.columns:  # it adds a column of its own
        labels = columns[name]
        made = schema.hierarchy(name, [])
        leaves: dict[str, set[str]] = {}
        for row in made.rows:
            for label in row:
                leaves.setdefault(label, set()).add(row[0])
        total += float(np.sum([(len(leaves[label]) - 1) / (len(made.rows) - 1) for label in labels]))
    return (total / len(schema.columns) + rows - left) / rows
