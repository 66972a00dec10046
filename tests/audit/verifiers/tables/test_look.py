"""Verifiers of tables: definitions by hand, brute force on hundreds of tables, what counts as the same value."""

import struct

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from tests.oracles import audit as oracles
from tests.strategies import tables

from confide.audit import verify_k_anonymity, verify_recursive_diversity, verify_simple_diversity
from confide.core.errors import InputError
from confide.core.passport import Passport
from confide.core.requirements import KAnonymity, RecursiveDiversity, SimpleDiversity
from confide.core.requirements.tables import PSEUDONYMS
from confide.core.stages import STAGES
from confide.core.tables.persons import number_persons

ROLES = {"age": "quasi-identifier", "place": "quasi-identifier", "illness": "sensitive"}


def passport_for(requirement, roles=ROLES, *, caveats=(), **context):
    return Passport.issue(
        requirement, stage="publish table", algorithm="by hand", context={"roles": roles, **context}, caveats=caveats
    )


def checks(frame, requirement, roles=ROLES, **context):
    return list(STAGES["by hand"].verifier(requirement.kind)(frame, passport_for(requirement, roles, **context)))


def holds(frame, requirement, roles=ROLES, **context):
    return all(check.ok for check in checks(frame, requirement, roles, **context))


def column(values, requirement, role="sensitive"):
    """Whether the requirement holds of one group with these sensitive values, or of these quasi-identifiers."""
    if role == "sensitive":
        table = pa.table({"q": pa.array([1] * len(values)), "s": values})
    else:
        table = pa.table({"q": values, "s": pa.array([1] * len(values))})
    return holds(table, requirement, {"q": "quasi-identifier", "s": "sensitive"})


@given(tables())
def test_k_anonymity_agrees_with_brute_force(columns):
    for k in (2, 3, 4):
        assert holds(pa.table(columns), KAnonymity(k=k)) == oracles.is_k_anonymous(columns, ["age", "place"], k)


@given(tables())
def test_simple_diversity_agrees_with_brute_force(columns):
    for l in (2, 3, 4):  # noqa: E741
        expected = oracles.is_simply_diverse(columns, ["age", "place"], "illness", l)
        assert holds(pa.table(columns), SimpleDiversity(l=l)) == expected


@given(tables())
def test_recursive_diversity_agrees_with_brute_force(columns):
    for c, l in ((1, 2), (2, 2), (0.5, 2), (3, 3), (1.5, 2), (20, 4)):  # noqa: E741
        expected = oracles.is_recursively_diverse(columns, ["age", "place"], "illness", c, l)
        assert holds(pa.table(columns), RecursiveDiversity(c=c, l=l)) == expected


