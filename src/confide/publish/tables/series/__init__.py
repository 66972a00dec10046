"""Tables that are built on earlier releases about the same people (`core.series.places` says how).

_matching_kernels  what growing loses, who is nearest to a place, who takes which
_joining_kernels   which group both lose least with
regions            regions of cells, from one release to the next
combined           a new table together with what earlier releases cover, coded as one
matching           who takes which place
linked_places      what linked places leave open
new_cells          cells by Mondrian: of newcomers, and inside those that are there
coarser_groups     coarser groups of cells
next_release       the algorithm
at_levels          the same with every column at one level
refusals           why it cannot be done, and what works
"""
