import numpy as np
import pytest
from tests.stream.streams import asked

from confide.audit.adversaries.blocks.recovered_blocks import recover_blocks
from confide.stream.blocks.keyed import STAYS, KeyedNoise, slot_of
from confide.stream.pipeline.opening import header_of, publisher_of


def published(every, *, windows, mean, seed=4):
    """The values of one itemset over some windows, the noisy counts of its blocks, and A: noise as a run draws it."""
    request = asked(window=2000, every=every, epsilon=0.2)
    noise, blocks = publisher_of(request).run_noise, 2000 // every
    keyed = KeyedNoise(bytes([seed] * 32))
    code = keyed.codes(["a"])
    counts = np.random.default_rng(seed).poisson(mean / blocks, size=windows * blocks)
    seen = counts + keyed.draw(noise.block, code, [slot_of(0, b) for b in range(len(counts))])[0]
    stays = int(keyed.draw(noise.permanent, code, [STAYS])[0, 0])
    values = np.convolve(seen, np.ones(blocks, dtype=np.int64), "valid") + stays
    return values, seen, stays, header_of(request).noise


@pytest.mark.parametrize("every", [1, 10])
def test_noisy_counts_of_small_blocks_follow_from_the_releases(every):
    """So whoever is handed every block's noisy count has no more than whoever follows a run for twelve windows."""
    for seed in range(5):
        values, seen, stays, laws = published(every, windows=12, mean=60, seed=seed)
        found = recover_blocks(values, laws)
        assert (found.counts == seen).mean() > 0.99
        assert abs(found.stays - stays) <= 2


def test_two_windows_and_blocks_of_many_records_do_not_say_as_much():
    values, seen, _, laws = published(10, windows=2, mean=60)
    assert (recover_blocks(values, laws).counts == seen).mean() < 0.95
    values, seen, _, laws = published(100, windows=12, mean=60)
    assert (recover_blocks(values, laws).counts == seen).mean() < 0.9
