"""Schemes: how a record is perturbed. In dependency order:

fields             names and values of categorical records
field_coding       arrays and frames of them as codes
scheme             what client and server agree on: JSON, wire, promise
_perturb_kernels   random words into perturbed records
sampling           exact draws for many records at once
item_scheme        what schemes for sets of items share
mask               every item kept or flipped on its own
cut_and_paste      a few true items among many random ones
record_scheme      what schemes for categorical records share
gamma_diagonal     the whole record kept, or any other drawn
matrix_scheme      a matrix of the user's own
"""
