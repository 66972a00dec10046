"""What a look before a run says of columns: how a tree would split them, and which numbers are missing."""

import pyarrow as pa
import pytest

from confide.core.errors import InputError
from confide.join import JoinGraph, JoinTree

PEOPLE = pa.table({"town": ["A", "A", "B", "C"], "age": [30, None, 50, None], "ill": ["yes", "no", "no", "no"]})
TOWNS = pa.table({"name": ["A", "B", "D"], "air": [7.5, 2.0, float("nan")], "code": [1, 2, 3]})


def graph(people):
    return JoinGraph(
        tables={"people": people, "towns": TOWNS}, joins=[("people.town", "towns.name")], target="people.ill"
    )


def test_columns_are_said_by_kind_over_records_that_join():
    found = {column["column"]: column for column in graph(PEOPLE).check().as_dict()["columns"]}
    assert found["towns.air"] == {"column": "towns.air", "split_as": "numeric", "values": 2, "missing": 0}
    assert found["people.town"]["split_as"] == "categorical"
    assert found["people.age"]["missing"] == 1, "the other gap dangles"
    assert "people.ill" not in found


def test_a_gap_is_no_fault_but_an_infinite_number_that_joins_is_and_fit_refuses_it():
    assert graph(PEOPLE).check().fault is None
    JoinTree(min_branch=1, confidence=None).fit(graph(PEOPLE))
    endless = PEOPLE.set_column(1, "age", pa.array([30, float("inf"), 50, float("inf")]))
    fault = graph(endless).check().fault
    assert fault is not None
    assert fault.startswith("numbers are infinite in people.age (1), ")
    with pytest.raises(InputError, match=r"column 'people\.age': Input contains infinity"):
        JoinTree().fit(graph(endless))


def test_labels_and_columns_left_out_may_have_gaps():
    for options in ({"categorical": ["people.age"]}, {"exclude": ["people.age"]}):
        assert graph(PEOPLE).check(**options).fault is None
        JoinTree(min_branch=1, confidence=None, **options).fit(graph(PEOPLE))
    assert graph(PEOPLE.slice(2)).check().fault == "all joined records are of one class; there is nothing to learn"
