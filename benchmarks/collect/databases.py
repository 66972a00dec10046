"""The three databases of paper 003, section 3.5, and the settings of its Table 3.1. Shared; measures nothing itself.

The paper's T10I4D1M is one draw of a generator and is lost. "T10I4D1M (ours)" is our own draw, the same in every
benchmark.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from confide.collect import Emask, plan_emask
from confide.core.samples import quest
from confide.core.transactions.container import Transactions

__all__ = ["DATABASES", "Database", "repeated"]


@dataclass(frozen=True)
class Database:
    """One database: where it comes from, p and q of Table 3.1, and the mean support and records these are for."""

    name: str
    file: str | None
    times: int
    p: float
    q: float
    avg_support: float
    records: int

    @property
    def scheme(self) -> Emask:
        """EMASK at the setting of Table 3.1."""
        return Emask(p=self.p, q=self.q)

    @property
    def planned(self) -> Emask:
        """EMASK as `plan_emask` plans it by default, which bounds how sure a 1 that is seen may be."""
        return plan_emask(avg_support=self.avg_support, records=self.records).scheme()

    def read(self, data: Path, *, seed: int = 1) -> Transactions:
        """The true records; the synthetic ones come from our own generator, other ones for another seed.

        With a correlation of 0.25 it has about as many frequent itemsets of each length as the paper prints.
        """
        if self.file is None:
            return quest("T10I4D1MN1K", correlation=0.25, seed=seed)
        return repeated(Transactions.read(data / self.file), self.times)


DATABASES = (
    Database("T10I4D1M (ours)", None, 1, 0.5051, 0.9696, 0.01, 1_000_000),
    Database("BMS-WebView-1 x10", "bms/BMS-WebView-1.dat.gz", 10, 0.5673, 0.9877, 0.005, 600_000),
    Database("BMS-WebView-2 x50", "bms/BMS-WebView-2.dat.gz", 50, 0.5350, 0.9958, 0.0015, 3_875_600),
)


def repeated(tx: Transactions, times: int) -> Transactions:
    """The records again and again, as the paper scales them up."""
    indptr = np.concatenate([[0], np.cumsum(np.tile(tx.lengths, times))]).astype(np.int64)
    return Transactions.from_arrays(indptr, np.tile(tx.indices, times), tx.labels)


def run(data: Path) -> Iterator[dict[str, Any]]:
    """One row a database: what the other benchmarks mine."""
    for database in DATABASES:
        tx = database.read(data)
        yield {
            "claim": f"{database.name}: {len(tx):,} records, {tx.n_items:,} items",
            "ours": round(float(tx.lengths.mean()), 3),
            "rival": None,
            "ratio": None,
            "spread": None,
            "settings": {"ours": "items a record", "p": database.p, "q": database.q},
        }
