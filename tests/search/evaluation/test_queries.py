"""Queries with what is relevant: cut to a few terms, and taken from a person's judgments."""

import pytest

from confide.core.errors import RequirementError
from confide.search import Judged, JudgedQuery, Result, cut_queries


def test_a_judged_query_keeps_what_was_seen():
    links = tuple(Result(rank=n, title=str(n), url=f"https://{n}.example/") for n in (1, 2, 3))
    found = Judged.of(JudgedQuery(query="jaguar", results=links, relevant=(True, None, False)))
    assert found == Judged("jaguar", frozenset({"https://1.example/"}), frozenset(link.url for link in links))


def test_cuts_keep_terms_of_the_query_in_their_order_and_differ_by_seed():
    whole = Judged("what are the structural and aeroelastic problems of high speed aircraft", frozenset({"x"}))
    cut = {cut_queries([whole], terms=3, seed=seed)[0].query for seed in range(20)}
    assert len(cut) == 4  # of structural, aeroelastic, speed, aircraft: the others are stop words
    places = {word: i for i, word in enumerate(whole.query.split())}
    for query in cut:
        found = [places[word] for word in query.split()]
        assert len(found) == 3
        assert found == sorted(found)
        assert not {"what", "are", "the", "and", "of"} & set(query.split())
    assert cut_queries([whole], terms=30) == []
    with pytest.raises(RequirementError, match="terms=0"):
        cut_queries([whole], terms=0)
