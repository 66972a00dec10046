import numpy as np
import pytest

from confide import OutputPrivacy
from confide.stream.blocks.block_precision import chance_ahead, likely_supports, published_precision, support_slope
from confide.stream.blocks.law import RunNoise


@pytest.mark.parametrize("delta", [0.4, 1.0])
def test_stated_precision_is_that_of_draws(delta):
    noise = RunNoise.of(OutputPrivacy(epsilon=0.5, delta=delta, min_support=25, vulnerable=5), blocks=20)
    draw = np.random.default_rng(1).choice(np.arange(-noise.reach, noise.reach + 1), p=noise.chances, size=200_000)
    for row in published_precision(noise):
        off = draw[row.support + draw >= noise.threshold]
        assert len(off) / len(draw) == pytest.approx(row.published, abs=0.01)
        assert off.mean() == pytest.approx(row.lean, abs=0.05)
        assert (abs(off) <= row.within).mean() >= 0.95 - 0.002
        assert (abs(off) < row.within).mean() < 0.95 + 0.002


def test_intervals_cover_95_of_100_also_near_the_threshold():
    """Supports by a power law, as itemsets have them; the slope is taken from what was published."""
    noise = RunNoise.of(OutputPrivacy(epsilon=0.5, delta=0.4, min_support=25, vulnerable=5), blocks=20)
    random = np.random.default_rng(2)
    supports = np.floor(noise.mining_support * random.pareto(1.5, size=40_000) + noise.mining_support).astype(int)
    supports = supports[supports < 1500]
    values = supports + random.choice(np.arange(-noise.reach, noise.reach + 1), p=noise.chances, size=len(supports))
    out = values >= noise.threshold
    supports, values = supports[out], values[out]
    slope = support_slope(values)
    for near in (True, False):
        part = (values < noise.threshold + 5) == near
        inside = []
        for support, value in zip(supports[part][:4000].tolist(), values[part][:4000].tolist(), strict=True):
            low, high = likely_supports(value, noise.chances, slope=slope, least=noise.mining_support, records=2000)
            inside.append(low <= support <= high)
        assert np.mean(inside) == pytest.approx(0.96, abs=0.025)


def test_who_is_ahead():
    noise = RunNoise.of(OutputPrivacy(epsilon=0.5, delta=0.4, min_support=25, vulnerable=5), blocks=20)
    assert chance_ahead(0, noise.chances) == pytest.approx(0.5)
    assert chance_ahead(5, noise.chances) + chance_ahead(-5, noise.chances) == pytest.approx(1)
    random = np.random.default_rng(3)
    x, y = random.choice(np.arange(-noise.reach, noise.reach + 1), p=noise.chances, size=(2, 100_000))
    ahead = 5 + y - x
    assert chance_ahead(5, noise.chances) == pytest.approx((ahead > 0).mean() + 0.5 * (ahead == 0).mean(), abs=0.006)
