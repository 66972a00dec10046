"""What people have goes into a scheme, and comes back in the form they gave."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from confide import Randomness, Transactions
from confide.collect import Emask, basic_privacy, describe
from confide.core.errors import InputError

ROWS = [["milk", "nuts"], ["beer", "milk"], ["beer", "milk", "nuts"], ["milk"]] * 50
BITS = pd.DataFrame([{item: item in row for item in ("beer", "milk", "nuts")} for row in ROWS])
LONG = pd.DataFrame([(i, item) for i, row in enumerate(ROWS) for item in row], columns=["id", "item"])
EMASK = Emask(p=0.8, q=0.9)
WANTED = EMASK.perturb(Transactions.from_lists(ROWS), randomness=Randomness.seeded(1))
ESTIMATED = EMASK.mine(WANTED, min_support=0.3).columns["estimate"]


@pytest.mark.parametrize(
    "records", [ROWS, BITS, pl.from_pandas(BITS), pd.Series(ROWS), pl.Series(ROWS), pa.table({"items": ROWS}), LONG]
)
def test_every_form_is_perturbed_alike_and_mined_alike(records):
    sent = EMASK.perturb(records, randomness=Randomness.seeded(1))
    assert isinstance(sent, type(records))
    assert sorted(EMASK.mine(sent, min_support=0.3).columns["estimate"]) == sorted(ESTIMATED)


def test_matrices_stay_matrices():
    sparse = EMASK.perturb(csr_array(BITS.to_numpy()), randomness=Randomness.seeded(1))
    assert sparse.shape == BITS.shape
    assert len(EMASK.mine(sparse, min_support=0.3)) == len(ESTIMATED)


def test_items_of_the_universe_that_nobody_has_become_columns():
    sent = EMASK.for_items(["beer", "milk", "nuts", "soap"]).perturb(BITS, randomness=Randomness.seeded(1))
    assert sent.columns.tolist() == ["beer", "milk", "nuts", "soap"]
    assert 0 < sent["soap"].sum() < len(sent)


@pytest.mark.parametrize("records", [ROWS, pd.Series(ROWS), pl.DataFrame({"items": ROWS})])
def test_measures_and_advice_take_them_too(records):
    tx = Transactions.from_lists(ROWS)
    assert basic_privacy(EMASK, records).per_item.tolist() == basic_privacy(EMASK, tx).per_item.tolist()
    assert describe(records, gamma=19).to_dict() == describe(tx, gamma=19).to_dict()


def test_shares_are_still_shares():
    assert (
        basic_privacy(EMASK, [0.5, 0.25]).per_item.tolist()
        == basic_privacy(EMASK, np.array([0.5, 0.25])).per_item.tolist()
    )


@pytest.mark.parametrize("wrong", [None, {"a": 1}, "no.csv", [[1.5]], [["tea"], 3]])
def test_what_is_neither_is_refused_in_words(wrong):
    for call in (lambda: EMASK.mine(wrong, min_support=2), lambda: basic_privacy(EMASK, wrong)):
        with pytest.raises(InputError):
            call()
