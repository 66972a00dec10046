"""Several windows as one: sums of published values, with the noise that such sums have."""

import numpy as np
import pytest
from tests.stream.streams import asked, records_file, release

from confide import Transactions
from confide.core.errors import UsageError
from confide.core.streams.run import StreamRun
from confide.mining import itemset_supports
from confide.stream.blocks.block_precision import noise_chances
from confide.stream.jobs.readings import look
from confide.stream.jobs.requests import StreamLook
from confide.stream.pipeline.opening import header_of
from confide.stream.results.longer_windows import add_windows
from confide.stream.results.support_bounds import PublishedBounds


def run_of(folder, **options):
    release(records_file(folder), output=folder / "out.jsonl", **options)
    return StreamRun.read(folder / "out.jsonl")


def test_windows_that_follow_each_other_are_added_up(tmp_path):
    run = run_of(tmp_path)
    together = add_windows(run, run.releases[-1], 3)  # after 1,200, 800 and 400 records: all of the stream
    parts = [run.releases[i].data.as_dict() for i in (0, 8, 16)]
    assert together.n_transactions == 1200
    assert together.as_dict() == {x: sum(part[x] for part in parts) for x in set.intersection(*map(set, parts))}
    true = itemset_supports(Transactions.read(tmp_path / "in.jsonl"), together)
    bounds = PublishedBounds(run.header, 3)
    ranges = bounds.of_all(together)
    assert all(
        ranges[items][0] <= count <= ranges[items][1] for items, count in zip(together.as_dict(), true, strict=True)
    )
    rows = list(look(StreamLook(run=tmp_path / "out.jsonl", windows=3, top=5)).rows())
    assert [row["value"] for row in rows] == sorted(together.as_dict().values(), reverse=True)[:5]
    assert all(row["low"] <= row["likely_low"] <= row["likely_high"] <= row["high"] for row in rows)


def test_the_noise_of_a_sum_has_what_stays_as_often_as_there_are_windows():
    laws = header_of(asked(window=400, every=50)).noise
    one, three = (noise_chances(laws, n) for n in (1, 3))
    variances = [(law * np.arange(-(len(law) // 2), len(law) // 2 + 1) ** 2).sum() for law in (one, three)]
    stays = sum(i * i * w for i, w in enumerate(laws.permanent.weights, laws.permanent.first)) / sum(
        laws.permanent.weights
    )
    assert variances[1] == pytest.approx(9 * stays + 3 * (variances[0] - stays), rel=0.01)
    assert three.sum() == pytest.approx(1)


def test_windows_by_time_follow_each_other_too(tmp_path):
    run = run_of(tmp_path, seconds=300, every_seconds=100)
    assert add_windows(run, run.releases[-1], 2).n_transactions == 600


def test_windows_that_are_not_there_and_other_schemes_are_refused(tmp_path):
    run = run_of(tmp_path)
    with pytest.raises(
        UsageError, match="no release whose window ends 3 windows before that of release 17; take fewer windows"
    ):
        add_windows(run, run.releases[-1], 4)
    paper = run_of(tmp_path / ".", scheme="basic", replace=True)
    with pytest.raises(UsageError, match="this run is of a scheme of the paper"):
        add_windows(paper, paper.releases[-1], 2)
