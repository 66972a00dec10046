"""Longer windows from a published run, at no cost: the values of windows that follow each other, added up.

The noise of such a sum is that of its windows, which is published already. A run of its own over longer windows would
be a second reading, and the two would average out. Nor can longer windows share a run's noise and add A once: a sum of
two windows less the longer one would be A itself.
"""

from confide.core.errors import UsageError
from confide.core.itemsets.container import Itemsets
from confide.core.streams.header import KeyedLaws
from confide.core.streams.releases import WindowRelease
from confide.core.streams.run import StreamRun

__all__ = ["add_windows"]


def add_windows(run: StreamRun, last: WindowRelease, windows: int) -> Itemsets:
    """The sets published in each of so many windows that end with that of release `last` and do not overlap, with the
    sums of their values."""
    if windows == 1:
        return last.data
    if not isinstance(run.header.noise, KeyedLaws):
        raise UsageError(
            "windows= adds up releases by blocks; this run is of a scheme of the paper",
            parameter="windows",
            value=windows,
        )
    parts = [last.data, *(_ending(run, last, back).data for back in range(1, windows))]
    shared = set.intersection(*(set(part.as_dict()) for part in parts))
    values = [part.as_dict() for part in parts]
    pairs = [(items, sum(known[items] for known in values)) for items in shared]
    return Itemsets.from_pairs(pairs, n_transactions=sum(part.n_transactions for part in parts))


def _ending(run: StreamRun, last: WindowRelease, back: int) -> WindowRelease:
    """The release whose window ends so many windows before that of `last`."""
    header = run.header
    for release in run.releases[: last.number]:
        if header.records is not None and release.offset == last.offset - back * header.records:
            return release
        if last.until is not None and release.until == last.until - back * (header.seconds or 0.0):
            return release
    which = "a window" if back == 1 else f"{back} windows"
    raise UsageError(
        f"the run has no release whose window ends {which} before that of release {last.number}; take fewer windows, "
        "or a later release",
        parameter="windows",
    )
