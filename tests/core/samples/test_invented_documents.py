"""The documents: interests above branches above words, favourites first; and Figure 30."""

import hashlib
import re
from collections import Counter

import pytest

from confide.core.errors import RequirementError
from confide.core.samples import documents, figure_30, interests


@pytest.fixture(scope="module")
def words():
    return [set(re.findall(r"\w+", text.lower())) for text in documents(3000, seed=1)]


def test_the_texts_are_the_same_on_every_machine():
    assert (
        hashlib.sha256("\n".join(documents(50, seed=7)).encode()).hexdigest()
        == "1808964a97811c8d89b952c53c9a6943d3c3d5da7fd2e144c8bb2142ab8aca37"
    )


def test_same_seed_same_texts_and_another_seed_others():
    assert documents(20, seed=3) == documents(20, seed=3)
    assert documents(20, seed=3) != documents(20, seed=4)


def test_more_texts_begin_with_the_same_ones():
    assert documents(30, seed=3)[:10] == documents(10, seed=3)


def test_a_text_on_a_branch_nearly_always_names_the_interest(words):
    for interest, branches in interests().items():
        for branch in branches:
            about = [text for text in words if branch in text]
            assert sum(interest in text for text in about) / len(about) > 0.8, branch


def test_an_interest_is_wider_than_each_of_its_branches(words):
    for interest, branches in interests().items():
        named = sum(interest in text for text in words)
        assert all(sum({interest, branch} <= text for text in words) / named < 0.75 for branch in branches)


def test_interests_are_written_about_in_their_order(words):
    counts = [sum(interest in text for text in words) for interest in interests()]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 3 * counts[-1]


def test_no_word_belongs_to_two_topics():
    tree = interests()
    names = [*tree, *(b for branches in tree.values() for b in branches)]
    names += [word for branches in tree.values() for own in branches.values() for word in own]
    assert len(names) == len(set(names))


def test_figure_30_has_the_frequencies_of_example_19():  # thesis, page 108
    counts = Counter(term for document in figure_30() for term in document)
    frequent = {term: count for term, count in counts.items() if count >= 2}
    assert frequent == {
        "research": 4,
        "sports": 4,
        "search": 3,
        "personalized": 2,
        "soccer": 2,
        "AI": 2,
        "sex": 2,
    }


def test_a_negative_number_of_texts_is_refused():
    with pytest.raises(RequirementError, match="n=-1"):
        documents(-1)
