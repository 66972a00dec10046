"""What it saves to count the population: Adult as the population, a tenth of it as the table, k=10.

`python -m benchmarks publish.counted_people`. Nine quasi-identifiers, 2% of the rows may go. Beside the loss stands
what an attacker with the population finds, counted with pandas: how many people fit the released combination that fits
fewest, and the largest share of those who fit that is in the release. k-anonymity is the rival.
"""

import pathlib
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from benchmarks.publish import adult
from confide import DeltaPresence, KAnonymity, KMap, KMapBySize, KMapByWeight, Schema
from confide.core.requirements.tables import TableRequirement
from confide.core.tables.schema import Column
from confide.publish import Incognito

_SUPPRESS = 0.02


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each requirement."""
    people = adult.table(data)
    draw = np.random.default_rng(0)
    frame = people.take(pa.array(np.sort(draw.choice(people.num_rows, people.num_rows // 10, replace=False))))
    frame = frame.append_column("weight", pa.array(np.full(frame.num_rows, people.num_rows / frame.num_rows)))
    schema = Schema({**adult.schema().columns, "weight": Column(role="insensitive")})
    asked: dict[str, TableRequirement] = {
        "k-anonymity": KAnonymity(k=10),
        "k-map, counted": KMap(k=10),
        "k-map and k=3": KMap(k=10) & KAnonymity(k=3),
        "k-map by size": KMapBySize(k=10, population=people.num_rows, sample=frame.num_rows),
        "k-map by weight": KMapByWeight(k=10, weight="weight"),
        "presence up to 30%": DeltaPresence(low=0, high=0.3),
    }
    rival = None
    for name, requirement in asked.items():
        counted = any(part.counts_population for part in requirement.parts_asked)
        method = Incognito(requirement=requirement, suppress=_SUPPRESS, population=people if counted else None)
        begun = time.process_time()
        release = method.publish(frame, schema, explain=False)
        took = time.process_time() - begun
        lost = round(release.loss["detail_lost"], 4)
        rival = lost if rival is None else rival
        fewest, share = _attacked(release.data, people, frame, method, schema)
        yield {
            "claim": f"Adult, a tenth of the population, k=10 by {name}",
            "detail_lost": lost,
            "k-anonymity": rival,
            "fewest people who fit": fewest,
            "largest share in the release": share,
            "smallest group": release.loss["smallest_group"],
            "cpu_seconds": round(took, 2),
        }


def _attacked(
    released: pa.Table, people: pa.Table, frame: pa.Table, method: Incognito, schema: Schema
) -> tuple[int, float]:
    """The fewest people who fit a released combination, and the largest share of such people who are in the release."""
    names = list(schema.named("quasi-identifier"))
    missing = [name for name in frame.column_names if name not in people.column_names]
    whole = people
    for name in missing:
        whole = whole.append_column(name, pa.array(np.ones(people.num_rows)))
    recoded = pd.DataFrame(method.transform(whole).select(names).to_pydict())
    fit = recoded.groupby(names).size()
    inside = pd.DataFrame(released.select(names).to_pydict()).groupby(names).size()
    both = pd.concat([inside.rename("inside"), fit.rename("fit")], axis=1, join="inner")
    assert len(both) == len(inside)
    return int(both["fit"].min()), round(float((both["inside"] / both["fit"]).max()), 3)
