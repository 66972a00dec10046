"""Bits in words against Python's own integers."""

import random

import numpy as np
import pytest

from confide.core.runtime.bit_kernels import and3_count, and_count, has_bit, next_bit


def words(value, n):
    return np.array([value >> 64 * w & 0xFFFFFFFFFFFFFFFF for w in range(n)], dtype=np.uint64)


@pytest.mark.parametrize("seed", range(20))
def test_bits_are_counted_and_found_as_in_one_long_integer(seed):
    rng = random.Random(seed)
    n = rng.randint(1, 5)
    a, b, c = (rng.getrandbits(64 * n) & rng.getrandbits(64 * n) for _ in range(3))
    first = rng.randint(0, n)
    last = rng.randint(first, n)
    window = (1 << 64 * last) - (1 << 64 * first)
    assert and_count(words(a, n), words(b, n), last) == (a & b & ((1 << 64 * last) - 1)).bit_count()
    assert and3_count(words(a, n), words(b, n), words(c, n), first, last) == (a & b & c & window).bit_count()
    places = [i for i in range(64 * n) if a >> i & 1]
    stop = rng.randint(0, 64 * n)
    for place in range(64 * n):
        assert has_bit(words(a, n), place) == (place in places)
        after = [i for i in places if place <= i < stop]
        assert next_bit(words(a, n), place, stop) == (after[0] if after else stop)
