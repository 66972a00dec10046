"""Results ordered on the person's own machine, by the whole profile: nothing of it leaves, so nothing is held back.
In dependency order:

whole_profile   the person's terms and how far each stands out; a type that no wrapper takes
order_request   what another program found, to be ordered here
ranker          LocalRanker: an engine's results, moved by evidence
"""
