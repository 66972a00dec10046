import random

import pytest
from tests.amounts import some

from confide import Transactions
from confide.audit.adversaries.runs.same_records import average_same_records
from confide.mining import frequent_itemsets
from confide.stream import plan_run


def test_a_product_and_its_category_are_one_count():
    known = {"milk": 40, "dairy": 70, "milk dairy": 40, "milk tea": 12, "milk dairy tea": 12, "tea": 30}
    values = {"milk": 44.0, "dairy": 71.0, "milk dairy": 40.0, "milk dairy tea": 13.0, "tea": 29.0}
    found = average_same_records(
        {frozenset(x.split()): value for x, value in values.items()},
        {frozenset(x.split()): count for x, count in known.items()},
    )
    assert {" ".join(sorted(items)): value for items, value in found.items()} == {
        "milk": 42.0,
        "dairy": 71.0,
        "dairy milk": 42.0,
        "dairy milk tea": 13.0,
        "tea": 29.0,
    }


@pytest.mark.parametrize("seed", some(range(60), every=3))
def test_classes_are_those_of_counting_who_holds_what(seed):
    draw = random.Random(seed)
    rows = [{x for x in "abcd" if draw.random() < 0.6} for _ in range(12)]
    rows = [row | {"e"} if "a" in row else row for row in rows]  # e never is without a
    known = frequent_itemsets(Transactions.from_lists([sorted(row) for row in rows]), min_support=2).as_dict()
    values = {items: float(draw.randrange(100)) for items in known if draw.random() < 0.8}
    held = {items: tuple(i for i, row in enumerate(rows) if items <= row) for items in known}
    for items, mean in average_same_records(values, known).items():
        alike = [value for other, value in values.items() if held[other] == held[items]]
        assert mean == pytest.approx(sum(alike) / len(alike))


def twins(each: int):
    """Baskets of a product that hardly ever comes without another, and with `each` of them its category."""
    draw = random.Random(4)
    rows = []
    for _ in range(2400):
        pair = draw.randrange(12)
        row = [f"x{pair}"] + [f"y{pair}"] * (draw.random() < 0.95)
        rows.append([*row, *(f"{item} {i}" for item in row for i in range(each))])
    return Transactions.from_lists(rows)


def test_a_plan_makes_up_for_items_that_always_come_together():
    alone, together = (
        plan_run(min_support=25, delta=0.2, sample=twins(each), window=800, every=100).tried for each in (0, 1)
    )
    assert alone[0].same_records > 2 * together[0].same_records
    assert len(alone) == 1
    assert not together[0].enough
    assert together[-1].enough
