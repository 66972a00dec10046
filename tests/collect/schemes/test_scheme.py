"""What all schemes share: the file both ways, the fingerprint, the wire, errors of one line."""

import copy
import hashlib
import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide import Transactions
from confide.collect import (
    Bins,
    CutAndPaste,
    Emask,
    Fields,
    GammaDiagonal,
    Mask,
    MatrixScheme,
    Scheme,
    read_scheme,
)
from confide.core.errors import ConfideError, InputError, RequirementError

FIELDS = {"age": Bins((20, 40.5)), "sex": ["F", "M"]}
SCHEMES = [
    Mask(p=0.9),
    Mask(p=0.561, fields=Fields.of(FIELDS)),
    Emask(p=0.5051, q=0.9696, items=("z", "10", "9", "käse"), max_length=2),
    CutAndPaste(K=3, rho=0.494, items=("a", "b", "c")),
    GammaDiagonal(domains=FIELDS, gamma=19),
    GammaDiagonal(domains=[4, 5, 5, 5, 2, 2], gamma=18.999999999999996, alpha=0.25),
    MatrixScheme(
        domains=FIELDS, matrices=[[[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]], [[0.7, 0.4], [0.3, 0.6]]]
    ),
    MatrixScheme(domains=[2], matrix=[[0.75, 0.25], [0.25, 0.75]]),
]
every = pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: f"{scheme.kind} {scheme.fingerprint[:4]}")


@every
def test_a_scheme_is_read_back_as_it_was_written(scheme, tmp_path):
    scheme.write(tmp_path / "s.json")
    for again in (read_scheme(tmp_path / "s.json"), read_scheme(scheme.to_dict()), Scheme.from_json(scheme.to_json())):
        assert again == scheme
        assert type(again) is type(scheme)
        assert again.fingerprint == scheme.fingerprint
    assert read_scheme(scheme) is scheme


@every
def test_its_text_is_python_that_makes_it(scheme):
    from confide.collect import Field

    known = {cls.__name__: cls for cls in (Mask, Emask, CutAndPaste, GammaDiagonal, MatrixScheme, Fields, Field)}
    assert eval(repr(scheme), known) == scheme


