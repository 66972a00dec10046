"""A survey of eight questions in two languages: one is optional, one asked of smokers only."""

from confide.collect.designs.collection_plan import plan_collection
from confide.collect.survey.questions import survey_domains
from confide.collect.survey.survey_file import Survey

__all__ = ["SURVEY", "TEXT", "scheme_for"]

TEXT = """
title = "Health in our town"
introduction = "The town asks, to plan surgeries.\\nIt takes three minutes."
consent = "I agree that my changed answers are used for this."
contact = "Department of health, 01234 5678"
thanks = "The results will be on the town's page in May."

[questions.age]
section = "About you"
text = "How old are you?"
answers = { young = "Under 35", middle = "35 to 54", old = "55 or older" }

[questions.sex]
text = "What is your sex?"
answers = { f = "Female", m = "Male", other = "Other" }

[questions.doctor]
section = "Your health"
text = "Do you have a family doctor?"
answers = { yes = "Yes", no = "No" }

[questions.smokes]
text = "Do you smoke?"
help = "Cigarettes, cigars or pipes, every day or now and then."
answers = { no = "No", yes = "Yes" }

[questions.packs]
text = "How much do you smoke a day?"
answers = { few = "Up to half a packet", many = "More than half a packet" }
only_if = { question = "smokes", is = "yes" }

[questions.drinks]
text = "How often do you drink alcohol?"
answers = { never = "Never", weekly = "Up to once a week", often = "More often" }
optional = true

[questions.sport]
text = "Do you do sport every week?"
answers = { no = "No", yes = "Yes" }

[questions.health]
text = "How is your health?"
answers = { good = "Good", fair = "Fair", bad = "Bad" }

[languages.de]
title = "Gesundheit in unserer Stadt"
introduction = "Die Stadt fragt, um Praxen zu planen.\\nEs dauert drei Minuten."
consent = "Ich bin einverstanden, dass meine veränderten Antworten dafür benutzt werden."
contact = "Amt für Gesundheit, 01234 5678"
thanks = "Die Ergebnisse stehen im Mai auf der Seite der Stadt."

[languages.de.questions.age]
section = "Über Sie"
text = "Wie alt sind Sie?"
answers = { young = "Unter 35", middle = "35 bis 54", old = "55 oder älter" }

[languages.de.questions.sex]
text = "Was ist Ihr Geschlecht?"
answers = { f = "Weiblich", m = "Männlich", other = "Divers" }

[languages.de.questions.doctor]
section = "Ihre Gesundheit"
text = "Haben Sie eine Hausärztin oder einen Hausarzt?"
answers = { yes = "Ja", no = "Nein" }

[languages.de.questions.smokes]
text = "Rauchen Sie?"
help = "Zigaretten, Zigarren oder Pfeife, täglich oder ab und zu."
answers = { no = "Nein", yes = "Ja" }

[languages.de.questions.packs]
text = "Wie viel rauchen Sie am Tag?"
answers = { few = "Bis zu einer halben Schachtel", many = "Mehr als eine halbe Schachtel" }

[languages.de.questions.drinks]
text = "Wie oft trinken Sie Alkohol?"
answers = { never = "Nie", weekly = "Bis zu einmal die Woche", often = "Öfter" }

[languages.de.questions.sport]
text = "Treiben Sie jede Woche Sport?"
answers = { no = "Nein", yes = "Ja" }

[languages.de.questions.health]
text = "Wie ist Ihre Gesundheit?"
answers = { good = "Gut", fair = "Mittel", bad = "Schlecht" }
"""


def _read() -> Survey:
    import tomllib

    return Survey(**tomllib.loads(TEXT))


SURVEY = _read()


def scheme_for(people: int):
    """What plan_collection proposes for this survey."""
    return plan_collection(survey_domains(SURVEY), gamma=19, people=people).scheme()