@pytest.mark.parametrize("seed", range(200))
def test_random_tables_agree_with_brute_force_and_both_answers_occur(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    columns = {
        "age": [int(x) for x in rng.integers(0, 3, n)],
        "place": [None if x == 0 else str(x) for x in rng.integers(0, 2, n)],
        "illness": [str(x) for x in rng.integers(0, int(rng.integers(1, 7)), n)],
    }
    table, quasi = pa.table(columns), ["age", "place"]
    k, l, c = (int(x) for x in rng.integers(2, 6, 3))  # noqa: E741
    assert holds(table, KAnonymity(k=k)) == oracles.is_k_anonymous(columns, quasi, k)
    assert holds(table, SimpleDiversity(l=l)) == oracles.is_simply_diverse(columns, quasi, "illness", l)
    expected = oracles.is_recursively_diverse(columns, quasi, "illness", c / 2, l)
    assert holds(table, RecursiveDiversity(c=c / 2, l=l)) == expected


def test_the_random_tables_give_both_answers():
    answers = {
        oracles.is_k_anonymous({"age": list(np.random.default_rng(s).integers(0, 2, 12))}, ["age"], 4)
        for s in range(50)
    }
    assert answers == {True, False}


def test_a_share_of_exactly_one_in_l_is_diverse():  # paper 002, Definition 3: f1 <= 1/l
    assert column(["a", "b", "c"], SimpleDiversity(l=3))
    assert not column(["a", "a", "b", "c"], SimpleDiversity(l=3))


def test_recursive_diversity_is_strict():  # Definition 3: f1 < c * tail, worked counts <2,1,1>
    assert column(["a", "a", "b", "c"], RecursiveDiversity(c=3, l=3))
    assert not column(["a", "a", "b", "c"], RecursiveDiversity(c=2, l=3))
    assert not column(["a", "a", "b"], RecursiveDiversity(c=100, l=3))  # no third value: the tail is empty


def test_c_is_the_decimal_as_written():
    """f1 = 3, tail = 10: 3 < 0.3 * 10 is false, though 0.3 * 10 in binary rounding may say otherwise."""
    assert not column(["a"] * 3 + ["b"] * 3 + ["c"] * 3 + ["d"] * 3 + ["e"], RecursiveDiversity(c=0.3, l=2))
    assert column(["a"] * 3 + ["b"] * 3 + ["c"] * 3 + ["d"] * 3 + ["e"], RecursiveDiversity(c=0.3000001, l=2))


def test_every_sensitive_column_is_checked_and_named():
    table = pa.table({"q": [1, 1], "s": ["a", "b"], "t": ["a", "a"], "u": [1, 1]})
    roles = {"q": "quasi-identifier", "s": "sensitive", "t": "sensitive", "u": "class"}
    failed = [check.name for check in checks(table, SimpleDiversity(l=2), roles) if not check.ok]
    assert failed == ["simple diversity of 't'"]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_any_frame_will_do(make):
    columns = {"age": [1, 1, 2, 2], "place": ["x", "x", "y", "y"], "illness": ["a", "b", "a", "b"]}
    assert holds(make(columns), KAnonymity(k=2))
    assert not holds(make(columns), KAnonymity(k=3))


def test_details_tell_sizes_and_no_values():
    frame = pa.table({"age": [1, 1, 7777], "place": ["x", "x", "Nowhere"], "illness": ["a", "b", "leprosy"]})
    for requirement in (KAnonymity(k=2), SimpleDiversity(l=2), RecursiveDiversity(c=2, l=2)):
        found = checks(frame, requirement)
        assert not found[-1].ok
        assert "1 of 2 groups, the smallest of 1 rows, fail; 1 rows are in them" in found[-1].detail
        assert not any(word in check.detail for check in found for word in ("7777", "Nowhere", "leprosy"))


# -- roles ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("roles", "name"),
    [
        (None, "roles fit the columns"),
        ([], "roles fit the columns"),
        ({"age": "quasi-identifier"}, "roles fit the columns"),
        ({**ROLES, "gone": "insensitive"}, "roles fit the columns"),
        ({**ROLES, "age": "secret"}, "roles fit the columns"),
        ({**ROLES, "age": ["identifier"]}, "roles fit the columns"),
        ({**ROLES, "age": "identifier"}, "no identifier is present"),
        (dict.fromkeys(ROLES, "insensitive"), "a quasi-identifier is named"),
    ],
)
def test_roles_that_do_not_fit_fail_by_name(roles, name):
    frame = {"age": [1, 1], "place": ["x", "x"], "illness": ["a", "b"]}
    requirement = KAnonymity(k=2)
    found = list(
        verify_k_anonymity(
            pa.table(frame),
            Passport.issue(requirement, stage="publish", algorithm="x").model_copy(
                update={"context": {"roles": roles}}
            ),
        )
    )
    assert name in [check.name for check in found if not check.ok]


def test_an_identifier_that_was_left_out_is_not_a_fault():
    frame = {"age": [1, 1], "place": ["x", "x"], "illness": ["a", "b"]}
    assert holds(pa.table(frame), KAnonymity(k=2), {**ROLES, "name": "identifier"})


def test_diversity_without_a_sensitive_column_fails():
    frame = pa.table({"age": [1, 1], "illness": ["a", "b"]})
    roles = {"age": "quasi-identifier", "illness": "class"}
    for verifier, requirement in (
        (verify_simple_diversity, SimpleDiversity(l=2)),
        (verify_recursive_diversity, RecursiveDiversity(c=2, l=2)),
    ):
        found = list(verifier(frame, passport_for(requirement, roles)))
        assert [check.name for check in found if not check.ok] == ["a sensitive column is named"]


