"""A table by its distinct combinations of quasi-identifier values: all that a global recoding needs to look at.

grouping_kernels  number distinct combinations, group them under coarser values, merge what looks alike
cell_groups       groups of cells that look alike, and what all groupings of a table share
tokens            what cells hold, as a group test must know it
judging_kernels   groups of them put to a test
contingency       the cells of a table, and their groups under a recoding
"""
