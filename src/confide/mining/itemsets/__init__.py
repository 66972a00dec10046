"""Frequent itemsets: all, closed or maximal. In dependency order:

_kinds              numbers the kernels agree on
_queue_kernels      tasks for threads
_row_kernels        records as rows, in two forms
_record_kernels     findings, kept small
_bitmap_kernels     weighted bitmaps of at most 64 items
_node_kernels       what a node of each search does
_all_kernels        all frequent itemsets of such a database
_closed_kernels     the closed ones
_maximal_kernels    the maximal ones
_dense_kernels      short cuts for dense lists
_worker_kernels     the search as one thread runs it
_word_kernels       a database of at most 64 frequent items
_list_kernels       a database of more
_pair_kernels       the graph of frequent pairs
databases           the forms of a database, and the choice among them
running             the search on threads, whatever holds the records
search              frequent_itemsets, count_itemsets
"""
