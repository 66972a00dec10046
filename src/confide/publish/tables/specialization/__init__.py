"""Top-down specialisation: values made finer one at a time, where it teaches most. In dependency order:

value_splits    the values of a column as they are now, and how each can be divided
_split_kernels  what every possible division would do to the groups
descent         which divisions are made
top_down        `TopDownSpecialization`, as users call it
"""
