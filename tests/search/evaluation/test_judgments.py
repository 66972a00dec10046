"""Files of judgments: what was added is read again, and what is not one is refused in one line."""

import stat

import pytest

from confide.core.errors import InputError, RequirementError
from confide.search import Judged, add_judgment, cut_queries, read_judgments


def test_what_was_added_is_read_again_for_the_owner_only(tmp_path):
    file = tmp_path / "judged.jsonl"
    first = Judged("jaguar", frozenset({"https://a.example/"}), frozenset({"https://a.example/", "https://b.example/"}))
    add_judgment(file, first)
    add_judgment(file, Judged("jaguar", frozenset({"https://b.example/"}), first.seen))
    add_judgment(file, Judged("ärzte", frozenset()))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert read_judgments(file) == [Judged("jaguar", first.seen, first.seen), Judged("ärzte", frozenset())]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no judged query"),
        ("{", "line 1: not JSON"),
        ("[]", "query, relevant and seen"),
        ('{"query": "a", "relevant": [], "seen": [], "who": "me"}', "nothing else"),
        ('{"query": "", "relevant": [], "seen": []}', "query must be"),
        ('{"query": "a", "relevant": "b", "seen": []}', "lists of addresses"),
        ('{"query": "a", "relevant": [1], "seen": []}', "lists of addresses"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_what_is_no_file_of_judgments_is_refused(tmp_path, text, message):
    file = tmp_path / "judged.jsonl"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        read_judgments(file)
    with pytest.raises(InputError, match="no such file"):
        read_judgments(tmp_path / "none")


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
