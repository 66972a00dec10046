"""Requirements joined by `&`: one canonical form, strict in JSON, and words of all parts."""

import json
from itertools import permutations

import pytest

from confide import AllOf, Exposure, KAnonymity, OthersKnown, RecursiveDiversity, SimpleDiversity, TCloseness
from confide.core.errors import ConfideError
from confide.core.requirements import Requirement
from confide.core.requirements.tables import all_of

K, L, T = KAnonymity(k=5), SimpleDiversity(l=3), OthersKnown(of=TCloseness(t=0.2))


def test_order_and_nesting_do_not_matter():
    joined = {(a & b) & c for a, b, c in permutations((K, L, T))} | {a & (b & c) for a, b, c in permutations((K, L, T))}
    assert joined == {AllOf(parts=(K, L, T))}
    assert (K & L) & (L & T) == K & L & T
    assert all_of(K, K) == K & K == K


def test_only_tables_are_joined():
    with pytest.raises(TypeError):
        K & Exposure(min_detail=0.1)
    with pytest.raises(TypeError):
        K & 5


def test_json_reads_back_and_nothing_else_is_read():
    data = json.loads(json.dumps((K & L & T).to_dict()))
    assert Requirement.from_dict(data) == K & L & T
    parts = data["parts"]
    forged = [
        parts[::-1],
        parts[:1],
        [*parts, parts[0]],
        [*parts, {"kind": "exposure", "min_detail": 0.1}],
        [*parts, {"kind": "all-of", "parts": parts}],
        [{"kind": "others-known", "of": {"kind": "others-known", "of": L.to_dict()}}, *parts],
        [*parts, {"kind": "others-known", "of": data}],
        [*parts, 5],
        {"0": parts[0], "1": parts[1]},
        "k-anonymity",
        [K.to_dict() | {"k": k} for k in range(2, 100)],
    ]
    for wrong in forged:
        with pytest.raises(ConfideError):
            Requirement.from_dict({"kind": "all-of", "parts": wrong})


def test_deep_nesting_is_refused_before_it_is_followed():
    deep = L.to_dict()
    for _ in range(100_000):
        deep = {"kind": "others-known", "of": deep}
    with pytest.raises(ConfideError):
        Requirement.from_dict(deep)


def test_the_words_of_all_parts_are_told():
    joined = K & RecursiveDiversity(c=3, l=3) & T
    assert joined.promise() == " ".join(part.promise() for part in joined.parts)
    assert set(joined.stops) == {text for part in joined.parts for text in part.stops}
    # a diversity takes care of what k-anonymity alone leaves open; closeness is no such thing
    assert not any("a diversity requirement stops that" in text for text in joined.does_not_stop)
    assert any("a diversity requirement stops that" in text for text in (K & TCloseness(t=0.2)).does_not_stop)
    assert joined.fewest == 5
    assert joined.of_sensitive
    assert not (K & KAnonymity(k=7)).of_sensitive


def test_the_same_term_of_two_parts_is_told_twice():
    terms = (SimpleDiversity(l=3) & RecursiveDiversity(c=3, l=4)).in_other_terms()
    assert terms["l"].startswith("3:")
    assert terms["l (recursive-diversity)"].startswith("4:")


def test_others_known_says_so():
    assert T.promise().startswith("Even where all other sensitive values of a person are known: for each group")
    assert all("other sensitive values of a person known" in text for text in T.stops)
