"""Figures 4.1 and 4.2 in small: the data is the paper's, and DET-GD alone finds itemsets of every length."""

import pytest
from benchmarks.collect import figures

from confide import Randomness
from confide.collect import GammaDiagonal, plan_cut_and_paste, plan_mask
from confide.collect.planning.privacy_measures import as_transactions
from confide.mining import compare_itemsets, frequent_itemsets


@pytest.mark.slow
def test_det_gd_alone_finds_itemsets_of_every_length(data):
    """Seed 1 is fixed; over ten seeds DET-GD finds 2.4 of the 13 itemsets of length 6 on average, the others none."""
    fields = figures.CENSUS
    table = fields.to_table(fields.encode(figures.census(data)))
    exact = GammaDiagonal(domains=fields, gamma=19)
    true = frequent_itemsets(as_transactions(exact, table), min_support=0.02)
    assert list(true.level_counts().values()) == [19, 101, 204, 172, 72, 13]  # erratum: printed 19 102 203 165 64 10
    assert exact.condition_number(3) == pytest.approx(112.1, abs=0.05)

    def missed(scheme):
        sent = scheme.perturb(table, randomness=Randomness.seeded(1))
        return [level.sigma_minus for level in compare_itemsets(true, scheme.mine(sent, min_support=0.02))]

    ours = missed(exact)
    mask = missed(plan_mask(19, fields=6).scheme(fields=fields))
    cut = missed(plan_cut_and_paste(19, K=6, fields=6).scheme(fields=fields))
    assert max(ours) < 100
    assert mask[5] == cut[5] == 100
    assert mask[0] < ours[0]  # short itemsets are MASK's
    assert mask[1] < ours[1]
    assert ours[3] < mask[3]
