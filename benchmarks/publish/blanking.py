"""Single cells of Adult blanked, beside recoding; special uniques with scores.

`python -m benchmarks publish.blanking`. Age by ten years, workclass, education groups, race and sex of 30,162 rows: how
many cells are blank for k = 3 and 5, strictly and if a blank matched anything (which exposes people), and the loss
beside Mondrian's in the same run. Then special uniques of up to four values: Adult's nine columns, BRFSS's 21.
"""

import pathlib
import time
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from benchmarks.publish import adult
from benchmarks.publish.mondrian import brfss
from confide import Hierarchy, KAnonymity, Schema
from confide.core.tables.schema import Column
from confide.publish import Blank, Mondrian, special_uniques
from confide.publish.tables.blanking.wildcards import count_wildcards
from confide.publish.tables.coding import CodedTable

COLUMNS = ("age", "workclass", "education", "race", "sex")


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each claim."""
    whole = adult.table(data)
    frame, schema = _coarse(whole)
    for k, most in ((3, 680), (5, 1229)):
        yield _blanks(frame, schema, k, most)
    for name, (rows, known), seconds in (("Adult", (whole, adult.schema()), 1.0), ("BRFSS", brfss(data), 8.0)):
        special_uniques(rows.slice(0, 3000), known, most=4)  # kernels are compiled
        begun = time.process_time()
        found = special_uniques(rows, known, most=4)
        took = time.process_time() - begun
        yield {
            "claim": f"special uniques of {name}, up to 4 values, in {seconds:g} s of the processor",
            "combinations": found.counts,
            "rows": int((found.scores > 0).sum()),
            "seconds": round(took, 2),
            "kept": took <= seconds,
        }


def _blanks(frame: pa.Table, schema: Schema, k: int, most: int) -> dict[str, Any]:
    table = CodedTable.of(frame, schema)
    begun = time.process_time()
    made = Blank(requirement=KAnonymity(k=k)).recode(table)
    took = time.process_time() - begun
    blanks = sum(int((codes == len(labels) - 1).sum()) for codes, labels in zip(made.codes, made.labels, strict=True))
    loose = count_wildcards(table, k)
    assert loose is not None
    return {
        "claim": f"k={k} with {most:,} blank cells or fewer",
        "blanks": blanks,
        "seconds": round(took, 2),
        "loss": round(made.ncp(), 4),
        "loss of Mondrian": round(Mondrian(requirement=KAnonymity(k=k)).recode(table).ncp(), 4),
        "if a blank matched anything": loose.note(k),
        "kept": blanks <= most,
    }


def _coarse(whole: pa.Table) -> tuple[pa.Table, Schema]:
    """Age by ten years and groups of education as the lowest levels."""
    frame = whole.select(COLUMNS)
    frame = frame.set_column(0, "age", frame.column("age").cast(pa.string()))
    decades = [
        (age, f"{int(age) // 10 * 10}-{int(age) // 10 * 10 + 9}", "*") for age in frame["age"].unique().to_pylist()
    ]
    known = adult.hierarchies() | {"age": Hierarchy.from_rows(decades)}
    lowest = {"age": 1, "education": 1}
    columns = {
        name: Column(role="quasi-identifier", hierarchy=known[name], levels=(lowest.get(name, 0), known[name].height))
        for name in COLUMNS
    }
    return frame, Schema(columns)
