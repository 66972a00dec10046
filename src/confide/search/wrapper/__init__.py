"""The search wrapper: asks an engine, and brings its results into a person's order. It is given the query and the
exposed pairs, and may import nothing of the profile. In dependency order:

results      what an engine found, made safe to show
scoring      UPScore: how much a text has of an exposed profile
ranking      UPRank and PPRank, the usual alpha; results by evidence, here or at a service
fetching     one request, within a deadline and a size
engine       what every engine answers, and which one an address means
local_index  an index on this machine (SQLite FTS5)
searxng      SearXNG's JSON interface
json_engine  any engine that answers JSON, by a mapping file
page_texts   the text of result pages, only when asked for
wrapper      the wrapper itself
service      the wrapper as a service for several people
remote       somebody else's wrapper
"""
