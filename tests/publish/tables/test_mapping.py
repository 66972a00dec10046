import json

import pandas as pd
import pyarrow as pa
import pytest

from confide.core.errors import InputError, UsageError
from confide.core.requirements.tables import KAnonymity
from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Schema
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.mapping import GlobalMapping
from confide.publish.tables.mondrian.mondrian import Mondrian
from confide.publish.tables.recoding import Recoding

SCHEMA = Schema.from_dict(
    {
        "id": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "range": [10, 49]},
        "share": {"role": "quasi-identifier", "range": [0, 1], "step": 0.25},
        "place": {"role": "quasi-identifier", "hierarchy": Hierarchy.from_rows([("a", "ab", "*"), ("b", "ab", "*")])},
        "ill": {"role": "sensitive"},
    }
)
FRAME = pa.table(
    {"id": [1, 2, 3], "age": [10, 33, 49], "share": [0.1, 0.25, 1.0], "place": ["a", "b", ""], "ill": ["x", "y", "x"]}
)


def mapping(levels=(3, 1, 1)):
    return Recoding.at_levels(CodedTable.of(FRAME, SCHEMA, missing="category"), levels).mapping


def test_further_rows_become_what_the_published_ones_became():
    table = CodedTable.of(FRAME, SCHEMA, missing="category")
    found = Recoding.at_levels(table, (3, 1, 1))
    again = found.mapping.transform(FRAME)
    assert again.column_names == ["age", "share", "place", "ill"]
    for name, codes, labels in zip(("age", "share", "place"), found.codes, found.labels, strict=True):
        assert again[name].to_pylist() == [labels[code] for code in codes]
    new = found.mapping.transform(pd.DataFrame({"age": [17], "share": [0.5], "place": ["b"]}))
    assert new.iloc[0].tolist() == ["10-17", "[0.5, 1]", "ab"]


def test_a_mapping_comes_back_from_json(tmp_path):
    made = mapping()
    made.write(tmp_path / "m.json")
    assert GlobalMapping.read(tmp_path / "m.json") == made
    assert GlobalMapping.from_json(made.to_json()).to_json() == made.to_json()


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("age", 50, "1 different value cannot be placed"),
        ("age", 10.5, "cannot be placed"),
        ("age", "x", "not numbers"),
        ("place", "quarter", "cannot be placed"),
        ("age", None, "values are missing"),
    ],
)
def test_values_nobody_decided_on_are_refused(column, value, words):
    row = {"age": [12], "share": [0.3], "place": ["a"], column: [value]}
    with pytest.raises(InputError, match=words) as caught:
        mapping().transform(pa.table(row))
    assert repr(value) not in str(caught.value)
    assert "quarter" not in str(caught.value)


def test_unknown_and_missing_columns_are_refused():
    with pytest.raises(InputError, match="no column 'place'"):
        mapping().transform(pa.table({"age": [12], "share": [0.3]}))
    with pytest.raises(InputError, match="'more' has no role"):
        mapping().transform(pa.table({"age": [12], "share": [0.3], "place": ["a"], "more": [1]}))


def test_a_changed_file_is_refused():
    data = json.loads(mapping().to_json())
    changes = [
        lambda d: d.update(version=2),
        lambda d: d["columns"]["age"].update(range=["10", "49", "0"]),
        lambda d: d["columns"]["age"]["cells"].append([99, "x"]),
        lambda d: d["columns"]["place"].update(more=1),
        lambda d: d["columns"]["place"]["values"].update(a=3),
        lambda d: d.pop("roles"),
        lambda d: d.update(columns=[]),
    ]
    for change in changes:
        copy = json.loads(json.dumps(data))
        change(copy)
        with pytest.raises(InputError, match="not a recoding"):
            GlobalMapping.from_json(json.dumps(copy))


def test_local_recodings_have_no_mapping():
    asked = Mondrian(requirement=KAnonymity(k=3), missing="category")
    with pytest.raises(UsageError, match="publish first"):
        asked.transform(FRAME)
    asked.publish(FRAME, SCHEMA)
    with pytest.raises(UsageError, match="differently"):
        asked.transform(FRAME)
