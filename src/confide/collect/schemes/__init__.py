"""Schemes: how a record is perturbed. In dependency order:

promise             what a gamma bounds, and how messages show it
strict_parameters   the least noise under which a gamma holds
scheme              what client and server agree on: JSON, wire, promise
_perturb_kernels    random words into perturbed records
sampling            exact draws for many records at once
item_records        records of items as mining and auditing see them
item_scheme         what schemes for sets of items share
mask                every item kept or flipped on its own
cut_and_paste       a few true items among many random ones
record_scheme       what schemes for categorical records share
gamma_diagonal      the whole record kept, or any other drawn
matrix_scheme       a matrix of the user's own
"""
