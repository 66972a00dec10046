"""Fields taken from a sample: declared bins and values, missing values, rare ones."""

import pyarrow as pa
import pytest

from confide.collect import Bins, Fields
from confide.collect.planning.sample_fields import fields_of, rare_values, usable_columns
from confide.core.errors import InputError, RequirementError


def test_fields_come_from_columns_and_declared_bins():
    table = pa.table({"age": [18, 40, 70], "sex": ["f", "m", "f"], "id": ["x", "y", "z"], "one": ["k", "k", "k"]})
    fields = fields_of(table, columns=["age", "sex"], bins={"age": (30, 60)})
    assert fields == Fields.of({"age": Bins((30, 60)), "sex": ["f", "m"]})
    assert usable_columns(table) == ["age", "sex", "id"]
    with pytest.raises(RequirementError, match="'one' has one value"):
        fields_of(table)
    many = pa.table({"n": list(range(100))})
    with pytest.raises(RequirementError, match=r"'n' has 100 values; give edges"):
        fields_of(many)
    with pytest.raises(InputError, match="no column 'zip'"):
        fields_of(table, columns=["zip"])
    with pytest.raises(InputError, match="bins for 'zip'"):
        fields_of(table, columns=["sex"], bins={"zip": (1,)})


def test_bins_are_for_numbers_and_no_value_may_be_missing():
    table = pa.table(
        {"age": ["18", "40", "70"], "sex": ["f", "m", "x y"], "town": ["A", "", "B"], "zip": ["1", None, "2"]}
    )
    assert fields_of(table, columns=["age"], bins={"age": (30,)}).sizes == (2,)
    with pytest.raises(InputError, match=r"record 1: a value of column 'sex' is not a number"):
        fields_of(table, columns=["sex"], bins={"sex": (3,)})
    with pytest.raises(InputError, match=r"record 2: .*decimals have a point"):
        fields_of(pa.table({"age": ["41.5", "41,5"]}), bins={"age": (30,)})
    with pytest.raises(InputError, match=r"record 2: a value of column 'town' is missing; fill it in"):
        fields_of(table, columns=["town"])
    with pytest.raises(InputError, match=r"record 2: a value of column 'zip' is missing"):
        fields_of(table, columns=["zip"], values={"zip": ["1", "2"]})
    assert usable_columns(table) == ["age", "sex"]


def test_values_are_declared_or_counted_as_rare():
    table = pa.table({"sex": ["f", "m"] * 10, "ill": ["no"] * 18 + ["gout", "flu"]})
    fields = fields_of(table)
    assert rare_values(table, fields) == {"ill": 2}
    assert rare_values(table, fields, declared=["ill"]) == {}
    assert fields_of(table, values={"sex": ["m", "f", "other"]})["sex"].values == ("m", "f", "other")
    with pytest.raises(RequirementError, match="both bins and values"):
        fields_of(table, bins={"sex": (1,)}, values={"sex": ["a", "b"]})
    with pytest.raises(InputError, match="values for 'zip'"):
        fields_of(table, values={"zip": ["a", "b"]})
