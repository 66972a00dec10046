import pytest

from confide import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    OthersKnown,
    RecursiveDiversity,
    Schema,
    SimpleDiversity,
    TCloseness,
)
from confide.core.errors import ConfideError, InputError, RequestError
from confide.core.jobs.table_promise import TablePromise


@pytest.mark.parametrize(
    ("wishes", "wanted"),
    [
        ({}, None),
        ({"k": 5}, KAnonymity(k=5)),
        ({"l": 3}, SimpleDiversity(l=3)),
        ({"l": 3.0, "diversity": "distinct"}, DistinctDiversity(l=3)),
        ({"l": 2.5, "diversity": "entropy"}, EntropyDiversity(l=2.5)),
        ({"l": 3, "diversity": "recursive", "c": 2}, RecursiveDiversity(c=2, l=3)),
        ({"k": 3, "alpha": 0.5}, AlphaK(alpha=0.5, k=3)),
        ({"k": 3, "t": 0.2, "ordered": True}, KAnonymity(k=3) & TCloseness(t=0.2, ordered=True)),
        ({"beta": 1, "delta": 2}, BetaLikeness(beta=1) & DeltaDisclosure(delta=2)),
        ({"k": 3, "l": 2, "others_known": True}, KAnonymity(k=3) & OthersKnown(of=SimpleDiversity(l=2))),
    ],
)
def test_wishes_are_joined(wishes, wanted):
    assert TablePromise(**wishes).requirement_asked() == wanted


@pytest.mark.parametrize(
    "wishes",
    [
        {"diversity": "simple"},
        {"l": 3, "c": 2},
        {"l": 3, "diversity": "recursive"},
        {"l": 3, "diversity": "wide"},
        {"l": 2.5},
        {"alpha": 0.5},
        {"ordered": True},
        {"enhanced": True},
        {"k": 3, "others_known": True},
        {"k": 1},
    ],
)
def test_wishes_that_do_not_go_together_are_refused(wishes):
    with pytest.raises(ConfideError):
        TablePromise(**wishes)


def test_several_values_make_every_combination():
    asked = TablePromise(k=(3, 5), l=[2, 4]).requirements_asked()
    assert asked == [KAnonymity(k=k) & SimpleDiversity(l=l) for k in (3, 5) for l in (2, 4)]  # noqa: E741 - the letter
    with pytest.raises(RequestError, match=r"k=\(3, 5\) is more than one value; use one"):
        TablePromise(k=(3, 5)).requirement_asked()


def test_a_requirement_may_be_an_object_and_is_saved_as_passports_write_it():
    requirement = KAnonymity(k=3) & TCloseness(t=0.2)
    promise = TablePromise(requirement=requirement)
    assert promise.requirement_asked() == requirement
    assert TablePromise(**promise.as_plain()) == promise
    with pytest.raises(RequestError, match="k=3 is part of the requirement"):
        TablePromise(requirement=requirement, k=3)
    with pytest.raises(RequestError, match="is not a requirement"):
        TablePromise(requirement="5-anonymous")


SCHEMA = Schema.from_dict(
    {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}, "job": {"role": "sensitive"}}
)
REQUIRING = Schema.from_dict(
    {"ill": {"role": "sensitive", "require": {"l": 4, "diversity": "recursive", "c": 2}}, "job": {"role": "sensitive"}}
)


@pytest.mark.parametrize(
    ("wishes", "schema", "wanted"),
    [
        ({"t": 0.2}, SCHEMA, TCloseness(t=0.2)),
        ({"t": {"ill": 0.2}}, SCHEMA, TCloseness(t=0.2, column="ill")),
        ({"t": {"ill": 0.2, "*": 0.4}}, SCHEMA, TCloseness(t=0.2, column="ill") & TCloseness(t=0.4, column="job")),
        ({"t": {"ill": 0.2}, "l": 3}, SCHEMA, TCloseness(t=0.2, column="ill") & SimpleDiversity(l=3)),
        (
            {"l": 3, "diversity": {"ill": "distinct"}},
            SCHEMA,
            DistinctDiversity(l=3, column="ill") & SimpleDiversity(l=3, column="job"),
        ),
        ({"k": 5}, REQUIRING, KAnonymity(k=5) & RecursiveDiversity(c=2, l=4, column="ill")),
        ({"l": 3}, REQUIRING, RecursiveDiversity(c=2, l=4, column="ill") & SimpleDiversity(l=3, column="job")),
        ({"l": {"ill": 3}}, REQUIRING, RecursiveDiversity(c=2, l=3, column="ill")),
        ({"diversity": {"ill": "distinct"}}, REQUIRING, DistinctDiversity(l=4, column="ill")),
        ({"k": 3, "alpha": {"ill": 0.5}}, SCHEMA, AlphaK(alpha=0.5, k=3, column="ill")),
        ({"l": {"ill": 2}, "others_known": True}, SCHEMA, OthersKnown(of=SimpleDiversity(l=2, column="ill"))),
    ],
)
def test_a_number_is_asked_of_its_column_and_a_bare_one_of_the_others(wishes, schema, wanted):
    assert TablePromise(**wishes).requirement_asked(schema) == wanted


def test_a_column_that_is_not_sensitive_is_refused_by_name():
    with pytest.raises(ConfideError, match="t= names 'age', which is not a sensitive column; sensitive columns are: "):
        TablePromise(t={"age": 0.2}).requirement_asked(SCHEMA)
    with pytest.raises(ConfideError, match="is not a share"):
        TablePromise(t={"ill": "much"})
    assert len(TablePromise(t={"ill": (0.2, 0.3), "*": 0.4}).requirements_asked(SCHEMA)) == 2


@pytest.mark.parametrize(
    ("required", "fault"),
    [
        ({"k": 3}, "require takes no 'k'"),
        ({"l": "many"}, "l must be a number"),
        (3, "require must be a table"),
        ({}, "require must be a table"),
    ],
)
def test_a_schema_requires_numbers_of_sensitive_columns(required, fault):
    with pytest.raises(InputError, match=fault):
        Schema.from_dict({"ill": {"role": "sensitive", "require": required}})
    with pytest.raises(InputError, match="require is for a sensitive column"):
        Schema.from_dict({"ill": {"role": "class", "require": {"l": 2}}})


def test_a_schema_with_requirements_is_written_and_read_back(tmp_path):
    REQUIRING.write(tmp_path / "s.toml")
    assert Schema.read(tmp_path / "s.toml").columns == REQUIRING.columns
