"""How much a text speaks of a person's subjects, against a background of what texts usually hold. It knows terms and
numbers, and nothing of profiles or engines. In dependency order:

language_rates   how common words of a language are
background       the share of texts that hold a term, from a language, an index or snippets
snippets         what snippets of earlier searches hold
informative      terms that a person uses surely more often than others do
scores           the evidence of results, and the words it rests on
ordering         the engine's order, moved by evidence
"""