def test_two_columns_of_one_name_are_refused():
    frame = pa.table([pa.array([1, 1]), pa.array([1, 2]), pa.array(["a", "b"])], names=["age", "age", "illness"])
    roles = {"age": "quasi-identifier", "illness": "sensitive"}
    with pytest.raises(InputError, match="two columns are named 'age'"):
        checks(frame, KAnonymity(k=2), roles)


# -- what counts as the same value ------------------------------------------------------------------------------------


def nan(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


@pytest.mark.parametrize(
    "values",
    [
        pa.array([0.0, -0.0]),
        pa.array([None, float("nan")], from_pandas=False),
        pa.array([None, ""]),
        pa.array([nan(0x7FF8000000000000), nan(0x7FF8000000000001)]),
        pa.array(["a", "a "]),
        pa.array([True, None]),
        pa.array([b"a", b"b"]),
    ],
)
def test_quasi_identifiers_differ_wherever_a_file_shows_it(values):
    assert not column(values, KAnonymity(k=2), role="quasi-identifier")


@pytest.mark.parametrize(
    "values",
    [
        pa.array([0.0, -0.0]),
        pa.array([None, float("nan")], from_pandas=False),
        pa.array([None, ""]),
        pa.array([0.0, -0.0], pa.float32()),
        pa.array([nan(0x7FF8000000000000), nan(0x7FF8000000000001)]),
        pa.array([None, None]),
    ],
)
def test_sensitive_values_that_mean_the_same_are_one(values):
    assert not column(values, SimpleDiversity(l=2))


@pytest.mark.parametrize(
    "values",
    [
        pa.array([None, "x"]),
        pa.array([1.5, None]),
        pa.array(["a", "b"]).dictionary_encode(),
        pa.array([1, 2], pa.int8()),
        pa.array(["a", "b"], pa.string_view()),
        pa.chunked_array([["a"], ["b"]]),
        pa.chunked_array([pa.array(["a"]).dictionary_encode(), pa.array(["b"]).dictionary_encode()]),
        pa.array([1, 2], pa.timestamp("s")),
    ],
)
def test_a_null_is_a_value_of_its_own_and_every_storage_will_do(values):
    assert column(values, SimpleDiversity(l=2))
    assert not column(values, KAnonymity(k=2), role="quasi-identifier")


def test_a_dictionary_that_holds_a_value_twice_does_not_add_diversity():
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["x", "x"]))
    assert not column(twice, SimpleDiversity(l=2))
    assert column(twice, KAnonymity(k=2), role="quasi-identifier")


def test_values_that_cannot_be_compared_fail_by_column():
    frame = pa.table({"q": [[1], [1]], "s": ["a", "b"]})
    (failed,) = (c for c in checks(frame, KAnonymity(k=2), {"q": "quasi-identifier", "s": "sensitive"}) if not c.ok)
    assert (failed.name, "column 'q'" in failed.detail) == ("values can be compared", True)


def test_many_wide_columns_do_not_overflow():
    """Nine columns of 1,000 values each would number 10**27 combinations."""
    rng = np.random.default_rng(1)
    values = rng.permutation(1000)
    names = [f"q{i}" for i in range(9)]
    table = pa.table({name: np.concatenate([values, values]) for name in names})
    roles = dict.fromkeys(names, "quasi-identifier")
    assert holds(table, KAnonymity(k=2), roles)
    assert not holds(table.slice(1), KAnonymity(k=2), roles)


def test_an_empty_table_proves_nothing():
    frame = pa.table(
        {"age": pa.array([], pa.int64()), "place": pa.array([], pa.string()), "illness": pa.array([], pa.string())}
    )
    for requirement in (KAnonymity(k=2), SimpleDiversity(l=2), RecursiveDiversity(c=2, l=2)):
        assert [check.name for check in checks(frame, requirement) if not check.ok] == ["there are rows"]


# -- persons ----------------------------------------------------------------------------------------------------------

PERSONS = {"q": "quasi-identifier", "p": "person"}


def test_groups_count_persons_not_rows():
    frame = pa.table({"q": ["a"] * 5 + ["b"] * 3, "p": [1, 1, 1, 2, 2, 1, 2, 3]})
    assert holds(frame, KAnonymity(k=2), PERSONS)
    assert not holds(frame, KAnonymity(k=3), PERSONS)
    assert holds(frame, KAnonymity(k=3), {**PERSONS, "p": "insensitive"})
    assert "the smallest of 2 persons" in checks(frame, KAnonymity(k=2), PERSONS)[-1].detail


