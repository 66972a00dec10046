"""An original beside its release: what somebody who works with the release still finds. For the owner.

distributions     the share of each value (of many numbers, of ranges), and of numbers their mean and deviation
associations      of each pair of columns Cramer's V, and the correlation of numbers
regression        coefficients of a least-squares line through the numbers, each in its own deviations
classifiers       trained on either, tried on rows of the original
queries           "how many rows have these values in these columns?"

A label stands evenly for the values that it covers (`meanings`). Figures are exact but for classifiers and queries,
which draw from a fixed seed.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.core.figures import Column, ShownFields, Table
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.runtime.threads import answers_ctrl_c
from confide.core.tables.frames import read_table, to_table
from confide.core.tables.schema import SchemaLike, schema_of
from confide.publish.jobs.tables import PublishUtility
from confide.publish.tables.loss.classifiers import LEARNERS
from confide.publish.tables.loss.meanings import Meanings, check_columns

__all__ = ["SHARE", "Beside", "TableUtility", "compare_tables", "cramers_v", "run"]

_ROLES = ("quasi-identifier", "sensitive", "insensitive", "class")
_MOST_ROWS = 20_000  # that a classifier learns from
_MOST_COLUMNS = 3  # of a query
_SANITY = 0.001  # of all rows: smaller true counts are taken for this many
_MOST_BARS = 12  # shares of a column: of ranges of a number, or of its commonest values and of all others
SHARE = "share of rows"


@dataclass(frozen=True, kw_only=True)
class Beside:
    """A figure of the original beside that of the release; `what` it is, of which column or columns."""

    measure: str
    what: str
    original: float
    released: float

    @property
    def difference(self) -> float:
        return abs(self.original - self.released)


@dataclass(frozen=True, kw_only=True)
class TableUtility(ShownFields):
    """All figures, and `query_errors`: the median, the mean and the ninth decile of relative errors."""

    figures: tuple[Beside, ...]
    query_errors: dict[str, float]

    def of(self, measure: str) -> dict[str, Beside]:
        """The figures of a measure by what they are of."""
        return {figure.what: figure for figure in self.figures if figure.measure == measure}

    def rows(self) -> list[dict[str, Any]]:
        """A row for each figure, queries last."""
        rows = [asdict(figure) | {"difference": figure.difference} for figure in self.figures]
        told = ("original", "released", "difference")
        rounded = [row | {name: round(row[name], 4) for name in told} for row in rows]
        return rounded + [
            {"measure": "query error", "what": name, "original": 0.0, "released": round(error, 4)}
            | {"difference": round(error, 4)}
            for name, error in self.query_errors.items()
        ]

    def table(self) -> Table:
        """The rows for a page, but for the shares of values, which fill a page of their own."""
        columns = (Column("measure", "text"), Column("of", "text"))
        numbers = tuple(Column(name, "number") for name in ("original", "released", "difference"))
        rows = (row for row in self.rows() if row["measure"] != SHARE)
        return Table((*columns, *numbers), tuple(tuple(row.values()) for row in rows))

    def line(self) -> str:
        """One sentence for the owner."""
        moved = [figure.released for figure in self.figures if figure.measure == "rows that moved"]
        pairs = [figure.difference for figure in self.figures if figure.measure == "Cramer's V"]
        parts = [f"distributions differ by {np.mean(moved):.1%} of the rows on average"] if moved else []
        parts += [f"associations by {np.mean(pairs):.3f}"] if pairs else []
        return ", ".join([*parts, f"count queries are off by {self.query_errors['median']:.1%} (median)"])


def run(request: PublishUtility, host: Host = QUIET) -> Outcome:
    """The job `publish utility`: a row for each figure."""
    how = request.reading().options
    original, release = (
        read_table(given, **how) if isinstance(given, Path) else given for given in (request.table, request.release)
    )
    found = compare_tables(original, release, request.schema, target=request.target)
    return Outcome(
        answer=found,
        rows=found.rows,
        title="The original beside its release",
        notes=(found.line(), "these figures are of the original, too: for the owner only"),
    )


@answers_ctrl_c
def compare_tables(
    original: Any,
    release: Any,
    schema: SchemaLike,
    *,
    target: str | None = None,
    classifiers: bool = True,
    queries: int = 500,
    seed: int = 0,
) -> TableUtility:
    """Compare a release with the table it was made from: distributions, associations, regression, classifiers, queries.

    `schema` is the one the release was made with. `target` is what regression and classifiers predict, by default the
    column with the role class, or the first sensitive one; classifiers take longest, and can be left out. Every third
    row of the original, in an order drawn from `seed`, is kept for trying them; the release may hold those people, too.
    Takes some seconds for tens of thousands of rows.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [21, 22, 38, 39], "ill": ["n", "n", "y", "n"]})
    >>> coarse = pa.table({"age": ["20-29", "20-29", "30-39", "30-39"], "ill": ["n", "n", "y", "n"]})
    >>> schema = {"age": {"role": "quasi-identifier", "range": [0, 99]}, "ill": {"role": "sensitive"}}
    >>> found = compare_tables(people, coarse, schema, queries=10)
    >>> found.of("mean")["age"]
    Beside(measure='mean', what='age', original=30.0, released=30.0)
    """
    known = schema_of(schema)
    before, after = known.read_texts(to_table(original)), to_table(release)
    names = known.named(*_ROLES)
    check_columns(before, after, names)
    if target is not None and target not in names:
        raise UsageError(
            f"target={target!r} is no column to predict; columns are: {', '.join(names)}",
            parameter="target",
            value=target,
        )
    if queries < 1:
        raise UsageError(
            f"queries={queries} is no number of queries; use 1 or more", parameter="queries", value=queries
        )
    columns = {name: Meanings.of(before, after, known, name) for name in names}
    aim = target or next(iter((*known.named("class"), *known.named("sensitive"))), None)
    figures = [*_distributions(columns.values()), *_associations(list(columns.values()))]
    if aim is not None:
        others = [column for name, column in columns.items() if name != aim]
        figures += _regression(others, columns[aim])
        figures += _classifiers(others, columns[aim], seed) if classifiers else []
    asked = [columns[name] for name in known.named("quasi-identifier")] or list(columns.values())
    errors = _query_errors(asked, queries, np.random.default_rng(seed))
    quantiles = {"median": np.median(errors), "mean": errors.mean(), "ninth decile": np.quantile(errors, 0.9)}
    return TableUtility(figures=tuple(figures), query_errors={name: float(x) for name, x in quantiles.items()})


def _distributions(columns: Any) -> list[Beside]:
    found = []
    for column in columns:
        before, after = column.shares
        moved = float(np.abs(before - after).sum() / 2)
        found.append(Beside(measure="rows that moved", what=column.name, original=0.0, released=moved))
        for label, old, new in _bars(column):
            found.append(Beside(measure=SHARE, what=f"{column.name} = {label}", original=old, released=new))
        if column.is_numeric:
            sides = column.numbers[column.codes], column.released[column.labels]
            for measure, of in (("mean", np.mean), ("standard deviation", np.std)):
                old, new = (float(of(side)) for side in sides)
                found.append(Beside(measure=measure, what=column.name, original=old, released=new))
    return found


def _bars(column: Meanings) -> list[tuple[str, float, float]]:
    """The shares of a column before and after: of ranges of a number, else of its commonest values and all others."""
    before, after = column.shares
    if len(column.values) > _MOST_BARS and column.is_numeric:
        assert column.numbers is not None
        low, high = float(column.numbers.min()), float(column.numbers.max())
        width = (high - low) / _MOST_BARS
        place = np.minimum(((column.numbers - low) / width).astype(np.int64), _MOST_BARS - 1)
        sides = [np.bincount(place, weights=side, minlength=_MOST_BARS) for side in (before, after)]
        labels = [f"{low + width * n:.6g} to {low + width * (n + 1):.6g}" for n in range(_MOST_BARS)]
        return [(label, float(old), float(new)) for label, old, new in zip(labels, *sides, strict=True)]
    shown = column.order
    if len(shown) > _MOST_BARS:
        shown = np.argsort(-before, kind="stable")[: _MOST_BARS - 1]
    found = [(column.values[n] or "missing", float(before[n]), float(after[n])) for n in shown]
    if len(shown) < len(column.values):
        found.append(("all others", float(1 - before[shown].sum()), float(1 - after[shown].sum())))
    return found


def _associations(columns: Sequence[Meanings]) -> list[Beside]:
    found = []
    for a, b in combinations(columns, 2):
        what = f"{a.name} and {b.name}"
        old, new = cramers_v(_counts(a, b)), cramers_v(_expected(a, b))
        found.append(Beside(measure="Cramer's V", what=what, original=old, released=new))
        if a.is_numeric and b.is_numeric:
            assert a.numbers is not None
            assert b.numbers is not None
            assert a.released is not None
            assert b.released is not None
            old = _correlation(a.numbers[a.codes], b.numbers[b.codes])
            new = _correlation(a.released[a.labels], b.released[b.labels])
            found.append(Beside(measure="correlation", what=what, original=old, released=new))
    return found


def _counts(a: Meanings, b: Meanings) -> NDArray[np.float64]:
    """How many rows of the original have each pair of classes."""
    wide = b.class_weights.shape[1]
    size = a.class_weights.shape[1] * wide
    pairs = np.bincount(a.classes[a.codes] * wide + b.classes[b.codes], minlength=size)
    return pairs.reshape(-1, wide).astype(np.float64)


def _expected(a: Meanings, b: Meanings) -> NDArray[np.float64]:
    """The same as a receiver must expect it, who knows labels."""
    pairs, counts = np.unique(a.labels * len(b.weights) + b.labels, return_counts=True)
    left, right = np.divmod(pairs, len(b.weights))
    found: NDArray[np.float64] = a.class_weights[left].T @ (b.class_weights[right] * counts[:, None])
    return found


def cramers_v(counts: NDArray[np.float64]) -> float:
    """Cramer's V of a contingency table: 0 for none, 1 for a full association."""
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    counts = counts[np.ix_(rows > 0, columns > 0)]
    rows, columns, n = rows[rows > 0], columns[columns > 0], counts.sum()
    most = min(counts.shape) - 1
    if most < 1:
        return 0.0
    expected = np.outer(rows, columns) / n
    return float(np.sqrt(((counts - expected) ** 2 / expected).sum() / n / most))


