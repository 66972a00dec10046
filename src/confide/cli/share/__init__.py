"""`confide share ...`. In dependency order:

trees      trees from files, their passports checked
domains    a first draft of what owners agree on
generate   pseudo-data from one tree
learn      a global model from several owners' trees
group      the commands
"""
