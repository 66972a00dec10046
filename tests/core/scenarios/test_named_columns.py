"""What a passport says where a requirement speaks of one sensitive column."""

import pytest

from confide import KAnonymity, SimpleDiversity, TCloseness
from confide.core.requirements import Requirement

CONTEXT = {"roles": {"age": "quasi-identifier", "hiv": "sensitive", "diagnosis": "sensitive", "job": "sensitive"}}
BOTH = TCloseness(t=0.2, column="hiv") & SimpleDiversity(l=3, column="diagnosis") & KAnonymity(k=5)


def test_the_column_stands_in_the_promise_and_in_the_file():
    assert repr(TCloseness(t=0.2, column="hiv")) == "TCloseness(t=0.2, ordered=False, column='hiv')"
    assert repr(TCloseness(t=0.2)) == "TCloseness(t=0.2, ordered=False)"
    assert "column" not in SimpleDiversity(l=3).to_dict()
    assert Requirement.from_dict(BOTH.to_dict()) == BOTH
    words = BOTH.words("table", CONTEXT)
    assert "no value of 'diagnosis' is in more than 1/3 of the rows" in words.promise
    assert "20% of its rows would have to change their value of 'hiv'" in words.promise
    assert "guessing the value of 'diagnosis' from the quasi-identifiers with a chance above 1/3" in words.stops


def test_what_nobody_asks_of_a_column_is_said():
    said = BOTH.words("table", CONTEXT).does_not_stop
    shared = "learning a value of {!r} when all rows of a group share it (a diversity requirement stops that)"
    assert [shared.format(name) in said for name in ("hiv", "diagnosis", "job")] == [True, False, True]
    unasked = "learning values of {!r}: nothing is asked of that column"
    assert [unasked.format(name) in said for name in ("hiv", "diagnosis", "job")] == [False, False, True]
    everywhere = (BOTH & SimpleDiversity(l=2)).words("table", CONTEXT).does_not_stop
    assert not any("nothing is asked" in text or "a diversity requirement stops" in text for text in everywhere)


@pytest.mark.parametrize("column", [5, "", b"x"])
def test_a_column_is_a_name(column):
    with pytest.raises(Exception, match="is not the name of a sensitive column"):
        TCloseness(t=0.2, column=column)
