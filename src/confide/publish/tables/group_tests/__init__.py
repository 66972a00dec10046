"""The maker's own test of a requirement on a group of rows that look alike. The auditor has another.

rules           a requirement as plain arrays, with exact bounds in tables
rule_kernels    one group's size and histogram against the rules
_row_kernels    all groups of a table against the rules
fitting_people  people of a population who fit groups, and weights of rows
limits          whether a requirement can be met at all, asked of the whole table
group_test      a requirement put to groups of a table
"""

from confide.publish.tables.group_tests.group_test import GroupTest

__all__ = ["GroupTest"]
