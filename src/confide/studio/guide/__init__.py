"""From what a person has and fears to a stage, a requirement with its numbers, and the form that asks for them.

guide_questions  what is asked, in which order, and which question follows from which answers
advice           what the answers come to: a job, its settings, the promise, the reasons, and whom it does not stop
"""
