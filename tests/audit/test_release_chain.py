"""Several passports: a chain that is whole, one with a gap, and one that forks."""

import pytest

from confide.audit.release_chain import check_chain
from confide.core.passport import Passport
from confide.core.requirements import KAnonymity


def passport(name, *before, values=2):
    hashes = [one.artefact.sha256 for one in before]
    context = {"roles": {}} | ({"after": {"releases": hashes, "values": values}} if before else {})
    made = Passport.issue(KAnonymity(k=5), stage="publish table", algorithm="-", context=context, artefact="table")
    return made.for_bytes(name.encode(), f"{name}.csv", type="table")


A = passport("a")
B = passport("b", A)
C = passport("c", A, B)


def failures(*passports):
    return [[check.detail for check in checks if not check.ok] for checks in check_chain(passports)]


def test_a_whole_chain_holds_in_any_order():
    assert failures(A, B, C) == failures(C, A, B) == [[], [], []]
    assert [check.name for check in check_chain([A, B, C])[2]] == [
        "the releases it is built on are among these",
        "no other release is built on the same",
    ]


def test_a_missing_release_is_named_by_its_hash():
    assert failures(B, C) == [
        [f"1 missing, the first is {A.artefact.sha256[:16]}..."],
        [f"1 missing, the first is {A.artefact.sha256[:16]}..."],
    ]


def test_two_releases_built_on_the_same_are_a_fork_for_both():
    fork = passport("d", A, B)
    assert failures(A, B, C, fork) == [[], [], ["so is d.csv: the chain forks"], ["so is c.csv: the chain forks"]]


def test_a_fork_at_the_first_release_is_found():
    assert failures(A, B, passport("e", A))[1:] == [["so is e.csv: the chain forks"], ["so is b.csv: the chain forks"]]


def test_a_release_that_leaves_one_out_does_not_fit():
    short = passport("f", B)
    assert failures(A, B, short)[2] == ["b.csv names others, or in another order"]


@pytest.mark.parametrize("others", [(), (passport("x"),), (None,)])
def test_releases_of_no_chain_have_nothing_to_check(others):
    assert check_chain([A, *others]) == [[] for _ in range(1 + len(others))]


def test_the_joint_promise_takes_the_place_of_the_limit():
    assert "Together with the 2 earlier releases that it names, at least 2 sensitive values stay possible" in C.promise
    assert "someone who compares several releases about the same people" not in C.does_not_protect_against
    alone = passport("g", A, values=1)
    assert "Together" not in alone.promise
    assert "someone who compares several releases about the same people" in alone.does_not_protect_against
