"""What the commands of `confide share` decide, as functions: a request in, a result and notes out.

train      a tree that its owner may publish
trees      published trees from files
learn      a global model from several owners' trees
"""
