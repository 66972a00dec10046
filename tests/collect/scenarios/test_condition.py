"""A condition does not leak: a message shows neither who was asked nor, by its length or content, who was not."""

import itertools
from fractions import Fraction

import pytest
from scipy.stats import chi2_contingency
from tests.collect.health_survey import SURVEY, scheme_for
from tests.oracles.answering import block_law

from confide.collect import SampledDesign, plan_collection
from confide.collect.survey.questions import survey_domains
from confide.collect.survey.survey_file import Survey

SMALL = Survey(
    questions={
        "smokes": {"text": "?", "answers": {"no": "No", "yes": "Yes"}, "optional": True},
        "packs": {
            "text": "?",
            "answers": {"few": "Few", "many": "Many"},
            "only_if": {"question": "smokes", "is": "yes"},
        },
    }
)
DOMAINS = survey_domains(SMALL)
MET = [("yes", "few"), ("yes", "many")]
NOT_MET = [("no", "not asked"), ("no answer", "not asked")]
GAMMA = 19


def schemes():
    for law, size in itertools.product(("k-ary", "unary", "subset-selection", "symmetric-unary"), (1, 2)):
        yield SampledDesign(domains=DOMAINS, gamma=GAMMA, size=size, scheme=law)
    yield plan_collection(DOMAINS, gamma=GAMMA, people=5000).scheme()


@pytest.mark.parametrize("scheme", [*schemes()], ids=lambda scheme: "-".join({b.law.kind for b in scheme.blocks}))
def test_every_message_is_possible_for_both_and_at_most_gamma_times_likelier(scheme):
    laws = {truth: block_law(scheme, scheme.fields.encode_one(truth)) for truth in MET + NOT_MET}
    for met, other in itertools.product(MET, NOT_MET):
        assert laws[met].keys() == laws[other].keys(), "the same messages are possible"
        assert min(laws[met].values()) > 0
        ratio = max(
            max(laws[met][message] / laws[other][message], laws[other][message] / laws[met][message])
            for message in laws[met]
        )
        assert ratio <= Fraction(GAMMA)


@pytest.mark.parametrize("scheme", [*schemes()], ids=lambda scheme: "-".join({b.law.kind for b in scheme.blocks}))
def test_which_question_is_answered_does_not_depend_on_the_answers(scheme):
    def questions(truth):
        found = {}
        for message, chance in block_law(scheme, scheme.fields.encode_one(truth)).items():
            found[message[0]] = found.get(message[0], 0) + chance
        return found

    first, *others = [questions(truth) for truth in MET + NOT_MET]
    assert all(one == first for one in others)


@pytest.mark.browser
def test_in_the_page_bytes_and_questions_are_alike_whether_the_condition_was_met(tmp_path, visit):
    """False alarm: 1 in 10^6. The page sends by its own hand; the draws are those of the form's client."""
    from tests.collector import Collector

    scheme = scheme_for(5000)
    with Collector(tmp_path, scheme, str(tmp_path / "a.duckdb")) as collector:
        page = visit(collector.url)
        page.wait_for_selector("#send:not([disabled])")
        common = {"age": "old", "sex": "f", "doctor": "yes", "drinks": "never", "sport": "no", "health": "good"}
        counts, lengths = [], []
        for smokes, packs in (("yes", "many"), ("no", "not asked")):
            drawn = page.evaluate(
                """async ([record, times]) => {
                    const client = new Confide.Client("./");
                    const scheme = await client.load();
                    return Array.from({ length: times }, () => scheme.draw(record));
                }""",
                [{**common, "smokes": smokes, "packs": packs}, 3000],
            )
            counts.append([sum(answer[0] == b for answer in drawn) for b in range(len(scheme.blocks))])
            sent = []
            for person in range(15):
                with page.expect_request("**/records") as asked:
                    page.evaluate(
                        "([record, person]) => { const c = new Confide.Client('./', { person });"
                        " return c.load().then(() => c.send(record)); }",
                        [{**common, "smokes": smokes, "packs": packs}, f"{smokes} {person}"],
                    )
                sent.append(len(asked.value.post_data_buffer))
            lengths.append(set(sent))
        assert lengths == [{512}, {512}]
        used = [b for b in range(len(scheme.blocks)) if counts[0][b] + counts[1][b]]
        assert chi2_contingency([[row[b] for b in used] for row in counts]).pvalue > 1e-6
        assert set(SURVEY.questions) == set(scheme.fields.names)