@pytest.mark.parametrize(
    "numbers",
    [
        [1, 2, 3, 4],  # a number goes on from one group to the next, and could name a person
        [2, 1, 1, 2],
        [1, 3, 1, 2],
        [0, 1, 1, 2],
        [1, 2, 1, None],
        [1, 2, 1, 99],
        ["1", "2", "1", "02"],
        ["1", "2", "1", "2 "],
        ["1", "2", "1", "Ann"],
        [1.0, 2.0, 1.0, 2.0],
        [True, True, True, True],
    ],
)
def test_persons_must_be_numbered_by_first_appearance_in_their_group(numbers):
    frame = pa.table({"q": ["a", "a", "b", "b"], "p": numbers})
    failed = [check.name for check in checks(frame, KAnonymity(k=2), PERSONS) if not check.ok]
    assert failed == ["persons are numbered within their group"]


@pytest.mark.parametrize("numbers", [[1, 2, 1, 2], ["1", "2", "1", "2"], pa.array([1, 2, 1, 2], pa.int8())])
def test_numbers_may_be_text(numbers):
    assert holds(pa.table({"q": ["a", "a", "b", "b"], "p": numbers}), KAnonymity(k=2), PERSONS)


@pytest.mark.parametrize("seed", range(50))
def test_what_our_helper_numbers_is_accepted_and_counts_the_persons(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    group, person = rng.integers(0, 4, n), rng.integers(0, 9, n)
    frame = pa.table({"q": group, "p": number_persons(group, person)})
    fewest = min(len(set(person[group == g])) for g in set(group))
    assert fewest < 2 or holds(frame, KAnonymity(k=fewest), PERSONS)
    assert not holds(frame, KAnonymity(k=fewest + 1), PERSONS)


def test_a_column_of_persons_must_be_there_once():
    frame = pa.table({"q": ["a", "a"], "p": [1, 2], "r": [1, 2]})
    assert not holds(frame, KAnonymity(k=2), {"q": "quasi-identifier", "p": "person", "r": "person"})
    assert not holds(frame.drop_columns(["p", "r"]), KAnonymity(k=2), PERSONS)


# -- pseudonyms -------------------------------------------------------------------------------------------------------


def test_a_pseudonym_stays_if_it_is_one_and_the_passport_says_so():
    frame = pa.table({"q": ["a", "a"], "name": ["0" * 32, "f" * 32]})
    roles = {"q": "quasi-identifier", "name": "identifier"}
    told = {"pseudonyms": ["name"], "caveats": (PSEUDONYMS,)}
    assert holds(frame, KAnonymity(k=2), roles, **told)
    assert not holds(frame, KAnonymity(k=2), roles)
    assert not holds(frame, KAnonymity(k=2), roles, pseudonyms=["name"])
    assert not holds(frame, KAnonymity(k=2), roles, pseudonyms="name", caveats=(PSEUDONYMS,))
    for values in (["0" * 32, "0" * 32], ["0" * 32, "F" * 32], ["0" * 32, "Ann"], ["0" * 32, None], [1, 2]):
        assert not holds(frame.set_column(1, "name", pa.array(values)), KAnonymity(k=2), roles, **told)


# -- figures ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "ok"),
    [
        ({}, True),
        ({"groups": 2, "smallest_group": 2, "mean_group": 2.5, "detail_lost": 0.1}, True),
        ({"groups": 3}, False),
        ({"smallest_group": 3}, False),
        ({"smallest_group": "2"}, False),
        ({"smallest_group": True}, False),
        ({"mean_group": 2.6}, False),
        ({"mean_group": None}, False),
    ],
)
def test_figures_that_follow_from_the_table_are_worked_out_again(loss, ok):
    frame = pa.table({"q": ["a", "a", "b", "b", "b"]})
    roles = {"q": "quasi-identifier"}
    passport = Passport.issue(KAnonymity(k=2), stage="publish table", algorithm="x", context={"roles": roles})
    found = list(verify_k_anonymity(frame, passport.model_copy(update={"loss": loss})))
    assert [check.name for check in found if not check.ok] == ([] if ok else ["its figures of groups fit the table"])
