"""The decision tree of a join that is never made. In dependency order:

column_codes    columns as codes
layout          how a table lies in memory, and how work is shared among threads
entries         which records are at which node, and what is sent of their splits
_join_kernels   summaries, and records that follow them
_score_kernels  the best split of every node
class_weights   class counts of a table's records, from its neighbours' summaries
split_scores    the best split of every column at every node
table_engine    one table's part in growing a tree over a join
local_engines   the engines of all tables
level_growth    engines driven level by level
record_walk     records of a graph sent down a tree
join_tree       JoinTree: all tables in one process
"""
