"""Charts of a collection: drawn without a look at true records, and the truth on the owner's page only."""

import math

import numpy as np
import pytest

from confide import Randomness, report
from confide.collect import CutAndPaste, Emask, GammaDiagonal, Mask
from confide.collect.perturbed_release import release_perturbed
from confide.collect.planning.charts import promise_charts, truth_charts
from confide.collect.planning.perturber import perturber_of
from confide.collect.planning.privacy_measures import as_transactions
from confide.core.errors import UsageError
from confide.mining import frequent_itemsets

SCHEMES = [
    GammaDiagonal(domains=[2, 3, 4], gamma=19),
    Mask(p=0.6, fields=[2, 3]),
    CutAndPaste(K=2, rho=0.5, fields=[2, 3]),
    Emask(p=0.6, q=0.9, items=("a", "b", "c"), max_length=2),
    Emask(p=0.5, q=0.97, items=tuple(map(str, range(500))), max_length=50),
]


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.kind)
def test_the_promise_is_drawn_for_every_scheme(scheme):
    charts = promise_charts(scheme, 1000)
    assert charts[0].title == "How far a suspicion can rise"
    for values in charts[0].series.values():
        assert all(y >= x - 1e-12 for x, y in zip(charts[0].x, values, strict=True))
    page = report.render_study("x", lead="y", charts=charts)
    assert page.count("The numbers as a table") == len(charts)


def test_a_curve_for_one_item_never_stands_for_the_whole_record():
    """Whatever gamma is, the record's own curve is drawn, and the note says which of the two holds for everybody."""
    for scheme in SCHEMES[3:]:
        chart = promise_charts(scheme, 1000)[0]
        whole, item = chart.series["a whole record"], chart.series["one item swapped"]
        assert all(a >= b for a, b in zip(whole, item, strict=True))
        assert '"One item swapped" holds only between' in chart.note
    assert min(promise_charts(SCHEMES[4], 1000)[0].series["a whole record"][1:]) > 0.99
    assert "one item swapped" not in promise_charts(SCHEMES[0], 1000)[0].series


def test_a_larger_gamma_costs_less():
    *_, cost = promise_charts(GammaDiagonal(domains=[2, 3, 4], gamma=19), 1000)
    for values in cost.series.values():
        assert list(values) == sorted(values, reverse=True)
        assert all(math.isfinite(y) for y in values)


def test_the_truth_is_on_the_owners_side():
    codes = np.random.default_rng(1).integers(0, 2, (5000, 3)).astype(np.int32)
    scheme = GammaDiagonal(domains=[2, 2, 2], gamma=19)
    sent = scheme.perturb(codes, randomness=Randomness.seeded(1))
    true = frequent_itemsets(as_transactions(scheme, codes), min_support=0.1)
    found = scheme.mine(sent, min_support=0.1)
    (chart,) = truth_charts(true, found)
    widest = (found.columns["selected_high"] - found.columns["selected_low"]).max() / 50
    wide = np.subtract(chart.series["interval, high"], chart.series["interval, low"])
    assert wide.max() == pytest.approx(widest)  # those that hold for what was found
    assert set(chart.series) == {"truth", "estimate", "interval, low", "interval, high"}
    assert set(chart.series["truth"]) == {0.0}
    assert all(
        low <= y <= high
        for low, y, high in zip(
            *(chart.series[n] for n in ("interval, low", "estimate", "interval, high")), strict=True
        )
    )
    release = release_perturbed(scheme, scheme.fields.to_table(codes))
    assert {c.title for c in release.charts} == {"How far a suspicion can rise", "What another gamma would cost"}
    assert truth_charts(true, scheme.mine(sent, min_support=0.99)) == ()


def test_a_large_domain_is_audited_in_small():
    assert SCHEMES[0].smaller() is SCHEMES[0]
    few = SCHEMES[4].smaller()
    assert (few.p, few.q, len(few.items), few.max_length) == (0.5, 0.97, 4, 4)
    many = GammaDiagonal(domains=[10] * 8, gamma=19)
    assert many.smaller().cells == 10_000
    with pytest.raises(UsageError, match="too many to audit"):
        perturber_of(many)
    with pytest.raises(UsageError, match="names no items"):
        perturber_of(Emask(p=0.5, q=0.9))
    assert Emask(p=0.5, q=0.9).smaller().items == ("1", "2", "3", "4")


def test_an_answer_is_read_as_bits_in_the_order_of_the_universe():
    scheme = Mask(p=0.999999, items=("z", "a", "m"))  # not in label order
    draw, truths, outputs = perturber_of(scheme, randomness=Randomness.seeded(1))
    assert (truths, outputs) == (8, 8)
    assert [int(np.bincount(draw(u, 50)).argmax()) for u in range(8)] == [0, 1, 2, 4, 3, 5, 6, 7]
