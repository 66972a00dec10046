"""Hierarchies of values as trees that a page can show and change.

value_groups  a hierarchy as nested groups, with the rows that each stands for
rulers        ranges of numbers: where a level is cut, and cut anew
changes       groups gathered, renamed and dissolved; levels added and removed; values added
value_counts  how often each value stands in the column that a schema describes by a hierarchy
"""
