"""Tables that identify nobody. In dependency order:

coding        a frame and its schema as integers: leaves, levels and what they are called
group_tests   the maker's own test of a requirement on groups of rows that look alike
risk          the risk of being found, from the sizes of groups, by column, and in the population
"""
