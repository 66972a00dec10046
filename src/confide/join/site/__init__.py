"""One private table and its answers. In dependency order:

keys            a site's own join values
engine          its table engine
split_list      its own part of the tree
routing         records sent down a finished tree
inbox           summaries of neighbours, until they are needed
shared_values   the join values it shares with neighbours
run             one run at one site
site            Site
"""
