"""A survey's file: what is read, and each mistake in one line."""

import pytest
from tests.collect.health_survey import SURVEY, TEXT

from confide.collect.survey.survey_file import Survey, read_survey
from confide.collect.wording.languages import sentences
from confide.core.errors import InputError

QUESTIONS = """
[questions.smokes]
text = "Do you smoke?"
answers = { no = "No", yes = "Yes" }
[questions.packs]
text = "How much?"
answers = { few = "Few", many = "Many" }
"""


def test_the_keys_of_earlier_versions_are_still_read(tmp_path):
    (tmp_path / "form.toml").write_text(
        'language = "nl"\nconsent = "Ja"\n[bounds.age]\nmin = 0\n[words]\nsend = "Stuur"\n'
    )
    found = read_survey(tmp_path / "form.toml")
    assert found.all_words("nl")["send"] == "Stuur"
    assert found.all_words("nl")["sending"] == "Sending…"


def test_words_are_those_of_the_language_unless_the_owner_says_otherwise():
    words = Survey(language="de-AT", words={"send": "Los"}).all_words("de-AT")
    assert words["send"] == "Los"
    assert words["choose"] == sentences("de").form["choose"]


def test_questions_keep_the_order_of_the_file_in_every_language():
    assert list(SURVEY.questions) == ["age", "sex", "doctor", "smokes", "packs", "drinks", "sport", "health"]
    assert SURVEY.all_languages == ("en", "de")
    assert SURVEY.question_texts("packs", "de").text == "Wie viel rauchen Sie am Tag?"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("intro = 'x'", "intro"),
        ("[words]\nsned = 'x'", "no words 'sned'"),
        ("[bounds.age]\nmin = 5\nmax = 5", "min must be below max"),
        ("[bounds.age]\nmin = nan", "finite"),
        ("language = '<b>'", "language"),
        ("consent = 5", "consent"),
        ("consent", "not a valid TOML file"),
        ("skipped = 'x'\nunasked = 'x'", "skipped and unasked must be different"),
        (QUESTIONS + "only_if = { question = 'packs', is = 'few' }", "which comes later; put 'packs' before it"),
        (QUESTIONS + "only_if = { question = 'sex', is = 'f' }", "'sex', which is not a question of the survey"),
        (QUESTIONS + "only_if = { question = 'smokes', is = 'maybe' }", "answer 'maybe', which 'smokes' does not have"),
        (QUESTIONS + "edges = [1, 2]", "give answers or edges, not both"),
        ("[questions.age]\ntext = 'Age?'\nedges = [35]\noptional = true", "a number cannot be left out"),
        ("[questions.age]\ntext = 'Age?'\nanswers = { 'no answer' = 'x', a = 'A' }", "has that value by optional"),
        ("[questions.age]\nanswers = { a = 'A' }", "text"),
        (QUESTIONS + "[languages.de]", "language 'de': question 'smokes' is missing"),
        (QUESTIONS + "[languages.en]", "is the survey's own"),
        ("title = 'T'\n[languages.de]", "language 'de': title is missing"),
        ("[languages.nl]", "language 'nl': words has no 'choose'"),
        ("language = 'nl'" + QUESTIONS, "language 'nl': words has no 'choose'"),
        (
            TEXT.replace('few = "Bis zu einer halben Schachtel", ', ""),
            "'de': answer 'few' of question 'packs' is missing",
        ),
        (TEXT.replace('help = "Zigaretten', 'section = "Rauchen"\nhelp = "Z'), "section of question 'smokes' is extra"),
        (TEXT + "\n[languages.de.questions.tea]\ntext = 'Tee?'", "'tea' is not a question of the survey"),
    ],
)
def test_a_mistake_in_the_file_is_one_line(text, message, tmp_path):
    if "only_if" in text and "'packs', is" in text:  # a condition on what comes later belongs to the first question
        condition = text[text.index("only_if") :]
        text = text.replace(condition, "").replace('"Yes" }', f'"Yes" }}\n{condition}')
    (tmp_path / "form.toml").write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        read_survey(tmp_path / "form.toml")
    assert "\n" not in str(caught.value)
