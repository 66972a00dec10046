"""Which scheme fits, as a notebook asks for it: columns that cannot be fields are left out and named."""

import pyarrow as pa
import pytest

from confide import Transactions
from confide.collect import DescribeRequest, describe, describe_file
from confide.core.errors import UsageError

PEOPLE = pa.table({"sex": ["f", "m"] * 50, "ill": ["no", "yes", "no", "no"] * 25, "one": ["k"] * 100})


def test_columns_that_cannot_be_fields_are_left_out_and_named():
    found = describe_file(DescribeRequest(data=PEOPLE, gamma=19))
    wanted = describe(PEOPLE.select(["sex", "ill"]), gamma=19)
    assert found.description == wanted
    assert found.notes[0].startswith("left out, because they have one value")
    assert found.notes[0].endswith(": one")
    assert found.notes[1:] == wanted.reasons


def test_the_page_shows_every_scheme_and_is_private():
    study = describe_file(DescribeRequest(data=PEOPLE, columns=["sex", "ill"])).study()
    assert study.private
    assert [row[0] for row in study.tables["Schemes"][1]] == list(study.charts[0].series)
    assert study.lead.startswith("2 fields with 4 combinations")


def test_bins_are_not_for_baskets():
    with pytest.raises(UsageError, match="bins and values are for tables"):
        describe_file(DescribeRequest(data=Transactions.from_lists([["a"]]), bins={"a": (3,)}))
