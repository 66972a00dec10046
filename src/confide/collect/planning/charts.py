"""What a page about collecting shows: how far a suspicion can rise, what gamma costs, and, for the owner, the truth.

The public charts are worked out from the scheme and the number of records; no true record is looked at. Estimates
beside the truth are for the owner of the true records.
"""

import math

import numpy as np

from confide.collect.schemes.promise import posterior
from confide.collect.schemes.scheme import Scheme
from confide.core.errors import CannotMeetError
from confide.core.figures import Chart
from confide.core.itemsets.container import Itemsets

__all__ = ["promise_charts", "truth_charts"]

GAMMAS = (5, 7, 10, 14, 19, 27, 40, 60, 100)
PRIORS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
SHOWN = 40  # itemsets beside the truth
SUPPORT = 0.02


def promise_charts(scheme: Scheme, records: int) -> tuple[Chart, ...]:
    """How far a suspicion can rise under the scheme, and what another gamma would cost."""
    promise = scheme.amplification()
    gammas = {"a whole record": promise.gamma}
    note = "Holds for every person and every property, whatever else is known."
    if promise.per_item is not None and promise.per_item < promise.gamma:
        gammas["one item swapped"] = promise.per_item
        note = (
            '"A whole record" holds for every person and every property, whatever else is known. "One item swapped" '
            "holds only between two records that are alike except for one item in place of another."
        )
    chart = Chart(
        title="How far a suspicion can rise",
        kind="line",
        x=PRIORS,
        series={
            **{name: tuple(_risen(x, gamma) for x in PRIORS) for name, gamma in gammas.items()},
            "nothing learned": PRIORS,
        },
        x_label="chance before the answer was seen",
        y_label="largest chance afterwards",
        x_unit="share",
        y_unit="share",
        note=note,
    )
    return (chart, *_cost(scheme, records))


def _risen(prior: float, gamma: float) -> float:
    """A gamma past all numbers lets any suspicion become certainty."""
    return posterior(prior, gamma=gamma) if math.isfinite(gamma) else float(prior > 0)


def _cost(scheme: Scheme, records: int) -> tuple[Chart, ...]:
    """Standard error of a support of 2% against gamma, where a scheme of this kind has fields; one line a length."""
    fields = scheme.fields
    if fields is None or records == 0:
        return ()
    lengths = sorted({1, min(2, len(fields)), min(3, len(fields)), len(fields)})
    series = {
        f"{n} field{'s' * (n > 1)}": tuple(_error(scheme, gamma, n, records) for gamma in GAMMAS) for n in lengths
    }
    known = {name: values for name, values in series.items() if any(math.isfinite(y) for y in values)}
    if not known:
        return ()
    return (
        Chart(
            title="What another gamma would cost",
            kind="line",
            x=tuple(round(math.log(gamma), 3) for gamma in GAMMAS),
            series=known,
            x_label="epsilon = ln gamma, for gamma 5 to 100 (smaller protects better)",
            y_label="standard error of a support (points)",
            y_unit="points",
            note=f"For {records:,} records and an itemset of support {100 * SUPPORT:.0f} points over so many fields.",
        ),
    )


def _error(scheme: Scheme, gamma: float, length: int, records: int) -> float:
    """In points (percent of the records); nan where the scheme cannot keep this gamma or find this length."""
    try:
        return 100 * scheme.standard_error_at(gamma, length=length, support=SUPPORT, records=records)
    except CannotMeetError:
        return math.nan


def truth_charts(true: Itemsets, estimated: Itemsets) -> tuple[Chart, ...]:
    """Estimated supports beside the true ones, with their intervals: for the owner only.

    `true` are itemsets of the true records; the commonest that were found are drawn.
    """
    wanted = {frozenset(items): support for items, support in true}
    shown = ("estimate", "selected_low", "selected_high")  # what was found was selected, and is judged as such
    rows = []
    for i, (items, _) in enumerate(estimated):
        real = wanted.get(frozenset(items))
        if real is not None:
            rows.append((real, *(float(estimated.columns[name][i]) for name in shown)))
    rows.sort(reverse=True)
    drawn = 100 * np.array(rows[:SHOWN], dtype=np.float64).reshape(-1, 4) / max(estimated.n_transactions, 1)
    off = drawn - drawn[:, :1]
    inside = float(np.mean((off[:, 2] <= 0) & (off[:, 3] >= 0))) if len(off) else 0.0
    if len(drawn) == 0:
        return ()
    return (
        Chart(
            title="Estimates beside the truth",
            kind="line",
            x=tuple(float(i) for i in range(1, len(drawn) + 1)),
            series={
                name: tuple(float(y) for y in off[:, i])
                for i, name in enumerate(("truth", "estimate", "interval, low", "interval, high"))
            },
            x_label="itemsets, the commonest first",
            y_label="support above or below the truth (points)",
            x_unit="count",
            y_unit="points",
            note=f"{len(drawn)} of {len(true):,} frequent itemsets; {inside:.0%} of these intervals hold the truth.",
        ),
    )
