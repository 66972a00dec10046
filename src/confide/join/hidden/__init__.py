"""Hidden comparison of scores among three parties or more. In dependency order:

party        one party: a process with mpyc's runtime
winner       who splits best, by comparing hidden scores
comparison   a party's place in comparisons
rounds       the coordinator's side
helper       a party without a table
"""
