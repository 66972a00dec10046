"""The join values that two sites share, found without showing the others. In dependency order:

ristretto   a secret number, and many points times it
party       one side of the protocol, for any transport
size        the same, for the size of the intersection alone
"""
