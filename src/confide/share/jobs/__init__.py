"""The jobs of sharing trees. In dependency order:

requests     what can be asked, which needs neither numba nor pyarrow
publishing   an owner's side: domains, train, anonymize
learning     anybody's side: generate, learn
"""
