"""What the commands of `confide share` decide, as functions: a request in, a result and notes out.

draft      a first draft of what owners agree on
train      a tree that its owner may publish
anonymize  a tree that may not be published becomes one that may
trees      published trees from files, their passports checked
generate   pseudo-data from one tree
learn      a global model from several owners' trees
"""
