"""Guide: a few questions that lead to a stage, its numbers and its form, with what it does not stop."""

from confide.studio.guide.advice import advise
from confide.studio.guide.guide_questions import asked_questions, known_answers
from confide.studio.visit import Answer, Page, Visit, address

__all__ = ["show_guide"]


def show_guide(visit: Visit) -> Answer:
    """The questions with their answers so far; once all are answered, what they come to."""
    answers = known_answers(visit.query)
    questions, whole = asked_questions(answers)
    advice = advise(answers) if whole else None
    form = address("run", job=advice.job, **advice.settings) if advice is not None and advice.job else ""
    values = {"questions": questions, "answers": answers, "advice": advice, "form_address": form}
    return Page(template="guide.html.j2", title="Guide", values=values)
