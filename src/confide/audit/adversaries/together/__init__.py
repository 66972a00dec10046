"""What several releases say together, though each keeps its promise: three attackers on people in groups.

_slot_kernels   the loops of all of these
cohorts         people with the same groups, and the values that all their groups have in common
neighbour       knows one person's groups
register        knows everybody's groups, who came and left, and that values last
cells           releases that are built on one another: whole cells, and what stays possible
linker          joins rows by columns that are released as they are
"""
