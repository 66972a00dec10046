"""site.toml and join.toml. In dependency order:

files          the two files, checked
parties        the sites and coordinators they describe
graph          the join graph they describe
tasks          what the commands do, as functions: train, simulate, predict, look at a site
intersecting   the same: ask a neighbour for shared join values
"""
