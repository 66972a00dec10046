"""The loss of a release as figures, in one sentence, and as charts.

Rows are left out so that the others keep the requirement (suppressed), or since a value is missing. What is told to
everybody hides small counts of either: a number from 1 to k - 1 reads "fewer than k", and all that would give it away
is worked out as if it were k - 1.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from confide.core.figures import Chart, Figure, Figures
from confide.publish.tables.averaging.group_numbers import squared_errors
from confide.publish.tables.loss.loss_measures import classification, discernibility, entropy
from confide.publish.tables.recoding import Recoding

__all__ = ["KEY_FIGURES", "TableLoss"]

KEY_FIGURES = ("detail_lost", "rows_left_out", "smallest_group")

_BINS = (2, 3, 5, 10, 20, 50, 100, 1000)


@dataclass(frozen=True, kw_only=True)
class TableLoss:
    """The loss of a recoding. `least` is the number below which no count of rows left out is told; `fewest` what the
    average class size is measured in.
    """

    recoding: Recoding
    least: int
    fewest: int

    def exact(self) -> Figures:
        """For the owner: everything as it is."""
        return self._figures(self.recoding.suppressed, self.recoding.table.dropped)

    def public(self) -> Figures:
        """For everybody: counts below `least` of rows left out are not told, nor what they follow from."""
        out, gaps = (
            self._publishable_count(count) for count in (self.recoding.suppressed, self.recoding.table.dropped)
        )
        figures = self._figures(out, gaps)
        shown = {
            name: Figure(name, value, figures.unit(name), figures.heading(name)) for name, value in figures.items()
        }
        for name in self._hidden:
            shown[name] = Figure(name, f"fewer than {self.least}", "text", figures.heading(name))
        if 0 < (self.recoding.carried or 0) < self.least:
            shown["rows_carried"] = Figure(
                "rows_carried", f"fewer than {self.least}", "text", figures.heading("rows_carried")
            )
        if self._hidden:
            low, high = self._bounds
            kept = self.recoding.released
            told = {"rows": f"{kept + low:,} to {kept + high:,}", "rows_left_out": self._range}
            shown |= {name: Figure(name, text, "text", figures.heading(name)) for name, text in told.items()}
        return Figures(*shown.values())

    @property
    def _left_out(self) -> dict[str, int]:
        return {"rows_suppressed": self.recoding.suppressed, "rows_with_missing_values": self.recoding.table.dropped}

    @property
    def _hidden(self) -> list[str]:
        """The counts that are not told."""
        return [name for name, count in self._left_out.items() if 0 < count < self.least]

    def _publishable_count(self, count: int) -> int:
        return self.least - 1 if 0 < count < self.least else count

    @property
    def _bounds(self) -> tuple[int, int]:
        """The fewest and the most rows that may be left out, by all that is told."""
        counts = list(self._left_out.values())
        low = sum(1 if 0 < count < self.least else count for count in counts)
        return low, sum(map(self._publishable_count, counts))

    @property
    def _range(self) -> str:
        """How many rows are left out, as far as it is told: a number, or between which it lies."""
        low, high = self._bounds
        if not self._hidden:
            return f"{high:,}"
        known = any(count >= self.least for count in self._left_out.values())
        return f"{low:,} to {high:,}" if known else f"fewer than {high + 1:,}"

    @cached_property
    def _persons(self) -> NDArray[np.int64]:
        """How many persons each group has."""
        group, count = self.recoding.groups
        persons = self.recoding.table.persons
        assert persons is not None
        pairs = np.unique(group.astype(np.int64) * (int(persons.max()) + 1) + persons[self.recoding.rows])
        return np.bincount(pairs // (int(persons.max()) + 1), minlength=count)

    @cached_property
    def _entropy(self) -> float:
        return _rounded(entropy(self.recoding))

    @cached_property
    def _squares(self) -> dict[str, float]:
        return {name: _rounded(share) for name, share in squared_errors(self.recoding).items()}

    def _figures(self, suppressed: int, dropped: int) -> Figures:
        recoding = self.recoding
        sizes = recoding.sizes
        kept, out = recoding.released, suppressed + dropped
        names = [column.name for column in recoding.table.quasi]
        by_column = dict(zip(names, (float(_rounded(loss)) for loss in recoding.column_losses), strict=True))
        found = [
            Figure("detail_lost", recoding.ncp(left_out=out), "share", "of all detail is lost (NCP)"),
            Figure("detail_lost_by_column", by_column, "share", "detail of released rows that is lost, by column"),
            Figure("rows", kept + out, "count", "rows before"),
            Figure("rows_left_out", out, "count", "rows left out"),
            Figure("rows_suppressed", suppressed, "count", "rows left out to keep the promise"),
        ]
        if dropped:
            found.append(
                Figure("rows_with_missing_values", dropped, "count", "rows left out since a value was missing")
            )
        found += [
            Figure("groups", len(sizes), "count", "groups of rows that look alike"),
            Figure("smallest_group", int(sizes.min()), "count", "rows in the smallest group"),
            Figure("mean_group", float(sizes.mean()), "number", "rows in a group on average"),
            Figure(
                "average_class_size",
                float(sizes.mean()) / self.fewest,
                "number",
                "the same in multiples of the fewest rows a group may have",
            ),
            Figure("discernibility", discernibility(sizes, out), "number", "rows that look like a row, summed"),
            Figure("entropy_lost", self._entropy, "share", "of all bits are lost (non-uniform entropy)"),
        ]
        if recoding.carried is not None:
            found.append(Figure("rows_carried", recoding.carried, "count", "rows carried on from earlier releases"))
        if recoding.table.persons is not None:
            found.append(
                Figure("fewest_persons", int(self._persons.min()), "count", "persons in the group with the fewest")
            )
        if self._squares:
            told = "squared error of numbers, as a multiple of the variance before"
            found.append(Figure("squared_error_by_column", self._squares, "number", told))
        metric = classification(recoding, out)
        if metric is not None:
            found.append(
                Figure("classification_metric", metric, "share", "of rows are not of their group's commonest class")
            )
        return Figures(*found)

    def headline(self) -> str:
        """The loss in one sentence, never better than it is."""
        recoding = self.recoding
        high = self._bounds[1]
        detail = recoding.ncp(left_out=high)
        percent = int(np.ceil(detail * 100 - 1e-9))
        most = f"Less than {percent}%" if percent - detail * 100 > 1e-9 else f"{percent}%"
        lost = "No detail is lost" if detail == 0 else f"{most} of all detail is lost"
        if high == 0:
            out = "no row is left out"
        elif self._hidden:
            out = f"{self._range} rows are left out"
        else:
            share = high / (recoding.released + high)
            out = f"{self._range} rows ({'less than 0.1%' if share < 0.001 else f'{share:.1%}'}) are left out"
        if recoding.table.persons is not None:
            return (
                f"{lost}; {out}; every row looks like rows of at least {int(self._persons.min()) - 1:,} other people."
            )
        return f"{lost}; {out}; every row looks like at least {int(recoding.sizes.min()) - 1:,} others."

    def charts(self) -> tuple[Chart, ...]:
        """Loss by column, and how large groups are: both can be read off the release."""
        recoding = self.recoding
        by_column = Chart(
            title="Detail lost, by column",
            x=tuple(column.name for column in recoding.table.quasi),
            series={"detail lost": tuple(float(_rounded(loss)) for loss in recoding.column_losses)},
            y_label="share of the detail of released rows",
            y_unit="share",
        )
        return by_column, group_chart({"released": recoding.sizes})


def group_chart(sizes: dict[str, NDArray[np.int64]]) -> Chart:
    """The share of rows in groups of each size."""
    most = max(int(of.max(initial=1)) for of in sizes.values())
    edges = [1, *(edge for edge in _BINS if edge <= most), most + 1]
    edges = sorted(set(edges))
    names = [f"{a:,}" if b - a == 1 else f"{a:,} to {b - 1:,}" for a, b in pairwise(edges)]
    series = {}
    for name, of in sizes.items():
        rows = np.bincount(np.searchsorted(edges, of, side="right") - 1, weights=of, minlength=len(names))
        series[name] = tuple(float(share) for share in rows / max(1, of.sum()))
    used = [i for i in range(len(names)) if any(values[i] > 0 for values in series.values())]
    return Chart(
        title="Rows by the size of their group",
        x=tuple(names[i] for i in used),
        series={name: tuple(values[i] for i in used) for name, values in series.items()},
        x_label="rows that look alike",
        y_label="share of rows",
        y_unit="share",
    )


def _rounded(share: float) -> float:
    """Four digits: enough to read, too few to work out one row from."""
    return float(f"{share:.4g}")
