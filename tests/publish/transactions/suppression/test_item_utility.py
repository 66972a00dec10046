"""Putting back what the greedy rule need not have suppressed: still no mole, nothing needless, never a larger loss."""

from tests.oracles import publish as oracles
from tests.publish.transactions.test_suppress import eligible_cases

from confide import Coherence, Transactions
from confide.publish import suppress
from confide.publish.transactions.declaration import Declared
from confide.publish.transactions.moles.minimal import find_moles
from confide.publish.transactions.suppression.item_utility import suppress_for_items


def test_what_is_put_back_breaks_nothing_and_nothing_needless_is_left():
    for seed, rows, tx, requirement, private in eligible_cases(range(300)):
        declared = Declared.of(tx, private)
        moles = find_moles(declared, requirement)
        plain, better = (
            {tx.labels[v] for v in suppress_for_items(tx, moles, declared.supports, put_back=put_back).items}
            for put_back in (False, True)
        )
        assert better <= plain, seed
        minimal = oracles.minimal_moles(rows, requirement.h, requirement.k, requirement.p, private)
        assert all(mole & better for mole in minimal), seed
        assert all(any(mole & better == {v} for mole in minimal) for v in better), seed


def test_an_item_whose_moles_others_break_is_put_back():
    """The moles are ab, ac, bd, ce: the greedy rule takes a (a tie), then b and c, which make a needless."""
    rows = [["a", "b"], ["a", "c"], ["b", "d"], ["c", "e"], ["d"], ["e"]]
    tx, requirement = Transactions.from_lists(rows), Coherence(h=1.0, k=2, p=2)
    for put_back, left in ((False, {"d", "e"}), (True, {"a", "d", "e"})):
        release = suppress(tx, requirement, method="tree", cost="one", put_back=put_back)
        assert {v for row in release.data for v in row} == left
        assert release.passport.parameters["put_back"] is put_back
