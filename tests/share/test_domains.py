"""Domains that owners declare: read, written, proposed, and applied to tables as people have them."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide.core.errors import InputError
from confide.core.trees.published import Attribute
from confide.share.domains import Domains

TEXT = """
class = "diagnosis"
classes = ["asthma", "flu"]

[attributes.age]
bins = [0, 18, 40.5, 120]

[attributes."home town"]
values = ["Bath", "York"]
missing = true

[attributes.income]
values = ["high", "low"]
sensitive = true
"""


def test_a_file_is_read_and_written_alike(tmp_path):
    (tmp_path / "domains.toml").write_text(TEXT)
    domains = Domains.read(tmp_path / "domains.toml")
    assert domains.attributes == (
        Attribute(name="age", kind="numeric", bins=(0, 18, 40.5, 120)),
        Attribute(name="home town", kind="categorical", values=("Bath", "York", None)),
        Attribute(name="income", kind="categorical", values=("high", "low")),
    )
    assert (domains.target, domains.classes, domains.sensitive) == ("diagnosis", ("asthma", "flu"), ("income",))
    domains.write(tmp_path / "again.toml")
    assert Domains.read(tmp_path / "again.toml") == domains


texts = st.text(min_size=1, max_size=8)


@given(st.dictionaries(texts, st.lists(texts, min_size=1, max_size=4, unique=True), min_size=1, max_size=4))
def test_any_names_survive_the_file(attributes):
    plain = {
        "class": "the class " + max(attributes),
        "classes": ["x", "y"],
        "attributes": {name: {"values": values} for name, values in attributes.items()},
    }
    import tomllib

    domains = Domains.from_dict(plain)
    assert Domains.from_dict(tomllib.loads(domains.to_toml())) == domains


def test_all_faults_are_named_at_once():
    plain = {
        "class": "age",
        "classes": ["a", "a"],
        "label": 1,
        "attributes": {"age": {"bins": [3, 2]}, "sex": {"values": ["f"], "bins": [1, 2]}, "town": {"valus": []}},
    }
    with pytest.raises(InputError) as error:
        Domains.from_dict(plain)
    for said in (
        "unknown entry 'label'",
        "classes: a value twice",
        "'age' is the class and an attribute",
        "attribute 'age': bins must be two numbers or more, ascending",
        "attribute 'sex': give values (categories) or bins (numbers), one of them",
        "attribute 'town': unknown entry 'valus'",
    ):
        assert said in str(error.value)


def test_a_bin_larger_than_any_double_is_refused():  # found by fuzzing
    with pytest.raises(InputError, match="'age': bins must be two numbers or more, ascending"):
        Domains.from_dict({"class": "c", "classes": ["x", "y"], "attributes": {"age": {"bins": [0, 10**400]}}})


def test_a_draft_has_round_bins_around_the_numbers_and_reads_back():
    frame = pa.table({"age": [17, 34, 89], "sex": ["f", None, "m"], "ill": ["no", "yes", "no"]})
    draft = Domains.propose(frame, target="ill")
    assert draft.attributes[0].bins == (10, 20, 30, 40, 50, 60, 70, 80, 90)
    assert draft.attributes[1].values == ("f", "m", None)
    assert draft.classes == ("no", "yes")
    X, y, left_out = draft.columns(frame)
    assert (X.num_rows, y.tolist(), left_out) == (3, ["no", "yes", "no"], ())


@pytest.mark.parametrize("values", [[5.0], [0, 0, 0], [-3, 1000], [0.001, 0.002], [1e9, 1e9 + 1], [10, 20]])
def test_every_number_lies_in_a_proposed_bin(values):
    draft = Domains.propose(pa.table({"n": values, "c": ["x"] * len(values)}), target="c")
    bins = draft.attributes[0].bins
    assert bins[0] < min(values)
    assert max(values) <= bins[-1]
    assert len(bins) <= 15


def test_numbers_of_a_csv_file_are_text_until_declared():
    domains = Domains.from_dict(
        {
            "class": "c",
            "classes": ["x"],
            "attributes": {"n": {"bins": [0, 10]}, "t": {"values": ["u"], "missing": True}},
        }
    )
    frame = pa.table({"id": ["7", "8"], "n": [" 3.5", ""], "t": ["u", ""], "c": ["x", "x"]})
    X, _, left_out = domains.columns(frame)
    assert X.to_pydict() == {"n": [3.5, None], "t": ["u", None]}
    assert left_out == ("id",)
    with pytest.raises(InputError, match=r"not all cells are numbers") as error:
        domains.columns(pa.table({"n": ["secret"], "t": ["u"], "c": ["x"]}))
    assert "secret" not in str(error.value)
    with pytest.raises(InputError, match="no column 't', which is asked for"):
        domains.columns(pa.table({"n": [1], "c": ["x"]}))


def test_a_broken_file_gets_one_line(tmp_path):
    (tmp_path / "d.toml").write_bytes(b"class = [")
    with pytest.raises(InputError, match="not a valid TOML"):
        Domains.read(tmp_path / "d.toml")
    with pytest.raises(InputError, match="no column 'x'; columns are: a"):
        Domains.propose(pa.table({"a": [1]}), target="x")


def test_a_draft_leaves_out_what_looks_like_names():
    frame = pa.table({"name": [f"person {i}" for i in range(300)], "sex": ["f", "m"] * 150, "ill": ["no"] * 300})
    assert [attribute.name for attribute in Domains.propose(frame, target="ill").attributes] == ["sex"]


def test_sensitive_attributes_are_not_usable():
    attributes = {"n": {"bins": [0, 10]}, "t": {"values": ["u"], "sensitive": True}}
    domains = Domains.from_dict({"class": "c", "classes": ["x"], "attributes": attributes})
    X, _, left_out = domains.columns(pa.table({"n": [1], "t": ["u"], "c": ["x"]}))
    assert X.column_names == ["n"]
    assert left_out == ("t",)


@pytest.mark.parametrize("given", ['["diagnosis"]', '{ name = "diagnosis" }'])
def test_a_class_that_is_no_name_is_refused_in_one_line(given, tmp_path):
    (tmp_path / "domains.toml").write_text(TEXT.replace('class = "diagnosis"', f"class = {given}"))
    with pytest.raises(InputError, match="class must name the class column"):
        Domains.read(tmp_path / "domains.toml")


def test_whole_numbers_are_declared_and_drafted(tmp_path):
    drafted = Domains.propose(pa.table({"age": [3, 40], "weight": [3.5, 40], "ill": ["n", "y"]}), target="ill")
    assert [attribute.whole for attribute in drafted.attributes] == [True, False]
    drafted.write(tmp_path / "d.toml")
    assert Domains.read(tmp_path / "d.toml") == drafted
    plain = {"class": "ill", "classes": ["n", "y"]}
    for wrong, fault in (
        ({"bins": [0, 2.5], "whole": True}, "whole numbers have bins with whole edges"),
        ({"values": ["a"], "whole": True}, "whole is for numbers"),
        ({"bins": [0, 2], "whole": 1}, "whole is true or false"),
    ):
        with pytest.raises(InputError, match=fault):
            Domains.from_dict(plain | {"attributes": {"age": wrong}})
    with pytest.raises(InputError, match="is declared whole, but not all numbers are"):
        Domains.from_dict(plain | {"attributes": {"age": {"bins": [0, 9], "whole": True}}}).typed(
            pa.table({"age": [1.5]})
        )
