"""`confide share ...`. In dependency order:

promise         options that say what a tree promises
domains         a first draft of what owners agree on
train           a tree that its owner may publish
anonymize       a tree that may not be published becomes one that may
generate        pseudo-data from one tree
learn           a global model from several owners' trees
group           the commands
"""
