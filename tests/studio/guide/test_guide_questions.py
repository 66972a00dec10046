"""Which question follows from which answers."""

from confide.studio.guide.guide_questions import QUESTIONS, asked_questions, known_answers


def test_the_first_question_stands_alone():
    questions, whole = asked_questions({})
    assert [question.name for question in questions] == ["have"]
    assert not whole


def test_a_question_follows_from_the_answers_before_it():
    questions, whole = asked_questions({"have": "table"})
    assert [question.name for question in questions] == ["have", "needs"]
    assert not whole
    assert asked_questions({"have": "own"})[1]


def test_answers_that_no_question_asks_for_are_left_out():
    given = {"have": "stream", "gets": "everybody", "secret": "nonsense", "x": "y"}
    assert known_answers(given) == {"have": "stream"}
    assert known_answers({"have": "everything", "field": "health"}) == {}


def test_an_answer_behind_an_open_question_waits():
    assert known_answers({"have": "baskets", "secret": "fact"}) == {"have": "baskets"}


def test_a_question_depends_on_earlier_ones_alone():
    earlier = set()
    for question in QUESTIONS:
        assert set(question.when) <= earlier
        earlier.add(question.name)
