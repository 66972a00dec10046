"""A survey as people read it: its file, its questions, its results. In dependency order:

survey_file        questions, answers, conditions and texts in several languages, from a TOML file
questions          the questions of a survey over the fields of a scheme, and what has changed since answers came in
question_results   the share of each answer, with its interval
survey_progress    how many have answered, how near estimates are now, and when to stop
"""
