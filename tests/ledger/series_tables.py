"""Tables about the same people, year after year, for tests of ledgers."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from confide.core.samples.people import people, people_schema

__all__ = ["KEY", "SCHEMA", "register_of", "year"]

KEY = bytes(range(32))
SCHEMA = {
    **{name: spec for name, spec in people_schema().items() if name in ("age", "sex", "postcode", "diagnosis")},
    "id": {"role": "person"},
}
SCHEMA["age"] = {"role": "quasi-identifier", "range": [0, 120]}


def register_of(rows: int, *, seed: int = 1) -> pa.Table:
    """People with what a ledger needs."""
    return people(rows, seed=seed).select(list(SCHEMA))


def year(table: pa.Table, rows: Sequence[int] | range) -> pa.Table:
    """Some people of a register, in another order."""
    order = np.random.default_rng(len(rows)).permutation(np.asarray(rows))
    return table.take(pa.array(order))
