"""Hidden comparison of scores among three parties or more. In dependency order:

hidden_party       one party: a process with mpyc's runtime
winner             who splits best, by comparing hidden scores
hidden_comparison  a party's place in comparisons
hidden_rounds      the coordinator's side
helper             a party without a table
"""
