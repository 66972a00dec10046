"""Arrays come back as they were, and take few bytes."""

import numpy as np
import pytest

from confide.ledger.packed_arrays import pack_array, unpack_array


@pytest.mark.parametrize("kind", ["int32", "uint64"])
@pytest.mark.parametrize("length", [0, 1, 1000])
def test_arrays_come_back(kind, length):
    numbers = np.random.default_rng(length).integers(0, 1 << 30, length).astype(kind)
    about, packed = pack_array(numbers)
    assert unpack_array(about, packed).tolist() == numbers.tolist()
    assert unpack_array(about, packed).dtype == numbers.dtype


def test_what_stayed_the_same_takes_next_to_nothing():
    before = np.random.default_rng(1).integers(-1, 100_000, 100_000).astype(np.int32)
    after = before.copy()
    after[::1000] = 5
    about, packed = pack_array(after, beside=before)
    assert len(packed) < 2_000 < len(pack_array(after)[1])
    assert unpack_array(about, packed, beside=before).tolist() == after.tolist()
