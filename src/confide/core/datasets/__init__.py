"""Data sets that need not be in memory, and engines that compute on them. In dependency order:

protocol             what is computed, on what, by whom: passes, sources, engines
stream_engine        the engine for one machine: batches, on every core
parts                Parquet files of a data set, found and checked
manifest             a released data set in parts
shuffling            records in parts, in random order
coding_kernels       rows of Arrow as rows of codes
long_rows            records that are rows of a long table, cut at the ends of records
stored_transactions  StoredTransactions: baskets that stay in their files
stored_table         StoredTable: a table that stays in its files
loading              what all of these answer alike: in memory or not, passes, all records at once
spark                the engine for several machines, and Spark's DataFrames
choice               which engine computes, and why
intake               records as the caller has them, in memory or in files
"""
