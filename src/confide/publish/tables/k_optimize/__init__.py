"""K-Optimize: the best cuts through ordered columns. In dependency order:

problem           a table as places and cuts
_segment_kernels  cells grouped by cuts
_part_kernels     what rows cost and lose at least, however they are divided
_bound_kernels    what cuts cost, and what all sets of cuts between two of them cost at least
cut_search        the best set of cuts
range_labels      what a run of values is called
k_optimize        `KOptimize`, as users call it
"""
