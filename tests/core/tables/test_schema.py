import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide import Hierarchy, Schema
from confide.core.errors import InputError
from confide.core.tables.schema import ROLES, Column

TOML = """
[columns.age]
role = "quasi-identifier"
hierarchy = { build = "intervals", widths = [5, 10] }

[columns.postcode]
role = "quasi-identifier"
hierarchy = "postcode.csv"

[columns.diagnosis]
role = "sensitive"
"""


def test_a_schema_is_read_with_its_hierarchies(tmp_path):
    (tmp_path / "s.toml").write_text(TOML)
    (tmp_path / "postcode.csv").write_text("10;1*;*\n11;1*;*\n")
    schema = Schema.read(tmp_path / "s.toml")
    assert schema.roles == {"age": "quasi-identifier", "postcode": "quasi-identifier", "diagnosis": "sensitive"}
    assert schema.hierarchy("age", ["21"]).rows == (("21", "20-24", "20-29", "*"),)
    assert schema.hierarchy("postcode", ["11"]).height == 2
    assert schema.hierarchy("diagnosis", ["flu"]).rows == (("flu", "*"),)
    with pytest.raises(InputError, match="column 'postcode': the hierarchy lacks '12'"):
        schema.hierarchy("postcode", ["12"])


names = st.text(min_size=1, max_size=6).filter(lambda name: "/" not in name and "\0" not in name)


@given(st.dictionaries(names, st.sampled_from(ROLES), min_size=1))
def test_any_column_name_round_trips_through_toml(tmp_path_factory, roles):
    path = tmp_path_factory.mktemp("schema") / "s.toml"
    Schema({name: Column(role=role) for name, role in roles.items()}).write(path)
    assert Schema.read(path).roles == roles


def test_hierarchies_are_written_beside(tmp_path):
    schema = Schema({"age": Column(role="quasi-identifier", hierarchy=Hierarchy.flat(["1", "2"]))})
    schema.write(tmp_path / "s.toml")
    assert Schema.read(tmp_path / "s.toml").hierarchy("age", ["2"]) == Hierarchy.flat(["1", "2"])


def test_all_faults_are_reported_at_once():
    with pytest.raises(InputError) as caught:
        Schema.from_dict({"a": {"role": "secret"}, "b": {"role": "sensitive", "colour": 1}, "c": 5})
    assert all(part in str(caught.value) for part in ("'a': role must be one of", "'b': unknown entry 'colour'", "'c'"))


def test_a_recipe_that_does_not_exist_or_takes_no_such_option_is_named():
    with pytest.raises(InputError, match="build must be one of"):
        Schema.from_dict({"a": {"role": "sensitive", "hierarchy": {"build": "magic"}}})
    with pytest.raises(InputError, match="masks takes no 'widths'"):
        Schema.from_dict({"a": {"role": "sensitive", "hierarchy": {"build": "masks", "widths": [1]}}})


@pytest.mark.parametrize("text", ["", "x = 1", "[columns]", "[columns.a]\nrole = 7", "[columns.a", "columns = 3"])
def test_a_file_that_is_not_a_schema_is_refused(tmp_path, text):
    (tmp_path / "s.toml").write_text(text)
    with pytest.raises(InputError, match=r"s\.toml"):
        Schema.read(tmp_path / "s.toml")


def test_a_table_must_have_exactly_the_columns():
    schema = Schema.from_dict({"a": {"role": "sensitive"}})
    schema.require(["a"])
    with pytest.raises(InputError, match="no column 'a'; columns are: b"):
        schema.require(["b"])
    with pytest.raises(InputError, match="column 'b' has no role"):
        schema.require(["a", "b"])


def test_limits_ranges_and_weights_come_back_from_toml(tmp_path):
    spec = {
        "age": {"role": "quasi-identifier", "range": [17, 90], "weight": 2},
        "pay": {"role": "quasi-identifier", "range": [0, 1.5], "step": 0.25, "levels": [0, 2]},
        "whose": {"role": "person"},
    }
    schema = Schema.from_dict(spec)
    schema.write(tmp_path / "s.toml")
    assert Schema.read(tmp_path / "s.toml").columns == schema.columns
    assert schema.columns["pay"].levels == (0, 2)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"levels": [2, 1]}, "levels must be"),
        ({"levels": [0.5, 1]}, "levels must be"),
        ({"range": [3, 3]}, "range must be"),
        ({"range": "0-9"}, "range must be"),
        ({"step": 2}, "there is no range"),
        ({"range": [0, 9], "step": 0}, "step must be"),
        ({"weight": -1}, "weight must be"),
        ({"role": "sensitive", "weight": 2}, "weight is for a quasi-identifier"),
        ({"role": ["sensitive", "quasi-identifier"]}, "role must be one of"),
    ],
)
def test_faulty_limits_are_named_with_their_column(spec, words):
    with pytest.raises(InputError, match=words) as caught:
        Schema.from_dict({"age": {"role": "quasi-identifier", **spec}})
    assert "'age'" in str(caught.value)