@every
def test_the_fingerprint_is_the_hash_of_the_canonical_text(scheme):
    text = json.dumps(scheme.to_dict(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert scheme.fingerprint == hashlib.sha256(text.encode()).hexdigest()


def test_the_same_meaning_has_the_same_fingerprint():
    assert GammaDiagonal(domains=[2], gamma=19).fingerprint == GammaDiagonal(domains=[2], gamma=19.0).fingerprint
    assert Mask(p=0.9).fingerprint != Mask(p=0.90001).fingerprint
    assert Mask(p=0.9, items=("a", "b")).fingerprint != Mask(p=0.9, items=("b", "a")).fingerprint


def test_the_file_has_the_form_that_clients_rely_on():
    assert SCHEMES[4].to_dict() == {
        "confide": "scheme",
        "version": 1,
        "scheme": "gamma-diagonal",
        "fields": [
            {"name": "age", "values": ["<=20", "(20,40.5]", ">40.5"], "edges": [20, 40.5]},
            {"name": "sex", "values": ["F", "M"]},
        ],
        "gamma": 19,
        "alpha": 0,
    }
    assert SCHEMES[2].to_dict() == {
        "confide": "scheme",
        "version": 1,
        "scheme": "emask",
        "p": 0.5051,
        "q": 0.9696,
        "items": ["z", "10", "9", "käse"],
        "fields": None,
        "max_length": 2,
    }
    assert list(SCHEMES[7].to_dict()) == ["confide", "version", "scheme", "fields", "matrices", "joint"]
    assert list(SCHEMES[3].to_dict()) == ["confide", "version", "scheme", "K", "rho", "items", "fields", "max_length"]


# -- the wire ---------------------------------------------------------------------------------------------------------


def test_records_of_items_go_over_the_wire_as_positions():
    scheme = SCHEMES[2]
    assert scheme.encode(["käse", "10", "10"]) == [1, 3]
    batch = scheme.unpack(np.array([2, 0, 1]), np.array([1, 3, 0], dtype=np.int32))
    assert batch == Transactions.from_lists([["10", "käse"], [], ["z"]])
    for wire, message in (
        ([3, 1], "rise"),
        ([1, 1], "rise"),
        ([4], "outside 0..3"),
        ([-1], "outside 0..3"),
        ([True], "whole numbers"),
        ([1.0], "whole numbers"),
        ("01", "whole numbers"),
        ({}, "whole numbers"),
        (None, "whole numbers"),
    ):
        with pytest.raises(InputError, match=message):
            scheme.check_wire(wire)


def test_categorical_records_go_over_the_wire_as_codes():
    scheme = SCHEMES[4]
    assert scheme.encode({"sex": "M", "age": 41}) == [2, 1]
    batch = scheme.unpack(np.array([2, 2]), np.array([2, 1, 0, 0], dtype=np.int32))
    assert batch.tolist() == [[2, 1], [0, 0]]
    assert scheme.released(batch).equals(pa.table({"age": [">40.5", "<=20"], "sex": ["M", "F"]}))
    assert scheme.unpack(np.zeros(0, np.int32), np.zeros(0, np.int32)).shape == (0, 2)
    for wire, message in (
        ([1, 2], "field 'sex' lies outside 0..1; fields come in the order: age, sex"),
        ([1], "1 codes for 2 fields"),
        ([1, 0, 0], "3 codes for 2 fields"),
        ([-1, 0], "field 'age'"),
        (["1", 0], "whole numbers"),
        ([True, 0], "whole numbers"),
        (7, "whole numbers"),
    ):
        with pytest.raises(InputError, match=message):
            scheme.check_wire(wire)


def test_boolean_columns_of_fields_go_over_the_wire_as_positions():
    scheme = SCHEMES[1]
    assert scheme.encode(["age=<=20", "sex=F", "sex=M"]) == [0, 3, 4]
    scheme.check_wire([0, 1, 2, 3, 4])
    assert set(scheme.encode(scheme.perturb({"age": 20, "sex": "F"}))) <= set(range(5))


# -- bad files --------------------------------------------------------------------------------------------------------


def changed(scheme, /, **entries):
    data = copy.deepcopy(scheme.to_dict())
    return {k: v for k, v in (data | entries).items() if v is not ...}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (changed(SCHEMES[0], version=2), "a scheme of version 2; this Confide reads version 1"),
        (changed(SCHEMES[0], version=...), "version None"),
        (changed(SCHEMES[0], version=True), "version True"),
        (changed(SCHEMES[0], confide="passport"), "not a scheme"),
        (changed(SCHEMES[0], scheme="rappor"), "unknown scheme 'rappor'; schemes are: mask, emask"),
        (changed(SCHEMES[0], scheme=["mask"]), "unknown scheme"),
        (changed(SCHEMES[0], p=...), "a mask scheme needs 'p'"),
        (changed(SCHEMES[0], q=0.5), "a mask scheme has no 'q'"),
        (changed(SCHEMES[0], p="0.9"), "p=0.9 must lie"),
        (changed(SCHEMES[2], q=0.4949), r"p \+ q = 1"),
        (changed(SCHEMES[2], items="abc"), "list of texts"),
        (changed(SCHEMES[2], items=[1, 2]), "list of texts"),
        (changed(SCHEMES[2], max_length=1.5), "whole number"),
        (changed(SCHEMES[2], items=["a "]), "blanks around"),
        (changed(SCHEMES[2], items=["\ud800"]), "half a character"),
        (changed(SCHEMES[4], gamma=1), "erases"),
        (changed(SCHEMES[4], gamma=10**390), "bounds nothing"),
        (changed(SCHEMES[4], gamma=float("nan")), "not JSON"),
        (changed(SCHEMES[4], alpha=10**390), "0 or more"),
        (changed(SCHEMES[4], fields=[{"name": "x", "values": ["a", "b"], "edges": [10**390]}]), "finite numbers"),
        (changed(SCHEMES[4], fields=[{"name": "x", "values": ["a", "\ud800"]}]), "half a character"),
        (changed(SCHEMES[4], fields=[{"name": "x", "values": ["a", " b"]}]), "blanks around"),
        (changed(SCHEMES[7], matrices=[[[10**390, 0], [0, 1]]]), "rows of numbers"),
        (changed(SCHEMES[4], alpha=3), "negative"),
        (changed(SCHEMES[4], fields=[]), "no fields"),
        (changed(SCHEMES[4], fields={"age": 3}), "list of objects"),
        (changed(SCHEMES[4], fields=[{"name": "x"}]), "name, values"),
        (changed(SCHEMES[4], fields=[{"name": "x", "values": "ab"}]), "must be lists"),
        (changed(SCHEMES[4], fields=[{"name": "x", "values": [1, 2]}]), "not text"),
        (changed(SCHEMES[4], fields=[{"name": 3, "values": ["a", "b"]}]), "no name"),
        (changed(SCHEMES[4], fields=[{"name": "x", "values": ["a", "b"], "edges": ["1"]}]), "finite numbers"),
        (changed(SCHEMES[7], joint="yes"), "true or false"),
        (changed(SCHEMES[7], matrices=[[[1]]]), "2 rows"),
        ([], "not a scheme"),
        (None, "not a scheme"),
    ],
    ids=lambda x: str(x)[:60],
)
def test_a_bad_scheme_file_gets_one_line(data, message, tmp_path):
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(data))
    with pytest.raises((InputError, RequirementError), match=message) as caught:
        read_scheme(path)
    assert "\n" not in str(caught.value)
    if isinstance(caught.value, InputError):
        assert str(path) in str(caught.value)


