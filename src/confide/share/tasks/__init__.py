"""What the commands of `confide share` decide, as functions: a request in, a result and notes out.

trees      published trees from files
learn      a global model from several owners' trees
"""
