"""Kernels and numpy count the same sets of names, and so take the same subtrees out."""

import numpy as np
import pytest
from tests.amounts import some

from confide import Coherence
from confide.publish import generalise
from confide.publish.transactions.generalisation import peeling


@pytest.mark.parametrize("p", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", some(range(40), every=5))
def test_kernels_and_numpy_take_the_same_out(monkeypatch, seed, p):
    draw = np.random.default_rng(seed)
    items = [f"i{number}" for number in range(int(draw.integers(4, 20)))]
    baskets = [
        [item for item in items if draw.random() < draw.choice([0.1, 0.4])] for _ in range(int(draw.integers(8, 80)))
    ]
    requirement = Coherence(h=float(draw.choice([1.0, 0.5])), k=int(draw.integers(2, 6)), p=p)
    private = items[:1] if seed % 3 == 0 else []
    found = []
    for numpy_counts in (False, True):
        monkeypatch.setattr(peeling, "INTERPRETED", numpy_counts)
        try:
            found.append(generalise(baskets, requirement, private=private, keep_order=True).data)
        except ValueError as refused:
            found.append(str(refused))
    assert found[0] == found[1]
