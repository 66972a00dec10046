"""Frequent itemsets: all, closed or maximal. In dependency order:

_record_kernels   findings, kept small
bitmap_kernels    weighted bitmaps of at most 64 items
found             what threads share and give back
_node_kernels     what a node of each search does
_all_kernels      all frequent itemsets of such a database
_closed_kernels   the closed ones
_maximal_kernels  the maximal ones
_dense_kernels    short cuts for dense lists
_list_kernels     a database of more items, as lists
_worker_kernels   the search as one thread runs it; a database of words
running           the search on threads, whatever holds the records
frequent          frequent_itemsets, count_itemsets
"""
