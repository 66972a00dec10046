"""Neighbours on a line: how long a million rows take under l-diversity, and that time grows as n log n.

`python -m benchmarks publish.one_dimensional`. The rows are those of `publish.mondrian`. Seconds go from the frame to
the verified release; `cpu_seconds` are the process's own. The rival is our Mondrian under the same requirement; its
ratio of loss is rival / ours.
"""

import math
import pathlib
import time
from collections.abc import Iterator
from typing import Any, get_args

from benchmarks.publish import adult
from benchmarks.publish.mondrian import generated, quickest
from confide import SimpleDiversity
from confide.publish import Mondrian, OneDimensional
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.one_dimensional.curves import Curve


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each claim."""
    yield _million()
    yield _growth()
    yield from _loss(data)


def _million() -> dict[str, Any]:
    frame, schema = generated(1_000_000)
    release, took, worked = quickest(OneDimensional(requirement=SimpleDiversity(l=5)), frame, schema)
    return {
        "claim": "OneDimensional on 1 million rows, 8 quasi-identifiers, l=5: under 4 s to a verified release",
        "ours": round(took, 3),
        "holds": took < 4,
        "settings": {"cpu_seconds": round(worked, 3), "ncp": round(release.loss["detail_lost"], 4)},
    }


def _growth() -> dict[str, Any]:
    """CPU seconds of the decision alone, divided by n log n."""
    found = {}
    for rows in (62_500, 250_000, 1_000_000):
        frame, schema = generated(rows)
        table = CodedTable.of(frame, schema)
        asked = OneDimensional(requirement=SimpleDiversity(l=5))
        asked.recode(table)
        began = time.process_time()
        asked.recode(table)
        found[rows] = (time.process_time() - began) / (rows * math.log2(rows)) * 1e9
    return {
        "claim": "OneDimensional grows as n log n: nanoseconds per n log2 n stay within a factor of 2",
        "ours": {f"{rows:,}": round(value, 2) for rows, value in found.items()},
        "holds": max(found.values()) <= 2 * min(found.values()),
    }


def _loss(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    table = CodedTable.of(adult.table(data), adult.schema(sensitive="occupation"))
    for l in (2, 3, 5, 7):  # noqa: E741 - the paper's letter
        asked = SimpleDiversity(l=l)
        ours = {curve: OneDimensional(requirement=asked, curve=curve).recode(table).ncp() for curve in get_args(Curve)}
        rival = Mondrian(requirement=asked).recode(table).ncp()
        yield {
            "claim": f"Adult, occupation sensitive, simple diversity l={l}: NCP",
            "ours": {curve: round(value, 4) for curve, value in ours.items()},
            "rival": {"mondrian": round(rival, 4)},
            "ratio": round(rival / ours["hilbert"], 2),
        }
