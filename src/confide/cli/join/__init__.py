"""`confide join ...`. In dependency order:

check      what a join will be like
tree       a tree over tables in files
keys       an authority and certificates for a trial
site       serve one private table
train      the coordinator of a run
predict    classify records whose parts lie at several sites
evaluate   try a tree on held-out records
intersect  join values that two sites share
simulate   all sites in one process
group      the commands
"""
