import numpy as np
import pytest
from tests.oracles import block_noise as oracles

from confide.core.errors import UsageError
from confide.stream.blocks.gaussian import discrete_gaussian
from confide.stream.blocks.keyed import STAYS, KeyedNoise, experiment_key, slot_of
from confide.stream.noise import NoiseLaw

KEY = bytes(range(32))


def test_draws_are_those_of_the_definition():
    law = discrete_gaussian(5)
    keyed = KeyedNoise(KEY)
    found = keyed.draw(law, keyed.codes(["a", "b", "é"]), [STAYS, slot_of(0, 7), slot_of(3, 2)])
    for i, item in enumerate(["a", "b", "é"]):
        for j, slot in enumerate([0, 16 << 56 | 7, 19 << 56 | 2]):
            assert found[i, j] == oracles.draw(law, KEY, [item], slot)


def test_draws_follow_the_law():
    """100,000 draws: the mean within 4.4 standard errors, the variance within 5%: a false alarm in 10^5."""
    law = discrete_gaussian(5)
    keyed = KeyedNoise(experiment_key(3))
    codes = keyed.codes([str(i) for i in range(1000)])
    found = keyed.draw(law, codes, [slot_of(0, b) for b in range(100)])
    assert abs(found.mean()) < 4.4 * (5 / 1e5) ** 0.5
    assert found.var() == pytest.approx(5, rel=0.05)
    assert abs(np.corrcoef(found[:, 0], found[:, 1])[0, 1]) < 0.15


def test_another_key_item_slot_or_law_gives_other_noise():
    law, wider = discrete_gaussian(900), discrete_gaussian(901)
    keyed = KeyedNoise(KEY)
    codes = keyed.codes([str(i) for i in range(200)])
    found = keyed.draw(law, codes, [1])[:, 0]
    others = [
        KeyedNoise(bytes(32)).draw(law, KeyedNoise(bytes(32)).codes([str(i) for i in range(200)]), [1])[:, 0],
        keyed.draw(law, codes, [2])[:, 0],
        keyed.draw(wider, codes, [1])[:, 0],  # not the same bits at another width
        np.roll(found, 1),
    ]
    for other in others:
        assert (found == other).mean() < 0.1
        assert abs(np.corrcoef(found, other)[0, 1]) < 0.4


def test_what_is_no_key_or_no_law_for_a_key_is_refused():
    with pytest.raises(UsageError, match="32 bytes"):
        KeyedNoise(b"short")
    keyed = KeyedNoise(KEY)
    with pytest.raises(UsageError, match="power of two"):
        keyed.draw(NoiseLaw.uniform(3), keyed.codes(["a"]), [0])
