"""Asking more than once: the same people about the same thing, or others in rounds.

repeated_answers  RepeatedAnswers: an answer kept for ever with fresh noise on top, and what all of them reveal
prefix_search     PrefixSearch: the most frequent texts of a list nobody knows, from longer and longer beginnings
"""
