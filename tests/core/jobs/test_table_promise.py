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
    SimpleDiversity,
    TCloseness,
)
from confide.core.errors import ConfideError, RequestError
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