def _correlation(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    return float(np.corrcoef(a, b)[0, 1]) if a.std() > 0 and b.std() > 0 else 0.0


def _regression(columns: Sequence[Meanings], target: Meanings) -> list[Beside]:
    """Coefficients of the numbers, each in deviations of the original, for the target or for its commonest value."""
    numeric = [c for c in columns if c.is_numeric and c.numbers is not None and c.numbers[c.codes].std() > 0]
    if not numeric:
        return []
    if target.is_numeric:
        assert target.numbers is not None
        assert target.released is not None
        y, z = target.numbers[target.codes], target.released[target.labels]
        what = target.name
        scale = y.std() or 1.0
    else:
        common = int(np.bincount(target.codes).argmax())
        y, z = (target.codes == common).astype(np.float64), target.weights[target.labels, common]
        what, scale = f"{target.name}: its commonest value", 1.0
    sides = []
    for wanted, released in ((y, False), (z, True)):
        parts = []
        for column in numeric:
            assert column.numbers is not None
            assert column.released is not None
            own = column.numbers[column.codes]
            shown = column.released[column.labels] if released else own
            parts.append((shown - own.mean()) / own.std())
        design = np.column_stack([np.ones(len(wanted)), *parts])
        sides.append(np.linalg.lstsq(design, wanted / scale, rcond=None)[0][1:])
    return [
        Beside(measure="coefficient", what=f"{c.name} for {what}", original=float(old), released=float(new))
        for c, old, new in zip(numeric, *sides, strict=True)
    ]


def _classifiers(columns: Sequence[Meanings], target: Meanings, seed: int) -> list[Beside]:
    """The accuracy of each classifier on rows of the original that the first of both was not trained on."""
    if not columns or len(target.values) < 2:
        return []
    draw = np.random.default_rng(seed)
    order = draw.permutation(len(target.codes))
    test, train = order[::3][:_MOST_ROWS], np.delete(order, np.arange(0, len(order), 3))[:_MOST_ROWS]
    chosen = draw.permutation(len(target.labels))[:_MOST_ROWS]
    widths = [len(column.values) for column in columns]
    original = np.stack([column.codes for column in columns], axis=1)
    released = np.stack([column.draw(draw) for column in columns], axis=1)[chosen]
    said = target.draw(draw)[chosen].astype(np.int32)
    truth = target.codes[test]
    found = []
    for name, learn in LEARNERS.items() if len(train) else ():
        old = learn(original[train], target.codes[train].astype(np.int32), widths)(original[test])
        new = learn(released, said, widths)(original[test])
        accuracies = [float((guess == truth).mean()) for guess in (old, new)]
        found.append(Beside(measure="accuracy", what=name, original=accuracies[0], released=accuracies[1]))
    return found


def _query_errors(columns: Sequence[Meanings], queries: int, draw: np.random.Generator) -> NDArray[np.float64]:
    """Relative errors of random counts: one to three columns, in each a run of a tenth to a half of its values."""
    errors = np.empty(queries)
    for query in range(queries):
        size = int(draw.integers(1, min(_MOST_COLUMNS, len(columns)) + 1))
        truth = np.ones(len(columns[0].codes), dtype=np.bool_)
        weight = np.ones(len(columns[0].labels))
        for number in draw.choice(len(columns), size, replace=False):
            column = columns[number]
            values = len(column.values)
            width = max(1, int(values * draw.uniform(0.1, 0.5)))
            first = int(draw.integers(0, values - width + 1))
            asked = np.zeros(values, dtype=np.bool_)
            asked[column.order[first : first + width]] = True
            truth &= asked[column.codes]
            weight *= (column.weights @ asked)[column.labels]
        count = int(truth.sum())
        errors[query] = abs(weight.sum() - count) / max(count, _SANITY * len(truth), 1)
    return errors
