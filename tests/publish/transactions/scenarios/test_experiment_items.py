"""Private items for experiments: the rule of section 4.5.1, and random selections that can be repeated."""

import random

import pytest
from benchmarks.publish.experiment_items import copy_private_items, draw_private_items
from tests.oracles import publish as oracles

from confide import Transactions
from confide.core.errors import RequirementError
from confide.core.randomness import Randomness


@pytest.mark.parametrize("seed", range(100))
def test_each_record_gets_a_copy_of_its_commonest_item_below_half(seed):
    draw = random.Random(seed)
    rows = [[i for i in "abcdef" if draw.random() < draw.choice([0.1, 0.5, 0.9])] for _ in range(draw.randint(1, 20))]
    made = copy_private_items(Transactions.from_lists(rows))
    expected = [[*sorted(set(row)), f"s:{s}"] for row, s in zip(rows, oracles.copied_private_item(rows), strict=True)]
    assert list(made.transactions) == expected
    assert set(made.private) == {row[-1] for row in expected}
    assert made.left_out == 0


def test_a_share_of_the_items_is_selected_and_the_rest_counted():
    rows = [[str(i) for i in range(20) if (i + j) % 3] for j in range(30)]
    tx = Transactions.from_lists(rows)
    made = copy_private_items(tx, public_share=0.25, randomness=Randomness.seeded(4))
    public = set(made.transactions.labels) - set(made.private)
    assert len(public) == 5
    assert made.left_out + len(made.transactions.indices) - len(tx) == len(tx.indices)
    whole = copy_private_items(tx)
    assert [row[-1] for row in made.transactions] == [row[-1] for row in whole.transactions]  # copies of any item


def test_the_same_seed_selects_the_same_items():
    tx = Transactions.from_lists([[str(i) for i in range(30)]] * 3)
    first, second, other = (
        draw_private_items(tx, public_share=0.4, randomness=Randomness.seeded(s)) for s in (1, 1, 2)
    )
    assert first == second != other
    assert len(first) == 18


@pytest.mark.data
def test_the_commonest_private_item_has_the_known_share(data):
    for name, share in (("retail", 0.478), ("connect", 0.474)):
        made = copy_private_items(Transactions.read(data / name / f"{name}.dat.gz"))
        supports = made.transactions.supports()
        top = max(supports[made.transactions.codes[label]] for label in made.private)
        assert round(top / len(made.transactions), 3) == share


@pytest.mark.parametrize("share", [0, -0.1, 1.1, True, "half"])
def test_a_share_outside_0_to_1_is_refused(share):
    with pytest.raises(RequirementError, match="is not a share"):
        copy_private_items(Transactions.from_lists([["a"]]), public_share=share)


def test_a_selection_needs_randomness():
    with pytest.raises(RequirementError, match="at random"):
        copy_private_items(Transactions.from_lists([["a"]]), public_share=0.5)


def test_data_that_looks_private_already_is_refused():
    with pytest.raises(RequirementError, match="start with 's:'"):
        copy_private_items(Transactions.from_lists([["s:a"]]))
