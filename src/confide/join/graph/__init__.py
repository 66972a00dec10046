"""Which tables join on what. In dependency order:

key_types      which join columns can be compared
join_values    join values as small numbers, for tables in one process
split_columns  the columns as a tree will take them, and what is missing in them
summary_order  in which order tables send summaries
classes        the classes of the target's records
certainty      whose class or side of a hidden split a neighbour could tell for certain
join_graph     JoinGraph: which tables join on which columns, and where the class is
forecast       what a join will be like: shared values, dangling records, exact size
join_samples   joined records drawn without joining
"""