def test_what_is_not_json_is_said_so(tmp_path):
    path = tmp_path / "bad.json"
    path.write_bytes(b"\xff{")
    with pytest.raises(InputError, match="not JSON"):
        read_scheme(path)
    with pytest.raises(InputError, match="no such file"):
        read_scheme(tmp_path / "none.json")
    with pytest.raises(InputError, match="not JSON"):
        Scheme.from_json("[" * 100_000)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 30) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(SCHEMES), st.data())
def test_any_change_to_a_scheme_file_is_read_or_refused(scheme, data):
    """Never a KeyError or the like, and what is read is a scheme that can be written again."""
    found = changed(scheme)
    name = data.draw(st.sampled_from(list(found)))
    found[name] = data.draw(json_values)
    try:
        again = read_scheme(found)
    except ConfideError as error:
        assert "\n" not in str(error)
        return
    assert read_scheme(again.to_dict()) == again


@given(st.sampled_from([SCHEMES[2], SCHEMES[4]]), json_values)
def test_any_wire_is_accepted_or_refused(scheme, wire):
    try:
        scheme.check_wire(wire)
    except InputError:
        return
    (again,) = scheme.unpack(np.array([len(wire)]), np.array(wire, dtype=np.int32))
    record = scheme.fields.decode_one(again) if scheme.fields is not None else again
    assert scheme.encode(record) == list(wire)


def test_importing_the_schemes_imports_no_compiler_and_no_frames():
    """A client's first record must not wait for numba."""
    code = (
        "import sys, confide.collect as c\n"
        "c.GammaDiagonal(domains=[2, 3], gamma=19).perturb((0, 1))\n"
        "c.Mask(p=0.9, items=('a', 'b')).perturb(['a'])\n"
        "c.CutAndPaste(K=2, rho=0.4, items=('a', 'b')).perturb(['a'])\n"
        "print([m for m in ('numba', 'pandas', 'polars', 'pyarrow', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
