"""Hypothesis strategies: small databases, tables and requirements, rich in the cases that break things."""

import math

import numpy as np
from hypothesis import strategies as st

from confide import Coherence, Transactions

__all__ = ["coherences", "databases", "labels", "random_database", "rows", "tables"]

# Letters and digits that meet the special cases: numbers that sort by value, text that CSV must quote.
labels = st.sampled_from([*"abcdefgh", "1", "2", "10", "007", "x y", 'q"t', "a,b", "é", "s:1", "s:2"])


def rows(
    max_rows: int = 12, max_items: int = 6, items: st.SearchStrategy[str] = labels
) -> st.SearchStrategy[list[list[str]]]:
    """Lists of label lists, empty records and repeats included."""
    return st.lists(st.lists(items, max_size=max_items), max_size=max_rows)


def databases(max_rows: int = 12, max_items: int = 6) -> st.SearchStrategy[Transactions]:
    """Small transaction databases."""
    return rows(max_rows, max_items).map(Transactions.from_lists)


def coherences() -> st.SearchStrategy[Coherence]:
    """(h, k, p)-coherence requirements that small databases can meet or miss."""
    return st.builds(
        Coherence,
        h=st.sampled_from([0.3, 0.5, 0.6, 1 / 3, 0.75, 1.0]),
        k=st.integers(2, 4),
        p=st.one_of(st.integers(1, 4), st.just(math.inf)),
    )


@st.composite
def tables(draw: st.DrawFn, max_rows: int = 20) -> dict[str, list[str]]:
    """Tables of an identifier-free kind: two quasi-identifiers, a sensitive column."""
    n = draw(st.integers(1, max_rows))
    column = lambda values: st.lists(st.sampled_from(values), min_size=n, max_size=n)  # noqa: E731
    return {"age": draw(column("12")), "place": draw(column("xyz")), "illness": draw(column("abcd"))}


def random_database(seed: int, *, max_rows: int = 30, n_items: int = 8) -> list[list[str]]:
    """A seeded random database of any density, for tests that count in hundreds rather than shrink."""
    rng = np.random.default_rng(seed)
    density = rng.uniform(0.05, 0.95)
    shape = (int(rng.integers(0, max_rows + 1)), int(rng.integers(1, n_items + 1)))
    present = rng.random(shape) < density * rng.uniform(0.3, 1.0, shape[1])
    return [[str(item) for item in np.flatnonzero(row)] for row in present]
