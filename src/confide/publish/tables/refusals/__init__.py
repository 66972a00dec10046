"""A refusal that says what would work. In dependency order:

release_trials  whether a method would release a table under other settings
cures           settings near those asked for that were tried and work
"""
