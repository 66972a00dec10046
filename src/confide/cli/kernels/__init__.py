"""`confide compile`. In dependency order:

groups    every kernel called once on a little data
compile   all groups, side by side
"""
