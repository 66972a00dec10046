"""Which scheme fits, as a notebook asks for it: columns that cannot be fields are left out and named."""

import math

import pyarrow as pa
import pytest

from confide import Transactions
from confide.collect import CollectPlan, describe, describe_file
from confide.core.errors import UsageError

PEOPLE = pa.table({"sex": ["f", "m"] * 50, "ill": ["no", "yes", "no", "no"] * 25, "one": ["k"] * 100})


def test_columns_that_cannot_be_fields_are_left_out_and_named():
    found = describe_file(CollectPlan(describe=PEOPLE, gamma=19))
    wanted = describe(PEOPLE.select(["sex", "ill"]), gamma=19)
    assert found.description == wanted
    assert found.notes[0].startswith("left out, because they have one value")
    assert found.notes[0].endswith(": one")
    assert found.notes[1:] == wanted.reasons


def test_the_page_shows_every_scheme_and_is_private():
    study = describe_file(CollectPlan(describe=PEOPLE, columns=["sex", "ill"])).study()
    assert study.private
    assert [row[0] for row in study.tables["Schemes"][1]] == list(study.charts[0].series)
    first, second, *_ = study.charts[0].series
    assert study.lead.startswith(f"First choice: {first}; then {second}")
    assert study.tables["Why"].rows[0][0].startswith("2 fields with 4 combinations")
    assert study.charts[0].x_label == "fields in the itemset"


def test_a_page_says_that_a_gamma_beyond_measure_protects_next_to_nobody():
    baskets = Transactions.from_lists([[f"i{n % 90}", *(f"j{n * k % 37}" for k in range(1, 12))] for n in range(400)])
    study = describe_file(CollectPlan(describe=baskets)).study()
    assert study.lead.startswith("First choice: emask")
    assert "next to no protection" in study.warning
    drawn = [error for errors in study.charts[0].series.values() for error in errors if not math.isnan(error)]
    assert 0 < max(drawn) <= 1


def test_bins_are_not_for_baskets():
    with pytest.raises(UsageError, match="bins and values are for tables"):
        describe_file(CollectPlan(describe=Transactions.from_lists([["a"]]), bins={"a": (3,)}))
