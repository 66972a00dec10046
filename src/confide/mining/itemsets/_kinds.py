"""Numbers that the kernels of the itemset search agree on."""

# Which itemsets are wanted.
ALL, CLOSED, MAXIMAL = 0, 1, 2

# What a task leaves to do: note its own set, search its supersets, or hand the item back because it is too wide.
FOUND, SEARCH, WIDE = 1, 2, 4
