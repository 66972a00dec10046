import random

import pytest
from tests.oracles import block_noise as oracles

from confide import OutputPrivacy
from confide.core.itemsets.container import Itemsets
from confide.stream import Butterfly

KEY = bytes(range(32))
REQUIREMENT = OutputPrivacy(epsilon=0.5, delta=0.4, min_support=25, vulnerable=5)


def windows(count, seed=1):
    draw = random.Random(seed)
    items = "abcdefgh"
    for _ in range(count):
        sets = {tuple(sorted(draw.sample(items, draw.randint(1, 4)))) for _ in range(12)}
        yield {items: draw.choice([draw.randint(1, 60), draw.randint(60, 400)]) for items in sets}


@pytest.mark.parametrize("span", ["run", "release", "stretch"])
@pytest.mark.parametrize("blocks", [1, 7])
def test_releases_are_those_of_the_slow_twin(span, blocks):
    from dataclasses import replace

    butterfly = Butterfly(replace(REQUIREMENT, span=span), key=KEY, blocks=blocks)
    block = blocks - 1
    for turn, true in enumerate(windows(12)):
        block += 1 + (turn % 4 == 3) * 2  # now and then blocks go by without a release
        data = butterfly.release(Itemsets.from_pairs(list(true.items()), n_transactions=400), block=block).data
        wanted = oracles.release(butterfly.run_noise, KEY, true, block, 400)
        assert data.as_dict() == wanted
        assert {label for items in wanted for label in items} == set(data.labels)


def test_a_set_has_its_noise_whatever_else_is_in_the_window():
    one, many = ({("a", "b"): 100}, {("a", "b"): 100, ("c",): 90, ("a",): 120, ("b",): 101})
    found = [
        Butterfly(REQUIREMENT, key=KEY).release(Itemsets.from_pairs(list(x.items()), n_transactions=400), block=50).data
        for x in (one, many)
    ]
    assert found[0].support_of("ab") == found[1].support_of("ab")
