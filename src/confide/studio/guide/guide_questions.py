"""The questions of the guide: each is asked once all that it depends on is answered, up to the first open one."""

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["QUESTIONS", "GuideQuestion", "asked_questions", "known_answers"]


@dataclass(frozen=True, kw_only=True)
class GuideQuestion:
    """A question with its answers by name; asked where `when` holds of the answers before it: {question: names}."""

    name: str
    text: str
    answers: Mapping[str, str]
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    note: str = ""

    def fits(self, given: Mapping[str, str]) -> bool:
        """Whether it is to be asked after these answers."""
        return all(given.get(name) in names for name, names in self.when.items())


_RECORDS = ("baskets", "table")

QUESTIONS = (
    GuideQuestion(
        name="have",
        text="What do you have?",
        answers={
            "nothing": "Nothing yet: I still have to ask people",
            "table": "A table: a row with the same columns for everybody",
            "baskets": "Baskets or histories: a set of things for each person (products, loans, diagnoses, pages)",
            "columns": "A part: other organisations hold other columns about the same people",
            "people": "A part: other organisations hold the same columns about other people",
            "stream": "Records that keep coming; others want to know what is frequent",
            "own": "My own documents and searches",
            "else": "Something else: free text, images, sound, positions over time, a network of people",
        },
    ),
    GuideQuestion(
        name="needs",
        text="What must survive?",
        answers={
            "model": "Only a model, a prediction, a rule: no records need to be handed out",
            "detail": "The records, with as much detail as possible",
            "alike": "The records, each value made coarser in the same way everywhere, so that tables can be compared",
        },
        when={"have": ("table",)},
    ),
    GuideQuestion(
        name="keeps",
        text="What must survive?",
        answers={
            "items": "As many entries as possible",
            "itemsets": "What often goes together",
        },
        when={"have": ("baskets",)},
    ),
    GuideQuestion(
        name="gets",
        text="Who gets it?",
        answers={
            "everybody": "Everybody: it can never be called back",
            "contract": "Researchers or partners who sign that they will not look for people",
        },
        when={"have": _RECORDS},
    ),
    GuideQuestion(
        name="secret",
        text="What must they not learn?",
        answers={
            "identity": "Which record is whose",
            "fact": "Which record is whose, nor a sensitive fact about a person (a diagnosis, an income)",
        },
        when={"have": _RECORDS},
    ),
    GuideQuestion(
        name="knows",
        text="How many of a person's things could somebody know?",
        answers={
            "2": "One or two: a neighbour, a cashier",
            "3": "Three: a colleague, a friend",
            "4": "Four or more: a relative, somebody who shares an account",
        },
        when={"have": ("baskets",)},
        note="Count what one of them could know about one person, and add one.",
    ),
    GuideQuestion(
        name="field",
        text="What is it about?",
        answers={
            "health": "Health: claims, prescriptions, registries",
            "retail": "Shops and libraries: baskets, loans, visits",
            "official": "Official statistics",
            "other": "Something else",
        },
        when={"have": ("nothing", "table", "baskets", "columns", "people")},
    ),
)


def known_answers(given: Mapping[str, str]) -> dict[str, str]:
    """Those of the texts given that answer a question which is asked, up to the first that is open."""
    answers: dict[str, str] = {}
    for question in QUESTIONS:
        if question.fits(answers):
            if given.get(question.name) not in question.answers:
                break
            answers[question.name] = given[question.name]
    return answers


def asked_questions(answers: Mapping[str, str]) -> tuple[list[GuideQuestion], bool]:
    """The questions to show after these answers, and whether all of them are answered."""
    shown = []
    for question in QUESTIONS:
        if question.fits(answers):
            shown.append(question)
            if question.name not in answers:
                return shown, False
    return shown, True
