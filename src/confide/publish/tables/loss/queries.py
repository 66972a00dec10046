"""How well a release answers questions of the form "how many rows have these values in these columns?"."""

from dataclasses import dataclass

import numpy as np

from confide.publish.tables.loss.spread import leaf_sets, ordered_leaves, share_within
from confide.publish.tables.recoding import Recoding

__all__ = ["QueryError", "query_error"]

_SANITY = 0.001  # of all rows: smaller true counts are taken for this many, or nobody's error would count


@dataclass(frozen=True, kw_only=True)
class QueryError:
    """The relative error of random count queries: the median, the mean, and the largest nine in ten stay below.

    For the owner: the true counts are of the input.
    """

    queries: int
    median: float
    mean: float
    ninth_decile: float


def query_error(recoding: Recoding, *, queries: int = 500, most_columns: int = 3, seed: int = 0) -> QueryError:
    """Ask random queries of the release, and compare with the input.

    A query names one to `most_columns` quasi-identifiers, and in each a run of a tenth to a half of its leaves in the
    order of the hierarchy. A row of the release counts by the share of its label's leaves that are asked for. The error
    is |estimate - truth| divided by the truth, or by a thousandth of the rows if that is more.
    """
    table = recoding.table
    draw = np.random.default_rng(seed)
    sets = [leaf_sets(recoding, number) for number in range(len(table.quasi))]
    order = [ordered_leaves(column) for column in table.quasi]
    errors = np.empty(queries)
    for query in range(queries):
        size = int(draw.integers(1, min(most_columns, len(table.quasi)) + 1))
        truth = np.ones(len(table), dtype=np.bool_)
        weight = np.ones(len(recoding.rows))
        for number in draw.choice(len(table.quasi), size, replace=False):
            column = table.quasi[number]
            width = max(1, int(column.leaves * draw.uniform(0.1, 0.5)))
            first = int(draw.integers(0, column.leaves - width + 1))
            asked = np.zeros(column.leaves, dtype=np.bool_)
            asked[order[number][first : first + width]] = True
            truth &= asked[column.codes]
            weight *= share_within(sets[number], asked)[recoding.codes[number][recoding.rows]]
        count = int(truth.sum())
        errors[query] = abs(weight.sum() - count) / max(count, _SANITY * len(table), 1)
    return QueryError(
        queries=queries,
        median=float(np.median(errors)),
        mean=float(errors.mean()),
        ninth_decile=float(np.quantile(errors, 0.9)),
    )
