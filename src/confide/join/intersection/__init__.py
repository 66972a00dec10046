"""The join values that two sites share, found without showing the others. In dependency order:

_field_kernels       arithmetic on eight numbers at once
_number_kernels      their signs and roots, and constants
_ristretto_kernels   points of a group, eight at once
ristretto            a secret number, and many points times it
party                one side of the protocol, for any transport
size                 the same, for the size of the intersection alone
"""
